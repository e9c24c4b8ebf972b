import { type GraphQLError, Lexer, Source, TokenKind } from 'graphql';

/**
 * How deep a text that is no document nests before the place where its syntax breaks. A parser with a bound, like
 * the ledger's, never comes as far as the fault. graphql-js has none: how deep it comes before its stack is full depends on how
 * warm it is, and with it which of the two it would report.
 * @param fault what graphql-js said of the text; `null` if its stack overflowed
 * @param maxTokens as many were parsed at most
 */
export function nestingBeforeFault(text: string, fault: GraphQLError | null, maxTokens: number): number {
  const end = fault?.positions?.[0] ?? text.length;
  const lexer = new Lexer(new Source(text));
  /** Selection sets are open so deep, and the lists and objects of a value. */
  let sets = 0;
  let values = 0;
  let deepest = 0;
  let isInParentheses = false;
  try {
    for (let tokens = 0; tokens < maxTokens; tokens += 1) {
      const token = lexer.advance();
      if (token.kind === TokenKind.EOF || token.start >= end) break;
      if (token.kind === TokenKind.PAREN_L || token.kind === TokenKind.PAREN_R) {
        isInParentheses = token.kind === TokenKind.PAREN_L;
        values = 0;
        continue;
      }
      const step = steps.get(token.kind) ?? 0;
      if (isInParentheses) values = Math.max(0, values + step);
      else sets = Math.max(0, sets + step);
      // The set of the operation itself is no nesting yet.
      deepest = Math.max(deepest, values, sets - 1);
    }
  } catch {
    // What follows is no token: this is the fault.
  }
  return deepest;
}

const steps: ReadonlyMap<TokenKind, number> = new Map([
  [TokenKind.BRACE_L, 1],
  [TokenKind.BRACKET_L, 1],
  [TokenKind.BRACE_R, -1],
  [TokenKind.BRACKET_R, -1],
]);
