import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { Secret } from '../config/secret.ts';
import { type CursorKeys, createCursorKeys } from '../subschemas/events/cursor-keys.ts';

/** Where instances that share a Redis, and were given no keys, keep the one that they all use. */
export const sharedKeyName = 'ledger-gateway:cursor-key';

export interface OpenCursorKeys {
  readonly keys: CursorKeys;
  close(): void;
}

/**
 * The keys of cursors: those configured; else one that all instances on the same Redis have; else one of this process, which
 * ends with it.
 */
export async function openCursorKeys({
  cursorKeys,
  rateLimit,
}: Pick<Config, 'cursorKeys' | 'rateLimit'>): Promise<OpenCursorKeys> {
  const [first, ...rest] = cursorKeys ?? [];
  if (first) return { keys: createCursorKeys(first, ...rest), close: () => {} };
  const own = new Secret(randomBytes(32).toString('base64url'));
  const keys = createCursorKeys(own);
  if (!rateLimit.redis) return { keys, close: () => {} };
  // Loaded only where it is used: the client of Redis is a large part of what there is to load.
  const { shareSecret } = await import('../admission/share-secret.ts');
  const shared = await shareSecret({ url: rateLimit.redis.url, name: sharedKeyName, own, adopt: keys.adopt });
  return { keys, close: () => shared.close() };
}
