import { Buffer } from 'node:buffer';
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { Secret } from '../config/secret.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { argumentError, isDigest, isU64Text, refuseArgument } from '../ledger/values/check-argument.ts';
import { type ItemPosition, type ResumePoint, resumeAt } from '../live/live-source.ts';
import type { StreamSlot } from '../upstream/operation-context.ts';
import type { UpstreamHost } from '../upstream/upstream.ts';
import { readItemKey, toItemKey } from './source.ts';

/** A key that signs cursors and recognises its own signatures. */
type CursorKey = ReturnType<typeof createCursorKey>;

/** Half of a SHA-256: 128 bits cannot be guessed, and cursors stay short. */
export const signatureBytes = 16;
/** If two keys have the same id, both are tried. */
export const keyIdBytes = 4;

/**
 * @param secret any unguessable text. A key for cursors alone is derived from it, so that its signatures are invalid where the
 * same secret signs other data
 */
export function createCursorKey(secret: string) {
  const key = createHmac('sha256', secret).update('ledger-gateway cursors').digest();
  /** The signature of a text within a scope, `signatureBytes` long. */
  const sign = (scope: Uint8Array, text: Uint8Array): Buffer =>
    createHmac('sha256', key).update(scope).update(text).digest().subarray(0, signatureBytes);
  return {
    /** Part of each cursor. */
    id: createHmac('sha256', key).update('id').digest().subarray(0, keyIdBytes),
    sign,
    /** Takes the same time for every signature, so that attackers cannot guess it byte by byte. */
    verify: (scope: Uint8Array, text: Uint8Array, signature: Uint8Array): boolean =>
      signature.length === signatureBytes && timingSafeEqual(sign(scope, text), signature),
  };
}

/** The keys in force. They may change while the gateway runs; a cursor signed by any of them is valid. */
export interface CursorKeys {
  readonly signing: CursorKey;
  /** All valid keys, including `signing`. */
  readonly all: readonly CursorKey[];
}

/** Limits the keys tried on a bad cursor. Keys change only by configuration, or when instances first share one. */
const maxKeys = 8;

/** @param first signs new cursors @param rest verify old ones */
export function createCursorKeys(first: Secret, ...rest: readonly Secret[]) {
  const [signing, ...others] = [first, ...rest].map((secret) => createCursorKey(secret.reveal())) as [CursorKey];
  const keys = {
    signing,
    all: [signing, ...others],
    /** Signs with it from now on. Earlier cursors stay valid. */
    adopt(secret: Secret): void {
      keys.signing = createCursorKey(secret.reveal());
      keys.all = [keys.signing, ...keys.all].slice(0, maxKeys);
    },
  };
  return keys;
}

/** Name in the shared store of the key of all instances without a configured one. */
const sharedKeyName = 'ledger-gateway:cursor-key';

/**
 * The configured keys; without any, one that all instances on the same store share; without a store, one of this process,
 * whose cursors do not survive a restart.
 */
export async function openCursorKeys(
  configured: Config['cursorKeys'],
  shareSecret: UpstreamHost['shareSecret'],
): Promise<{ readonly keys: CursorKeys; readonly close: () => void }> {
  const [first, ...rest] = configured ?? [];
  if (first) return { keys: createCursorKeys(first, ...rest), close: () => {} };
  const own = new Secret(randomBytes(32).toString('base64url'));
  const keys = createCursorKeys(own);
  return { keys, close: await shareSecret(sharedKeyName, own, keys.adopt) };
}

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
 * @param scopeText identifies the scope, such as a field and its filter
 */
