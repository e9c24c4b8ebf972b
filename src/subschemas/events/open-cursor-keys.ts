import { randomBytes } from 'node:crypto';
import type { Config } from '../../config/config.ts';
import { Secret } from '../../config/secret.ts';
import type { UpstreamHost } from '../upstream.ts';
import { type CursorKeys, createCursorKeys } from './cursor-keys.ts';

/** The name, in the shared store, of the key that instances without configured keys use together. */
export const sharedKeyName = 'ledger-gateway:cursor-key';

export interface OpenCursorKeys {
  readonly keys: CursorKeys;
  close(): void;
}

/**
 * The keys of cursors: those configured; else one that all instances on the same store share; else one of this
 * process, which is lost when it ends.
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
