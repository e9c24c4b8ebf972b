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

/** An operation in the syntax tree of its document. Variables that directives take are declared non-null, whatever the text says. */
export interface OperationTree {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly fragments: ExecutableDocument['fragments'];
}

/**
 * Lexical tokens that a document may have. Query text of the allowed length has fewer, at three bytes each; transaction payload
 * adds few, since it is a few long strings. Validating a list of thousands of short strings would take tens of milliseconds.
 */
export const maxTokens = 4_000;

/**
 * Parses a document.
 * @param hasPositions keeps the position of each node in the text, which takes up to three times as long
 * @throws GraphQLError for a text that is no document; RangeError for one that nests too deep for the parser
 */
export function parseDocument(text: string, hasPositions: boolean): DocumentNode {
  return parse(text, { maxTokens, noLocation: !hasPositions });
}

/**
 * Declares each variable that a directive takes as non-null, in the document too. `@skip` takes a `Boolean!`, but a valid
 * document may declare `$if: Boolean = true`; a null would then fail only during execution, differently in each plan.
 */
export function toOperationTree(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  fragments: ExecutableDocument['fragments'],
): OperationTree {
  const nullable = new Map<string, { -readonly [Key in keyof VariableDefinitionNode]: VariableDefinitionNode[Key] }>();
  for (const each of operation.variableDefinitions ?? []) {
    // Validation rejects a nullable variable without a default there.
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

/** Removes the lexical tokens from a tree that is kept: a third of its memory, and never read. Positions in the text stay. */
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

/**
 * Returns a function that parses a valid document of one operation again, for documents kept without their trees. It remembers
 * the last tree, because reporting an error needs the same tree several times.
 */
export function createTreeReader(): (text: string) => OperationTree {
  let last: { readonly text: string; readonly tree: OperationTree } | null = null;
  return (text) => {
    if (last?.text === text) return last.tree;
    const document = parseDocument(text, true);
    const { operations, fragments } = toExecutableDocument(document);
    const [operation] = operations;
    if (!operation) throw new Error('a document that is read again has no operation');
    last = { text, tree: toOperationTree(document, operation, fragments) };
    return last.tree;
  };
}

/** A document with nothing but an operation's name and type, for libraries that pass the operation on and do not execute it. */
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
 * How deep a text nests before its syntax error. A parser with a bound on nesting, like the ledger's, stops at the bound and
 * never reports the later syntax error. graphql-js has no bound: its stack overflows at a depth that varies from run to run.
 * @param fault the syntax error; `null` if the parser's stack overflowed
 * @param maxTokens tokens to read at most
 */
export function nestingBeforeFault(text: string, fault: GraphQLError | null, maxTokens: number): number {
  const end = fault?.positions?.[0] ?? text.length;
  const lexer = new Lexer(new Source(text));
  // Open selection sets, and open lists and objects of a value.
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
      // The operation's own selection set does not count.
      deepest = Math.max(deepest, values, sets - 1);
    }
  } catch {
    // An invalid token: this is the syntax error.
  }
  return deepest;
}

const steps: ReadonlyMap<TokenKind, number> = new Map([
  [TokenKind.BRACE_L, 1],
  [TokenKind.BRACKET_L, 1],
  [TokenKind.BRACE_R, -1],
  [TokenKind.BRACKET_R, -1],
]);
