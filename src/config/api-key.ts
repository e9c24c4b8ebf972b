import { createHash } from 'node:crypto';
import { Secret } from './secret.ts';

/** What a client may be called: it is part of its key, of logs and of `viewer { id }`. */
const clientId = /^[a-z\d](?:[a-z\d-]{0,62}[a-z\d])?$/;

export const clientIdRule = '1 to 64 lower-case letters, digits and hyphens, with a letter or digit at both ends';

export function isClientId(text: string): boolean {
  return clientId.test(text);
}

/**
 * The text of a client's key: what it is, whose it is, and 256 random bits as base64url. The prefix lets scanners of
 * repositories find leaked ones; the id lets their owner tell which.
 */
export function toApiKey(id: string, random: Uint8Array): Secret {
  if (random.length !== 32) throw new Error('An API key takes 32 random bytes.');
  return new Secret(`lgk_${id}_${Buffer.from(random).toString('base64url')}`);
}

export function looksLikeApiKey(text: string): boolean {
  return /^lgk_[a-z\d-]{1,64}_[\w-]{43}$/.test(text);
}

/**
 * How a key is kept: SHA-256 of its whole text, in hex. One fast round is enough where slow hashes are needed for
 * passwords: nobody can try 2^256 keys, and a slow hash would cost that time on every request.
 */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
