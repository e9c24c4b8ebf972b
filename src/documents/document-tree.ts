import {
  type DocumentNode,
  type GraphQLError,
  Kind,
  Lexer,
  type Location,
  type OperationDefinitionNode,
  type OperationTypeNode,
  parse,
  Source,
  TokenKind,
  type TypeNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import { type ExecutableDocument, toExecutableDocument, usedFragments } from './selections.ts';

/**
 * An operation as it stands in the tree of its document, with its places in the text. Variables that directives take are
 * declared non-null, whatever the text says.
 */
export interface OperationTree {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly fragments: ExecutableDocument['fragments'];
}

/**
 * Lexical tokens that a document may have. More than fit in the query text at three bytes each; transaction payload adds
 * few, since it is a few long strings. A list of thousands of short strings would take tens of milliseconds to validate.
 */
export const maxTokens = 4_000;

/**
 * Parses a document.
 * @param hasPlaces does the tree say where in the text each part stands? It takes up to three times as long
 * @throws GraphQLError for a text that is no document; RangeError for one that nests too deep for the parser
 */
export function parseDocument(text: string, hasPlaces: boolean): DocumentNode {
  return parse(text, { maxTokens, noLocation: !hasPlaces });
}

/**
 * Declares each variable that a directive of the operation takes as non-null, in the document too. Where `@skip` takes a
 * `Boolean!`, a valid document may declare `$if: Boolean = true`: a null would then fail only during execution, in a
 * different form in each plan.
 */
export function toOperationTree(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  fragments: ExecutableDocument['fragments'],
): OperationTree {
  const nullable = new Map<string, { -readonly [Key in keyof VariableDefinitionNode]: VariableDefinitionNode[Key] }>();
  for (const each of operation.variableDefinitions ?? []) {
    // Validation refuses a nullable variable without a default there.
    if (each.defaultValue && each.type.kind !== Kind.NON_NULL_TYPE) nullable.set(each.variable.name.value, each);
  }
  const bodies = nullable.size > 0 ? [operation, ...usedFragments(operation.selectionSet, fragments)] : [];
  for (const body of bodies) {
    visit(body, {
      Directive({ arguments: given = [] }) {
        for (const { value } of given) {
          const definition = value.kind === Kind.VARIABLE ? nullable.get(value.name.value) : undefined;
          if (definition) definition.type = toNonNull(definition.type);
        }
      },
    });
  }
  return { document, operation, fragments };
}

function toNonNull(type: TypeNode): TypeNode {
  return type.kind === Kind.NON_NULL_TYPE
    ? type
    : { kind: Kind.NON_NULL_TYPE, type, ...(type.loc && { loc: type.loc }) };
}

/**
 * Removes the tokens from a tree that is to be kept. graphql-js leaves them on it, where they are a third of its memory and
 * nobody reads them. Positions in the text stay.
 */
export function dropTokens(node: object): void {
  const { loc } = node as { readonly loc?: { -readonly [Key in keyof Location]?: Location[Key] | undefined } };
  if (loc) {
    loc.startToken = undefined;
    loc.endToken = undefined;
  }
  for (const key in node) {
    if (key === 'loc') continue;
    const below = (node as Readonly<Record<string, unknown>>)[key];
    if (typeof below === 'object' && below !== null) dropTokens(below);
  }
}

/** Parses documents again that are kept without their trees. */
export interface TreeReader {
  /** @param text of a valid document with a single operation */
  readonly read: (text: string) => OperationTree;
}

/** Remembers the last tree, because reporting an error asks for the same tree several times. */
export function createTreeReader(): TreeReader {
  let lastText: string | null = null;
  let last: OperationTree | null = null;
  return {
    read(text) {
      if (last && lastText === text) return last;
      const document = parseDocument(text, true);
      const { operations, fragments } = toExecutableDocument(document);
      const [operation] = operations;
      if (!operation) throw new Error('a document that has no operation is read again');
      lastText = text;
      last = toOperationTree(document, operation, fragments);
      return last;
    },
  };
}

/**
 * A document with nothing but an operation's name and type, for libraries that pass the operation on and do not execute it.
 */
export function toOutline(type: OperationTypeNode, name: string | null): DocumentNode {
  return {
    kind: Kind.DOCUMENT,
    definitions: [
      {
        kind: Kind.OPERATION_DEFINITION,
        operation: type,
        ...(name === null ? {} : { name: { kind: Kind.NAME, value: name } }),
        selectionSet: { kind: Kind.SELECTION_SET, selections: [] },
      },
    ],
  };
}

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
