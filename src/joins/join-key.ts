import { ExactNumber } from '../json/exact-number.ts';
import { reservedAliasPrefix } from '../planning/reserved-alias-rule.ts';
import type { Join } from './joins.ts';

/** Which value of the ledger a join is about. */
export interface JoinKey {
  readonly id: string;
  /** As JSON writes it: versions take 64 bits. */
  readonly version: string | undefined;
}

/**
 * Our fields that a join reads are asked for under names of their own, which no alias of the client and no other join of
 * the same type can shadow.
 */
const idAlias = ({ field }: Join): string => `${reservedAliasPrefix}Id_${field}`;
const versionAlias = ({ field }: Join): string => `${reservedAliasPrefix}Version_${field}`;

/** The fields a join needs of its parent, as a selection set. */
export function joinSelectionSet(join: Join): string {
  const { id, version } = join.key;
  return `{ ${idAlias(join)}: ${id} ${version ? `${versionAlias(join)}: ${version}` : ''} }`;
}

/** Makes the reader of what `joinSelectionSet` gave. */
export function createReadJoinKey(join: Join) {
  const [id, version] = [idAlias(join), versionAlias(join)];
  return (selected: Readonly<Record<string, unknown>>): JoinKey => {
    return { id: deepestText(selected[id]), version: toDigits(selected[version]) };
  };
}

/** Beyond 2^53 a version is text, or an exact number. */
function toDigits(version: unknown): string | undefined {
  const isOne = typeof version === 'number' || typeof version === 'string' || version instanceof ExactNumber;
  return isOne && /^\d+$/.test(String(version)) ? String(version) : undefined;
}

/** `joinId: id { txDigest }` gives `{ txDigest }`; every other key is plain text. */
function deepestText(value: unknown): string {
  if (typeof value === 'object' && value !== null) return deepestText(Object.values(value)[0]);
  return String(value);
}
