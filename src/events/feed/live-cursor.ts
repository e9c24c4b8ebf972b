import { isDigest, isU64Text } from '../../ledger/values/check-argument.ts';
import { type ItemPosition, type ResumePoint, resumeAt } from '../../live/live-source.ts';
import type { StreamSlot } from '../../upstream/operation-context.ts';
import type { CursorKeys } from '../cursor-keys.ts';
import { type CursorScope, createCursorCodec, createSignedCursors, refuseCursor } from '../signed-cursor.ts';
import { toPositionKey } from '../source.ts';

/** Makes and reads the cursors of the streams of one field with one filter. */
export interface LiveCursors {
  toCursor(point: ResumePoint): string;
  /** @throws `BAD_USER_INPUT` if it is malformed or of another filter; `CURSOR_KEY_UNKNOWN` if its key is not in force */
  toPoint(argument: string, cursor: string): ResumePoint;
  /**
   * Where a stream begins; `null` = now. The cursor that the client's transport kept has priority: it is newer than the one in the
   * operation.
   */
  toBeginning(after: string | null | undefined, kept: Pick<StreamSlot, 'after'> | undefined): ResumePoint | null;
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

export function createLiveCursors({ field, filter, isKey, queries }: LiveCursorScope, keys: CursorKeys): LiveCursors {
  const cursors = createSignedCursors(`${field}\n${filter}`, keys);
  return {
    toCursor({ last, from }) {
      const own = [last?.key ?? '', last?.timestampMs ?? null];
      return cursors.write(
        JSON.stringify(from?.key === last?.key ? own : [...own, from?.key ?? '', from?.timestampMs]),
      );
    },
    toPoint,
    toBeginning(after, kept) {
      if (kept?.after != null) return toPoint('Last-Event-ID', kept.after);
      return after == null ? null : toPoint('after', after);
    },
  };

  function toPoint(argument: string, cursor: string): ResumePoint {
    for (const query of queries) {
      const position = createCursorCodec(query, keys).tryParse(cursor);
      if (position) return resumeAt({ key: toPositionKey(position), timestampMs: position.timestampMs });
    }
    const text = cursors.read(argument, cursor);
    return readPoint(JSON.parse(text), isKey) ?? refuseCursor(argument, cursor);
  }
}

type PointText = [string, number | null, string?, (number | null)?];

/** `null` if the node sent keys that it cannot look up. The text is signed, so its shape is known. */
function readPoint([key, time, fromKey, fromTime]: PointText, isKey: LiveCursorScope['isKey']): ResumePoint | null {
  const isNamed = (name: string) => name === '' || isKey(name);
  if (!isNamed(key) || !isNamed(fromKey ?? '')) return null;
  const last = toItemPosition(key, time);
  return fromKey === undefined ? resumeAt(last) : { last, from: toItemPosition(fromKey, fromTime ?? null) };
}

function toItemPosition(key: string, timestampMs: number | null): ItemPosition | null {
  return key === '' ? null : { key, timestampMs };
}

/** Digest and sequence number of an event. */
export function isEventKey(key: string): boolean {
  const [digest = '', number = '', ...rest] = key.split(':');
  return isDigest(digest) && isU64Text(number) && rest.length === 0;
}
