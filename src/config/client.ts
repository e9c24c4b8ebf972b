import { hash } from 'node:crypto';
import { Secret } from './secret.ts';

/** The permissions of clients. */
export const clientScopes = ['read', 'sponsor', 'admin'] as const;

/** One entry of the clients file: a client with an API key. */
export interface Client {
  readonly id: string;
  /** SHA-256 of the key, in hex. */
  readonly hash: string;
  readonly scopes: readonly (typeof clientScopes)[number][];
  /** Attempts a minute; 0 = no limit; `null` = the general limit. */
  readonly perMinute: number | null;
  /** Web origins whose pages may use the key; `null` = all. */
  readonly origins: readonly string[] | null;
  /** The gas that it may reserve per UTC day, in the smallest unit of the gas coin; `null` = no budget. */
  readonly gasPerDay: number | null;
  /**
   * Calls allowed in its sponsored transactions, the package as 0x and 64 digits: `package::module::function`,
   * `package::module` or `package`; `null` = any.
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
 * The stored form of a key: SHA-256 of its whole text, in hex. A slow password hash would cost time on every request, and
 * keys of 256 random bits do not need one.
 */
export function hashApiKey(key: string): string {
  return hash('sha256', key);
}
