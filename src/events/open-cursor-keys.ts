import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { Secret } from '../config/secret.ts';
import type { UpstreamHost } from '../upstream/upstream.ts';
import { type CursorKeys, createCursorKeys } from './cursors/cursor-keys.ts';

/** In the shared store: the key of all instances that have no configured one. */
const sharedKeyName = 'ledger-gateway:cursor-key';

export interface OpenCursorKeys {
  readonly keys: CursorKeys;
  close(): void;
}

/**
 * The configured keys; without any, one that all instances on the same store share; without a store, one of this
 * process, so that its cursors do not outlive it.
 */
export async function openCursorKeys(
  configured: Config['cursorKeys'],
  shareSecret: UpstreamHost['shareSecret'],
): Promise<OpenCursorKeys> {
  const [first, ...rest] = configured ?? [];
  if (first) return { keys: createCursorKeys(first, ...rest), close: () => {} };
  const own = new Secret(randomBytes(32).toString('base64url'));
  const keys = createCursorKeys(own);
  return { keys, close: await shareSecret(sharedKeyName, own, keys.adopt) };
}