function createSignedCursors(scopeText: string, keys: CursorKeys) {
  const scope = hash('sha256', scopeText, 'buffer');
  return {
    write(given: string): string {
      const text = Buffer.from(given);
      const { id, sign } = keys.signing;
      return Buffer.concat([id, sign(scope, text), text]).toString('base64url');
    },
    /**
     * @param argument for the message
     * @throws `BAD_USER_INPUT` if it is malformed or belongs to another scope; `CURSOR_KEY_UNKNOWN` if its key is not in force
     */
    read(argument: string, cursor: string): string {
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

function refuseCursor(argument: string, cursor: string): never {
  return refuseArgument(argument, cursor, 'must be a cursor from an earlier answer of the same field');
}

/** The field and the filter that a cursor belongs to. */
export interface CursorScope {
  readonly field: 'queryEvents' | 'queryTransactionBlocks';
  /** The `identity` of a `CheckedFilter`. */
  readonly identity: string;
}

/** Transaction digest, event sequence, milliseconds, mark. Only with a mark may the digest be empty: behind no item. */
const positionShape = z
  .tuple([
    z.string(),
    z.string().refine(isU64Text).nullable(),
    z.number().int().nonnegative().nullable(),
    z.string().optional(),
  ])
  .refine(([digest, , , mark]) => isDigest(digest) || (digest === '' && mark !== undefined));

export type CursorCodec = ReturnType<typeof createCursorCodec>;

/** Makes and reads the cursors of one scope. */
export function createCursorCodec({ field, identity }: CursorScope, keys: CursorKeys) {
  const cursors = createSignedCursors(`${field}\n${identity}`, keys);
  return {
    toCursor({ key, timestampMs, mark }: ItemPosition): string {
      const { txDigest, eventSeq } = readItemKey(key);
      return cursors.write(JSON.stringify([txDigest, eventSeq, timestampMs, ...(mark == null ? [] : [mark])]));
    },
    /** @throws as `read` of signed cursors does */
    parseCursor: (argument: 'after' | 'before', cursor: string): ItemPosition =>
      toPosition(cursors.read(argument, cursor)) ?? refuseCursor(argument, cursor),
    /** `null` if it is not a valid cursor of this scope. */
    tryParse(cursor: string): ItemPosition | null {
      try {
        return toPosition(cursors.read('after', cursor));
      } catch {
        return null;
      }
    },
  };
}

/** `null` if the node sent a digest or a sequence number that it cannot look up. */
function toPosition(text: string): ItemPosition | null {
  const { data } = positionShape.safeParse(JSON.parse(text));
  if (!data) return null;
  const [txDigest, eventSeq, timestampMs, mark] = data;
  return { key: toItemKey({ txDigest, eventSeq }), timestampMs, mark };
}

export interface LiveCursorScope {
  readonly field: string;
  /** The same text for filters that mean the same. */
  readonly filter: string;
  /** Is it a key that a node can look up? */
  readonly isKey: (key: string) => boolean;
  /** Queries of the same items: a stream may continue at their cursors. */
  readonly queries: readonly CursorScope[];
}

/** Makes and reads the cursors of the streams of one field with one filter. */
export function createLiveCursors({ field, filter, isKey, queries }: LiveCursorScope, keys: CursorKeys) {
  const cursors = createSignedCursors(`${field}\n${filter}`, keys);
  return {
    toCursor({ last, from }: ResumePoint): string {
      const isLate = from?.key !== last?.key;
      const text: PointText = [last?.key ?? '', last?.timestampMs ?? null];
      if (isLate || from?.mark) text.push(isLate ? (from?.key ?? '') : null, from?.timestampMs ?? null);
      if (from?.mark) text.push(from.mark);
      return cursors.write(JSON.stringify(text));
    },
    toPoint,
    /** Where a stream begins; `null` = now. The cursor that the client's transport kept is newer than that of the operation. */
    toBeginning(after: string | null | undefined, kept: Pick<StreamSlot, 'after'> | undefined): ResumePoint | null {
      if (kept?.after != null) return toPoint('Last-Event-ID', kept.after);
      return after == null ? null : toPoint('after', after);
    },
  };

  function toPoint(argument: string, cursor: string): ResumePoint {
    for (const query of queries) {
      const position = createCursorCodec(query, keys).tryParse(cursor);
      if (position) return resumeAt(position);
    }
    const text = cursors.read(argument, cursor);
    return readPoint(JSON.parse(text), isKey) ?? refuseCursor(argument, cursor);
  }
}

/** The item that was delivered last, the one to read on behind where it is another, and its mark. */
type PointText = [string, number | null, (string | null)?, (number | null)?, string?];

/** `null` if the node sent keys that it cannot look up. The text is signed, so its shape is known. */
function readPoint(
  [key, time, fromKey = null, fromTime = null, mark]: PointText,
  isKey: LiveCursorScope['isKey'],
): ResumePoint | null {
  const isNamed = (name: string) => name === '' || isKey(name);
  if (!isNamed(key) || !isNamed(fromKey ?? '')) return null;
  if (fromKey === null) return resumeAt(toItemPosition(key, time, mark));
  return { last: toItemPosition(key, time), from: toItemPosition(fromKey, fromTime, mark) };
}

function toItemPosition(key: string, timestampMs: number | null, mark?: string): ItemPosition | null {
  return key === '' && mark === undefined ? null : { key, timestampMs, mark };
}

/** Digest and sequence number of an event. */
export function isEventKey(key: string): boolean {
  const [digest = '', number = '', ...rest] = key.split(':');
  return isDigest(digest) && isU64Text(number) && rest.length === 0;
}
