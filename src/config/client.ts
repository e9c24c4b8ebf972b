import { hash } from 'node:crypto';
import { Secret } from './secret.ts';

/** Everything that a client can be allowed to do. */
export const clientScopes = ['read', 'sponsor', 'admin'] as const;

/** One entry of the clients file: somebody with an API key. */
export interface Client {
  readonly id: string;
  /** SHA-256 of the key, in hex. */
  readonly hash: string;
  readonly scopes: readonly (typeof clientScopes)[number][];
  /** Attempts a minute; 0 = no limit; `null` = the general limit. */
  readonly perMinute: number | null;
  /** Web origins whose pages may use the key; `null` = all. */
  readonly origins: readonly string[] | null;
  /** What it may reserve of the sponsor's gas in one UTC day, of the smallest unit of the gas coin; `null` = no budget. */
  readonly gasPerDay: number | null;
  /**
   * What its sponsored transactions may call, the package as 0x and 64 digits: `package::module::function`,
   * `package::module` or `package`; `null` = anything.
   */
  readonly moveCalls: readonly string[] | null;
}

/** The form of a client id. It appears in its key, in logs and in `viewer { id }`. */
const clientId = /^[a-z\d](?:[a-z\d-]{0,62}[a-z\d])?$/;

export const clientIdRule = '1 to 64 lower-case letters, digits and hyphens, with a letter or digit at both ends';

export function isClientId(text: string): boolean {
  return clientId.test(text);
}

/**
 * The text of a client's key: `lgk_`, the client's id, and 256 random bits as base64url. The prefix lets repository
 * scanners find leaked keys; the id tells whose key leaked.
 * @param random 32 bytes
 */
export function toApiKey(id: string, random: Uint8Array): Secret {
  if (random.length !== 32) throw new Error('An API key takes 32 random bytes.');
  return new Secret(`lgk_${id}_${Buffer.from(random).toString('base64url')}`);
}

export function looksLikeApiKey(text: string): boolean {
  return /^lgk_[a-z\d-]{1,64}_[\w-]{43}$/.test(text);
}

/**
 * The stored form of a key: SHA-256 of its whole text, in hex. A slow password hash is not needed, since nobody can try
 * 2^256 keys, and it would cost its time on every request.
 */
export function hashApiKey(key: string): string {
  return hash('sha256', key);
}
