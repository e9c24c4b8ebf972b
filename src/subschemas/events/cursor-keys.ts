import type { Secret } from '../../config/secret.ts';
import { type CursorKey, createCursorKey } from './cursor-key.ts';

/** The keys in force. They may change while the gateway runs; a cursor signed by any of them is good. */
export interface CursorKeys {
  readonly signing: CursorKey;
  /** That one too. */
  readonly all: readonly CursorKey[];
}

export interface ChangingCursorKeys extends CursorKeys {
  /** Signs with it from now on. What was signed before stays good. */
  adopt(secret: Secret): void;
}

/** Keys are exchanged by people, or when instances meet for the first time: more are not needed, and each costs a check. */
const maxKeys = 8;

/** @param first signs; `rest` verify beside it */
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
