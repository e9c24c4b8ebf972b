import { type DocumentNode, Kind, type StringValueNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { DocumentSize } from './cost/measure-document.ts';
import type { DocumentShape } from './document-shape.ts';
import type { GivenText, PreparedDocument } from './prepared-document.ts';
import { createSightings } from './sightings.ts';
import type { AcceptedDocument } from './validation/accept-document.ts';
import type { InputTable } from './validation/schema-tables.ts';

/** Prepares the same operation of other texts with one shape. */
export interface Share<Operation> {
  /** The operation's name; `null` if it has none. */
  readonly name: string | null;
  readonly prepare: (given: GivenText) => Operation;
}

/** What documents share that differ only in their strings. Worked out from the first of them. */
export interface KnownShape<Operation> extends Share<Operation> {
  /** Size of the first one. The others differ only in the bytes of their text. */
  readonly size: DocumentSize;
  /** Bytes that each takes in memory besides its text, plain and as JSON. */
  readonly extraBytes: number;
}

/** A document that was accepted, with all that is known of it. */
interface FirstOfShape<Operation> extends Share<Operation> {
  readonly document: DocumentNode;
  readonly accepted: AcceptedDocument;
  readonly prepared: PreparedDocument<Operation> & { readonly size: DocumentSize };
}

export interface KnownShapes<Operation> {
  /** What texts of this shape share, and with it that the text is valid; `null` if nothing is known, or a string does not fit. */
  readonly find: (shape: DocumentShape) => KnownShape<Operation> | null;
  /** Keeps what others of its shape can share, unless the strings decide more than whether the document is valid. */
  readonly keep: (shape: DocumentShape, first: FirstOfShape<Operation>) => void;
}

/** Longer texts hold transactions, which are counted by their length. */
export const maxShapedCharacters = 20_000;

/**
 * Bytes of memory for shapes. As with documents, those that came again are kept apart, and shapes which come only once push
 * nothing out: when the room for new ones is full, one is kept when it comes a second time.
 */
const maxNewBytes = 1024 * 1024;
const maxProvenBytes = 3 * 1024 * 1024;

interface Kept<Operation> extends KnownShape<Operation> {
  readonly types: readonly InputTable[];
  readonly bytes: number;
}

export function createKnownShapes<Operation>(): KnownShapes<Operation> {
  const sizeCalculation = ({ bytes }: Kept<Operation>) => bytes;
  const newcomers = new LRUCache<string, Kept<Operation>>({ maxSize: maxNewBytes, sizeCalculation });
  const proven = new LRUCache<string, Kept<Operation>>({ maxSize: maxProvenBytes, sizeCalculation });
  const sightings = createSightings();
  return {
    find({ outline, strings }) {
      const known = proven.get(outline);
      const kept = known ?? newcomers.get(outline);
      if (!kept || !areTaken(strings, kept.types)) return null;
      if (!known) {
        newcomers.delete(outline);
        proven.set(outline, kept);
      }
      return kept;
    },
    keep({ outline, strings }, { document, accepted, prepared, name, prepare }) {
      const { size, text, bytes } = prepared;
      // Fields that share a response name are compared with the strings in their arguments, and strings of transactions are
      // counted: such documents share nothing.
      const { literalBytes, inlinedBytes } = size.transaction;
      if (accepted.hasRepeats || literalBytes + inlinedBytes > 0) return;
      const extraBytes = Math.max(0, bytes - text.length - JSON.stringify(text).length);
      const own = extraBytes + outline.length + strings.length * 16 + 512;
      if (newcomers.calculatedSize + own > maxNewBytes && !sightings.note(outline)) return;
      const types = typesInOrder(document, accepted, strings);
      if (!types) return;
      newcomers.set(outline, { size, extraBytes, name, prepare, types, bytes: own });
    },
  };
}

function areTaken(strings: readonly string[], types: readonly InputTable[]): boolean {
  return types.every(({ accepts }, index) => accepts({ kind: Kind.STRING, value: strings[index] ?? '' }));
}

/** The types that take a text's strings, in its order; `null` if some string is not a value but a description. */
function typesInOrder(
  document: DocumentNode,
  accepted: AcceptedDocument,
  strings: readonly string[],
): readonly InputTable[] | null {
  const types = new Map(accepted.strings.map(({ node, type }) => [node, type]));
  const ordered: InputTable[] = [];
  const isKnown = findStrings(document, (node) => {
    const type = types.get(node);
    if (!type || node.value !== strings[ordered.length]) return false;
    ordered.push(type);
    return true;
  });
  return isKnown && ordered.length === strings.length ? ordered : null;
}

/** Calls `told` for every string in the order of the text, the order of each node's members. Stops at the first `false`. */
function findStrings(node: object, told: (string: StringValueNode) => boolean): boolean {
  if ('kind' in node && node.kind === Kind.STRING) return told(node as StringValueNode);
  for (const below of Object.values(node)) {
    if (typeof below === 'object' && below !== null && !findStrings(below, told)) return false;
  }
  return true;
}
