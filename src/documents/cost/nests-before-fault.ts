import { type GraphQLError, Lexer, Source, TokenKind } from 'graphql';
import { maxNesting } from './refusal.ts';

/**
 * Does a text that is no document nest over the bound before the place where its syntax breaks? A parser with that bound, like
 * the ledger's, never comes as far as the fault. graphql-js has none: how deep it comes before its stack is full depends on how
 * warm it is, and with it which of the two it would report.
 * @param fault what graphql-js said of the text
 */
export function nestsBeforeFault(text: string, { positions }: GraphQLError): boolean {
  const end = positions?.[0] ?? text.length;
  const lexer = new Lexer(new Source(text));
  /** Selection sets are open so deep, and the lists and objects of a value. */
  let sets = 0;
  let values = 0;
  let isInParentheses = false;
  try {
    for (let token = lexer.advance(); token.kind !== TokenKind.EOF && token.start < end; token = lexer.advance()) {
      if (token.kind === TokenKind.PAREN_L || token.kind === TokenKind.PAREN_R) {
        isInParentheses = token.kind === TokenKind.PAREN_L;
        values = 0;
        continue;
      }
      const step = steps.get(token.kind) ?? 0;
      if (isInParentheses) values = Math.max(0, values + step);
      else sets = Math.max(0, sets + step);
      // The set of the operation itself is no nesting yet.
      if (values > maxNesting || sets - 1 > maxNesting) return true;
    }
  } catch {
    // What follows is no token: this is the fault.
  }
  return false;
}

const steps: ReadonlyMap<TokenKind, number> = new Map([
  [TokenKind.BRACE_L, 1],
  [TokenKind.BRACKET_L, 1],
  [TokenKind.BRACE_R, -1],
  [TokenKind.BRACKET_R, -1],
]);
