import type { Join } from './joins.ts';
import { reservedAliasPrefix } from './reserved-alias-rule.ts';

/** Which value of the ledger a join is about. */
export interface JoinKey {
  readonly id: string;
  readonly version: number | undefined;
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
    const number = selected[version];
    return { id: deepestText(selected[id]), version: typeof number === 'number' ? number : undefined };
  };
}

/** `joinId: id { txDigest }` gives `{ txDigest }`; every other key is plain text. */
function deepestText(value: unknown): string {
  if (typeof value === 'object' && value !== null) return deepestText(Object.values(value)[0]);
  return String(value);
}
