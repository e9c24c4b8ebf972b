import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { z } from 'zod';
import { argumentError, isDigest, isU64Text, refuse } from './check-argument.ts';
import { signatureBytes } from './cursor-key.ts';
import type { CursorKeys } from './cursor-keys.ts';
import type { Position } from './position.ts';

/** What a cursor belongs to: the field it was read from and the filter it was read with. */
export interface CursorScope {
  readonly field: 'queryEvents' | 'queryTransactionBlocks';
  /** The `identity` of a `CheckedFilter`. */
  readonly identity: string;
}

/** Transaction digest, event sequence, milliseconds. */
const positionShape = z.tuple([
  z.string().refine(isDigest),
  z.string().refine(isU64Text).nullable(),
  z.number().int().nonnegative().nullable(),
]);

/** Longer than any cursor of the gateway. */
const maxCursorCharacters = 512;

/**
 * Worded as by the ledger, which says this of cursors of different checkpoints; used for every cursor with a signature
 * that does not hold.
 */
const mixedCursors =
  'The provided cursors are taken from different checkpoints and cannot be used together in the same query.';

/** Makes and reads the cursors of one scope. A position has the same cursor whichever way it was reached. */
export interface CursorCodec {
  toCursor(position: Position): string;
  /**
   * @param argument `after` or `before`, for the message
   * @throws `BAD_USER_INPUT` if it is malformed, belongs to another scope, or was not signed by a key in force
   */
  parseCursor(argument: 'after' | 'before', cursor: string): Position;
}

/**
 * A cursor is a signature followed by the position it signs, so that an altered or invented cursor is refused without
 * a call.
 */
export function createCursorCodec({ field, identity }: CursorScope, keys: CursorKeys): CursorCodec {
  const scope = hash('sha256', `${field}\n${identity}`, 'buffer');
  return {
    toCursor: ({ digest, eventSeq, timestampMs }) => {
      const text = Buffer.from(JSON.stringify([digest, eventSeq, timestampMs]));
      return Buffer.concat([keys.signing.sign(scope, text), text]).toString('base64url');
    },
    parseCursor: (argument, cursor) => {
      const bytes = decode(argument, cursor);
      const signature = bytes.subarray(0, signatureBytes);
      const text = bytes.subarray(signatureBytes);
      // Several base64 texts may decode to the same bytes, since the last letter has spare bits. Accept only the one
      // the gateway writes.
      const isSigned =
        bytes.toString('base64url') === cursor && keys.all.some((key) => key.verify(scope, text, signature));
      if (!isSigned) throw argumentError(argument, mixedCursors);
      return toPosition(text) ?? refuseCursor(argument, cursor);
    },
  };
}

function decode(argument: string, cursor: string): Buffer {
  if (cursor.length > maxCursorCharacters || !/^[A-Za-z0-9_-]+$/.test(cursor)) return refuseCursor(argument, cursor);
  const bytes = Buffer.from(cursor, 'base64url');
  return bytes.length > signatureBytes ? bytes : refuseCursor(argument, cursor);
}

/** `null` if the node sent a digest or a sequence number of a form it cannot be asked for again. */
function toPosition(text: Buffer): Position | null {
  const { data } = positionShape.safeParse(JSON.parse(text.toString('utf8')));
  return data ? { digest: data[0], eventSeq: data[1], timestampMs: data[2] } : null;
}

function refuseCursor(argument: string, cursor: string): never {
  return refuse(argument, cursor, 'must be a cursor from an earlier answer of the same field');
}
