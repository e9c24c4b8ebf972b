import { BREAK, type DocumentNode, visit } from 'graphql';
import { reservedAliasPrefix } from '../../documents/validation/own-rules.ts';
import { ExactNumber } from '../../json/exact-number.ts';
import { toCanonicalAddress } from '../../ledger/values/move-names.ts';
import type { Join } from './joins.ts';

/** Identifies the ledger value that a join is about. */
export interface JoinKey {
  readonly id: string;
  /** Decimal digits: a version takes 64 bits, more than a JavaScript number holds. */
  readonly version: string | undefined;
}

/**
 * Joins select the fields of their key under reserved aliases, so that neither an alias of the client nor another
 * join of the same type can stand in their place.
 */
const idPrefix = `${reservedAliasPrefix}Id_`;
const idAlias = ({ field }: Join): string => idPrefix + field;
const versionAlias = ({ field }: Join): string => `${reservedAliasPrefix}Version_${field}`;

/** Does a document select the key of any join? */
export function selectsJoinKeys(document: DocumentNode): boolean {
  let isFound = false;
  visit(document, {
    Field: ({ alias }) => {
      isFound ||= alias?.value.startsWith(idPrefix) ?? false;
      return isFound ? BREAK : undefined;
    },
  });
  return isFound;
}

/** The fields a join needs of its parent, as a selection set. */
export function joinSelectionSet(join: Join): string {
  const { id, version } = join.key;
  return `{ ${idAlias(join)}: ${id} ${version ? `${versionAlias(join)}: ${version}` : ''} }`;
}

/**
 * Returns a function that reads the key from what `joinSelectionSet` selected, or from the value itself, where nothing was
 * selected of it: an item of a stream is at hand as it is.
 */
export function createReadJoinKey(join: Join) {
  const [id, version] = [idAlias(join), versionAlias(join)];
  const { key } = join;
  // Digests have one form. Upstreams may write addresses short.
  const toId = join.target === 'transaction' ? String : toWholeAddress;
  return (selected: Readonly<Record<string, unknown>>): JoinKey => {
    if (!(id in selected)) {
      return { id: toId(selected[key.id]), version: key.version && toDigits(selected[key.version]) };
    }
    return { id: toId(selected[id]), version: toDigits(selected[version]) };
  };
}

function toWholeAddress(value: unknown): string {
  const text = String(value);
  return toCanonicalAddress(text) ?? text;
}

/** Beyond 2^53 a version is text, or an exact number. */
function toDigits(version: unknown): string | undefined {
  const isOne = typeof version === 'number' || typeof version === 'string' || version instanceof ExactNumber;
  if (!isOne) return undefined;
  const text = String(version);
  return /^\d+$/.test(text) ? text : undefined;
}
