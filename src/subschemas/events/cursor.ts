import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { argumentError, isDigest, isU64Text, refuse } from './check-argument.ts';
import type { Position } from './position.ts';

/** What a cursor belongs to: the field it was read from and the filter it was read with. */
export interface CursorScope {
  readonly field: 'queryEvents' | 'queryTransactionBlocks';
  /** Of a `CheckedFilter`. */
  readonly identity: string;
}

/** Hash of the scope, transaction digest, event sequence, milliseconds. */
const cursorShape = z.tuple([
  z.string().max(64),
  z.string().refine(isDigest),
  z.string().refine(isU64Text).nullable(),
  z.number().int().nonnegative().nullable(),
]);

/** Longer text cannot be one of ours. */
const maxCursorCharacters = 512;

const mixedCursors =
  'The provided cursors are taken from different checkpoints and cannot be used together in the same query.';

/** Makes and reads the cursors of one scope. A position has the same cursor whichever way it was reached. */
export interface CursorCodec {
  toCursor(position: Position): string;
  /**
   * @param argument `after` or `before`, for the message
   * @throws `BAD_USER_INPUT` if it is malformed or belongs to another scope
   */
  parseCursor(argument: 'after' | 'before', cursor: string): Position;
}

export function createCursorCodec({ field, identity }: CursorScope): CursorCodec {
  const scope = createHash('sha256').update(`${field}\n${identity}`).digest().subarray(0, 9).toString('base64url');
  return {
    toCursor: ({ digest, eventSeq, timestampMs }) =>
      Buffer.from(JSON.stringify([scope, digest, eventSeq, timestampMs])).toString('base64url'),
    parseCursor: (argument, cursor) => {
      const [cursorScope, digest, eventSeq, timestampMs] = decode(argument, cursor);
      if (cursorScope !== scope) throw argumentError(argument, mixedCursors);
      if ((eventSeq === null) === (field === 'queryEvents')) refuseCursor(argument, cursor);
      return { digest, eventSeq, timestampMs };
    },
  };
}

function decode(argument: string, cursor: string): z.output<typeof cursorShape> {
  if (cursor.length > maxCursorCharacters || !/^[A-Za-z0-9_-]+$/.test(cursor)) refuseCursor(argument, cursor);
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  try {
    return cursorShape.parse(JSON.parse(text));
  } catch {
    return refuseCursor(argument, cursor);
  }
}

function refuseCursor(argument: string, cursor: string): never {
  return refuse(argument, cursor, 'must be a cursor from an earlier answer of the same field');
}
