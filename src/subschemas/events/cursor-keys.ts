import { randomBytes } from 'node:crypto';
import type { Secret } from '../../config/secret.ts';
import { type CursorKey, createCursorKey } from './cursor-key.ts';

/** The keys in force. They may change while the gateway runs; a cursor signed by any of them is good. */
export interface CursorKeys {
  readonly signing: CursorKey;
  /** That one too. */
  readonly all: readonly CursorKey[];
}

/** @param secrets the first signs; none: one is made, which nobody else knows and which ends with the process */
export function createCursorKeys(secrets: readonly Secret[]): CursorKeys {
  const [first, ...rest] = secrets.map((secret) => createCursorKey(secret.reveal()));
  const signing = first ?? createCursorKey(randomBytes(32).toString('base64url'));
  return { signing, all: [signing, ...rest] };
}
