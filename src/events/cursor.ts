import { z } from 'zod';
import { isDigest, isU64Text } from '../ledger/values/check-argument.ts';
import type { CursorKeys } from './cursors/cursor-keys.ts';
import { createSignedCursors, refuseCursor } from './cursors/signed-cursor.ts';
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

/** Makes and reads the cursors of one scope. A position has the same cursor whichever way it was reached. */
export interface CursorCodec {
  toCursor(position: Position): string;
  /**
   * @param argument `after` or `before`, for the message
   * @throws `BAD_USER_INPUT` if it is malformed or belongs to another scope; `CURSOR_KEY_UNKNOWN` if its key is not in force
   */
  parseCursor(argument: 'after' | 'before', cursor: string): Position;
}

export function createCursorCodec({ field, identity }: CursorScope, keys: CursorKeys): CursorCodec {
  const cursors = createSignedCursors(`${field}\n${identity}`, keys);
  return {
    toCursor: ({ digest, eventSeq, timestampMs }) => cursors.write(JSON.stringify([digest, eventSeq, timestampMs])),
    parseCursor: (argument, cursor) => toPosition(cursors.read(argument, cursor)) ?? refuseCursor(argument, cursor),
  };
}

/** `null` if the node sent a digest or a sequence number of a form it cannot be asked for again. */
function toPosition(text: string): Position | null {
  const { data } = positionShape.safeParse(JSON.parse(text));
  return data ? { digest: data[0], eventSeq: data[1], timestampMs: data[2] } : null;
}
