import type { Secret } from '../../config/secret.ts';
import { type CursorKey, createCursorKey } from './cursor-key.ts';

/** The keys in force. They may change while the gateway runs; a cursor signed by any of them is good. */
export interface CursorKeys {
  readonly signing: CursorKey;
  /** Includes `signing`. */
  readonly all: readonly CursorKey[];
}

export interface ChangingCursorKeys extends CursorKeys {
  /** Signs with it from now on. Earlier cursors stay good. */
  adopt(secret: Secret): void;
}

/**
 * Every key kept is tried on each bad cursor, so they are bounded. Keys change only by hand, or when instances first
 * meet.
 */
const maxKeys = 8;

/**
 * @param first signs new cursors
 * @param rest verify old ones
 */
export function createCursorKeys(first: Secret, ...rest: readonly Secret[]): ChangingCursorKeys {
  let signing = createCursorKey(first.reveal());
  let all = [signing, ...rest.map((secret) => createCursorKey(secret.reveal()))];
  return {
    get signing() {
      return signing;
    },
    get all() {
      return all;
    },
    adopt(secret) {
      signing = createCursorKey(secret.reveal());
      all = [signing, ...all].slice(0, maxKeys);
    },
  };
}
