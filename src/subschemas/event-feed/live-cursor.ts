import type { CursorKeys } from '../../cursors/cursor-keys.ts';
import { createSignedCursors, refuseCursor } from '../../cursors/signed-cursor.ts';
import { isDigest, isU64Text } from '../../ledger-values/check-argument.ts';
import { type Place, type ResumePoint, resumeAt } from '../../live/live-source.ts';

/** Makes and reads the cursors of the streams of one field with one filter. */
export interface LiveCursors {
  toCursor(point: ResumePoint): string;
  /** @throws `BAD_USER_INPUT` if it is malformed, of another filter, or made up */
  toPoint(argument: string, cursor: string): ResumePoint;
}

/** @param filter the key of its normal form */
export function createLiveCursors(field: string, filter: string, keys: CursorKeys): LiveCursors {
  const cursors = createSignedCursors(`${field}\n${filter}`, keys);
  return {
    toCursor({ place, from }) {
      const own = [place?.key ?? '', place?.timestampMs ?? null];
      return cursors.write(
        JSON.stringify(from?.key === place?.key ? own : [...own, from?.key ?? '', from?.timestampMs]),
      );
    },
    toPoint(argument, cursor) {
      const text = cursors.read(argument, cursor);
      return readPoint(JSON.parse(text)) ?? refuseCursor(argument, cursor);
    },
  };
}

/** `null` if the node sent names that it cannot be asked for again. The text is signed, so the shape is ours. */
function readPoint([key, time, fromKey, fromTime]: [
  string,
  number | null,
  string?,
  (number | null)?,
]): ResumePoint | null {
  const place = readPlace(key, time);
  if (fromKey === undefined) return place === undefined ? null : resumeAt(place);
  const from = readPlace(fromKey, fromTime ?? null);
  return place === undefined || from === undefined ? null : { place, from };
}

/** `undefined` if it is none. */
function readPlace(key: string, timestampMs: number | null): Place | null | undefined {
  if (key === '') return null;
  const [digest = '', number = '', ...rest] = key.split(':');
  return isDigest(digest) && isU64Text(number) && rest.length === 0 ? { key, timestampMs } : undefined;
}
