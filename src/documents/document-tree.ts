import {
  type DocumentNode,
  Kind,
  type Location,
  type OperationDefinitionNode,
  type OperationTypeNode,
  parse,
} from 'graphql';
import { type ExecutableDocument, toExecutableDocument } from './cost/executable-document.ts';

/** An operation as it stands in the tree of its document, with its places in the text. */
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
      last = { document, operation, fragments };
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
