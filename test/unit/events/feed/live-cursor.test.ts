import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../src/config/secret.ts';
import { createCursorKeys, createLiveCursors, isEventKey } from '../../../../src/events/signed-cursor.ts';
import { resumeAt } from '../../../../src/live/live-source.ts';

const keys = createCursorKeys(new Secret('the key of cursors in tests'));
const cursorsOf = (field: string, filter: string) =>
  createLiveCursors({ field, filter, isKey: isEventKey, queries: [] }, keys);
const digest = '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi';
const place = { key: `${digest}:0`, timestampMs: 1_800_000_000_000 };
const other = { key: `${digest}:18446744073709551615`, timestampMs: null };

describe('a cursor of a stream', () => {
  const cursors = cursorsOf('liveEvents', 'filter');

  it.each([
    ['behind an item', resumeAt(place)],
    ['behind one whose time the node does not tell', resumeAt(other)],
    ['before the first item of all', resumeAt(null)],
    ['behind one that came late', { last: place, from: other }],
    ['behind one that came late, before the first of all', { last: place, from: null }],
  ])('says where to go on: %s', (_, point) => {
    expect(cursors.toPoint('after', cursors.toCursor(point))).toEqual(point);
  });

  it('is good for one field and one filter alone, and for nobody with a letter changed', () => {
    const cursor = cursors.toCursor(resumeAt(place));
    for (const stranger of [cursorsOf('liveEvents', 'another'), cursorsOf('other', 'filter')])
      expect(() => stranger.toPoint('after', cursor)).toThrow('taken from different checkpoints');
    for (let at = 0; at < cursor.length; at += 7) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
      expect(() => cursors.toPoint('after', changed)).toThrow();
    }
    expect(() => cursors.toPoint('after', '')).toThrow('must be a cursor from an earlier answer of the same field');
  });

  it('that a transport kept counts before that of the operation, which an event source repeats', () => {
    const [given, kept] = [cursors.toCursor(resumeAt(other)), cursors.toCursor(resumeAt(place))];
    expect(cursors.toBeginning(given, { after: kept })).toEqual(resumeAt(place));
    expect(cursors.toBeginning(given, { after: null })).toEqual(resumeAt(other));
    expect(cursors.toBeginning(null, undefined)).toBeNull();
  });

  it('is refused where a node named its item so that it cannot be asked for again', () => {
    for (const key of ['no digest:0', `${digest}:x`, `${digest}:0:0`, digest]) {
      const cursor = cursors.toCursor(resumeAt({ key, timestampMs: 1 }));
      expect(() => cursors.toPoint('after', cursor)).toThrow('must be a cursor');
    }
  });
});
