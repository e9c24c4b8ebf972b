import { hash } from 'node:crypto';

/** A gas coin at one version. */
export interface CoinReference {
  /** Hex with 0x prefix, in any spelling. */
  readonly objectId: string;
  /** Exact decimal text. */
  readonly version: string;
  /** Base58. */
  readonly digest: string;
}

/**
 * One short text for a set of coins, the same in whichever order they are named and however their ids are spelt: the
 * sponsor takes them in any order too.
 * @returns 32 bytes as base64url
 */
export function hashCoins(coins: readonly CoinReference[]): string {
  const names = coins.map(toName);
  if (names.length > 1) names.sort();
  return hash('sha256', names.join(''), 'base64url');
}

/** Each part behind its length: no two coins, nor two lists of them, are the same text. */
function toName({ objectId, version, digest }: CoinReference): string {
  const id = spell(objectId);
  return `${id.length}:${id}${version.length}:${version}${digest.length}:${digest}`;
}

/** Lower case, with as many digits as every id of the ledger has. */
function spell(objectId: string): string {
  // As services write ids: this is faster than to look at each digit, and what is no id is left as it is either way.
  if (objectId.length === idLength && objectId.startsWith('0x') && objectId.toLowerCase() === objectId) return objectId;
  const digits = /^0x([0-9a-f]{1,64})$/i.exec(objectId)?.[1];
  return digits === undefined ? objectId : `0x${digits.toLowerCase().padStart(64, '0')}`;
}

/** Two letters, and two for each of 32 bytes. */
const idLength = 66;
