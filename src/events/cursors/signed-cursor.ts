import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { argumentError, refuse } from '../../ledger/values/check-argument.ts';
import { signatureBytes } from './cursor-key.ts';
import type { CursorKeys } from './cursor-keys.ts';

/** Longer than any cursor of the gateway. */
const maxCursorCharacters = 512;

/**
 * Worded as by the ledger, which says this of cursors of different checkpoints; used for every cursor with a signature
 * that does not hold.
 */
const mixedCursors =
  'The provided cursors are taken from different checkpoints and cannot be used together in the same query.';

/**
 * Writes texts as cursors of one scope, and reads them back: a signature followed by the text it signs, so that an altered or
 * invented cursor is refused without a call.
 */
export interface SignedCursors {
  write(text: string): string;
  /**
   * @param argument `after` or `before`, for the message
   * @throws `BAD_USER_INPUT` if it is malformed, belongs to another scope, or was not signed by a key in force
   */
  read(argument: string, cursor: string): string;
}

/** @param scopeText what the cursors belong to, such as a field and its filter */
export function createSignedCursors(scopeText: string, keys: CursorKeys): SignedCursors {
  const scope = hash('sha256', scopeText, 'buffer');
  return {
    write(shown) {
      const text = Buffer.from(shown);
      return Buffer.concat([keys.signing.sign(scope, text), text]).toString('base64url');
    },
    read(argument, cursor) {
      const bytes = decode(argument, cursor);
      const signature = bytes.subarray(0, signatureBytes);
      const text = bytes.subarray(signatureBytes);
      // Several base64 texts may decode to the same bytes, since the last letter has spare bits. Accept only the one
      // the gateway writes.
      const isSigned =
        bytes.toString('base64url') === cursor && keys.all.some((key) => key.verify(scope, text, signature));
      if (!isSigned) throw argumentError(argument, mixedCursors);
      return text.toString('utf8');
    },
  };
}

function decode(argument: string, cursor: string): Buffer {
  if (cursor.length > maxCursorCharacters || !/^[A-Za-z0-9_-]+$/.test(cursor)) return refuseCursor(argument, cursor);
  const bytes = Buffer.from(cursor, 'base64url');
  return bytes.length > signatureBytes ? bytes : refuseCursor(argument, cursor);
}

export function refuseCursor(argument: string, cursor: string): never {
  return refuse(argument, cursor, 'must be a cursor from an earlier answer of the same field');
}
