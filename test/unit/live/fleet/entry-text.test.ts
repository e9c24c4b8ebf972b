import { describe, expect, it } from 'vitest';
import {
  frontOf,
  readEntry,
  writeChanges,
  writeFirstEntry,
  writeUnshared,
} from '../../../../src/live/fleet/entry-text.ts';
import type { FeedChange } from '../../../../src/live/timeline.ts';

const same = (text: string) => text;
const place = (key: string) => ({ key, timestampMs: 7 });
const next = (key: string, item = key): FeedChange<string> => {
  const at = { last: place(key), from: place(key) };
  return { kind: 'item', entry: { ...place(key), item, bytes: 10 }, at };
};
const late = (key: string, from: string): FeedChange<string> => {
  const at = { last: place(key), from: place(from) };
  return { kind: 'item', entry: { ...place(key), item: key, bytes: 10 }, at };
};

const frontIn = (text: string) => {
  const entry = readEntry(text, same);
  return entry ? frontOf(entry) : undefined;
};

describe('an entry', () => {
  it('has items and the places before and behind it, and no resume points', () => {
    const [entry = '', ...others] = writeChanges(place('a'), [next('b'), late('l', 'b')], ['an ask'], same) ?? [];
    expect(others).toEqual([]);
    expect(entry).toBe(
      '{"from":[["a",7,null]],"items":[["next","b",7,null,10,"b"],["late","l",7,null,10,"l"]],"answers":["an ask"]}',
    );
    expect(frontIn(entry)).toMatchObject(place('b'));
    expect(readEntry(entry, same)).toEqual({
      from: [place('a')],
      items: [
        { isLate: false, entry: { ...place('b'), item: 'b', bytes: 10 } },
        { isLate: true, entry: { ...place('l'), item: 'l', bytes: 10 } },
      ],
      answers: ['an ask'],
    });
  });

  it('has no gap and no item that is too long: each process reads them for itself', () => {
    const after = { last: place('a'), from: place('a') };
    const gap = { kind: 'gap', after, before: null, reason: 'gone' } as const;
    expect(writeChanges<string>(place('a'), [next('b'), gap], [], same)).toBeNull();
    expect(writeChanges(place('a'), [next('b', 'x'.repeat(1_048_577))], [], same)).toBeNull();
    const [unreadable = '', resume = ''] = writeUnshared(place('b'), ['an ask']);
    expect(readEntry(unreadable, same)).toBeNull();
    expect(readEntry(resume, same)).toEqual({ from: [place('b')], items: [], answers: ['an ask'] });
    expect(frontIn(resume)).toEqual(place('b'));
  });

  it('opens with the newest places, if any are known', () => {
    const opened = ([] as ReturnType<typeof place>[][]).concat([[]], [[place('a'), place('b')]]);
    expect(opened.map((recent) => frontIn(writeFirstEntry(recent)))).toEqual([undefined, place('b')]);
    expect(frontIn(writeFirstEntry([null]))).toBeNull();
    expect(readEntry(writeFirstEntry([null, place('a')]), same)).toEqual({
      from: [null, place('a')],
      items: [],
      answers: [],
    });
  });

  it('is one of several where there is much, each of them behind the one before', () => {
    const items = ['b', 'c', 'd', 'e'].map((key) => next(key, 'x'.repeat(200_000)));
    const entries = writeChanges(place('a'), items, ['an ask'], same) ?? [];
    expect(entries.map((entry) => [readEntry(entry, same)?.from[0]?.key, frontIn(entry)?.key])).toEqual([
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'd'],
      ['d', 'e'],
    ]);
    // What was asked is only answered when all is there.
    expect(entries.map((entry) => readEntry(entry, same)?.answers.length)).toEqual([0, 0, 0, 1]);
  });

  it('names the newest position before it, whichever late items precede it', () => {
    const changes = ['b', 'late', 'c', 'later', 'd'].map((key) => {
      const isLate = key.startsWith('late');
      const change = isLate ? late(key, 'b') : next(key);
      // Each fills an entry.
      return {
        ...change,
        entry: { ...(change as { entry: object }).entry, item: 'x'.repeat(200_000) },
      } as typeof change;
    });
    const entries = writeChanges(place('a'), changes, [], same) ?? [];
    expect(entries.map((entry) => readEntry(entry, same)?.from)).toEqual(
      ['a', 'b', 'b', 'c', 'c'].map((key) => [place(key)]),
    );
    expect(entries.map((entry) => frontIn(entry)?.key)).toEqual(['b', 'b', 'c', 'c', 'd']);
  });

  it.each([
    ['one entry', [131_072, 131_072], 1],
    ['two entries above 256 KiB', [131_072, 131_073], 2],
    ['one entry, if a single item is as long as it may be', [1_048_576], 1],
  ])('takes up to 256 KiB: %s', (_, lengths, count) => {
    const changes = lengths.map((length, index) => next(`b${index}`, 'x'.repeat(length)));
    expect(writeChanges(place('a'), changes, [], same)).toHaveLength(count);
  });

  it('answers where there is no news', () => {
    const [entry = ''] = writeChanges<string>(place('a'), [], ['an ask'], same) ?? [];
    expect(readEntry(entry, same)).toEqual({ from: [place('a')], items: [], answers: ['an ask'] });
  });

  it.each([
    '',
    'null',
    '[]{',
    '{"from":[],"answers":[]}',
    '{"from":[],"items":[]}',
    '{"from":["a"],"items":[],"answers":[]}',
    '{"from":[["a"]],"items":[],"answers":[]}',
    '{"from":[],"items":[["of a later version"]],"answers":[]}',
    '{"from":[],"items":[["gap","k",1,10,"x"]],"answers":[]}',
    '{"from":[],"items":7,"answers":[]}',
    '{"from":[],"items":[["next",5,1,10,"x"]],"answers":[]}',
    '{"from":[],"items":[["next","k","soon",10,"x"]],"answers":[]}',
    '{"from":[],"items":[["late","k",1,"10","x"]],"answers":[]}',
  ])('that says %j is none', (text) => {
    expect(readEntry(text, same)).toBeNull();
  });
});
