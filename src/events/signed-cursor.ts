import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { z } from 'zod';
import { gatewayError } from '../errors/gateway-error.ts';
import { argumentError, isDigest, isU64Text, refuse } from '../ledger/values/check-argument.ts';
import { type CursorKeys, keyIdBytes, signatureBytes } from './cursor-keys.ts';
import type { Position } from './source.ts';

/** Longer than any cursor of the gateway. */
const maxCursorCharacters = 512;

/** The ledger's own message for cursors of different checkpoints; used for a cursor of another scope. */
const mixedCursors =
  'The provided cursors are taken from different checkpoints and cannot be used together in the same query.';

const unknownKey =
  'The cursor was signed with a key that this gateway does not have: begin again without it. Operators set CURSOR_KEYS so that cursors survive restarts.';

const headBytes = keyIdBytes + signatureBytes;

/**
 * Writes texts as cursors of one scope, and parses them. A cursor consists of its key's id, a signature, and the signed text,
 * so that an altered or forged cursor is rejected without an upstream call.
 */
export interface SignedCursors {
  write(text: string): string;
  /**
   * @param argument `after` or `before`, for the message
   * @throws `BAD_USER_INPUT` if it is malformed or belongs to another scope; `CURSOR_KEY_UNKNOWN` if its key is not in force
   */
  read(argument: string, cursor: string): string;
}

/** @param scopeText identifies the scope of the cursors, such as a field and its filter */
export function createSignedCursors(scopeText: string, keys: CursorKeys): SignedCursors {
  const scope = hash('sha256', scopeText, 'buffer');
  return {
    write(given) {
      const text = Buffer.from(given);
      const { id, sign } = keys.signing;
      return Buffer.concat([id, sign(scope, text), text]).toString('base64url');
    },
    read(argument, cursor) {
      const bytes = decode(argument, cursor);
      const known = keys.all.filter(({ id }) => bytes.indexOf(id) === 0);
      if (known.length === 0) throw gatewayError('CURSOR_KEY_UNKNOWN', unknownKey, { argument });
      const signature = bytes.subarray(keyIdBytes, headBytes);
      const text = bytes.subarray(headBytes);
      // Several base64 texts may decode to the same bytes, since the last letter has spare bits. Accept only the one that the
      // gateway writes.
      const isSigned =
        bytes.toString('base64url') === cursor && known.some((key) => key.verify(scope, text, signature));
      if (!isSigned) throw argumentError(argument, mixedCursors);
      return text.toString('utf8');
    },
  };
}

function decode(argument: string, cursor: string): Buffer {
  if (cursor.length > maxCursorCharacters || !/^[A-Za-z0-9_-]+$/.test(cursor)) return refuseCursor(argument, cursor);
  const bytes = Buffer.from(cursor, 'base64url');
  return bytes.length > headBytes ? bytes : refuseCursor(argument, cursor);
}

export function refuseCursor(argument: string, cursor: string): never {
  return refuse(argument, cursor, 'must be a cursor from an earlier answer of the same field');
}

/** The field and the filter that a cursor belongs to. */
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

/** Makes and reads the cursors of one scope. */
export interface CursorCodec {
  toCursor(position: Position): string;
  /**
   * @param argument `after` or `before`, for the message
   * @throws `BAD_USER_INPUT` if it is malformed or belongs to another scope; `CURSOR_KEY_UNKNOWN` if its key is not in force
   */
  parseCursor(argument: 'after' | 'before', cursor: string): Position;
  /** `null` if it is not a valid cursor of this scope. */
  tryParse(cursor: string): Position | null;
}

export function createCursorCodec({ field, identity }: CursorScope, keys: CursorKeys): CursorCodec {
  const cursors = createSignedCursors(`${field}\n${identity}`, keys);
  return {
    toCursor: ({ digest, eventSeq, timestampMs }) => cursors.write(JSON.stringify([digest, eventSeq, timestampMs])),
    parseCursor: (argument, cursor) => toPosition(cursors.read(argument, cursor)) ?? refuseCursor(argument, cursor),
    tryParse(cursor) {
      try {
        return toPosition(cursors.read('after', cursor));
      } catch {
        return null;
      }
    },
  };
}

/** `null` if the node sent a digest or a sequence number that it cannot look up. */
function toPosition(text: string): Position | null {
  const { data } = positionShape.safeParse(JSON.parse(text));
  return data ? { digest: data[0], eventSeq: data[1], timestampMs: data[2] } : null;
}
