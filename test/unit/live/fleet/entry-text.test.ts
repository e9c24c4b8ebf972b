import { describe, expect, it } from 'vitest';
import { readEntry, readFront, writeChanges, writeOpening } from '../../../../src/live/fleet/entry-text.ts';
import type { FeedChange } from '../../../../src/live/timeline.ts';

const same = (text: string) => text;
const place = (key: string) => ({ key, timestampMs: 7 });
const next = (key: string, item = key): FeedChange<string> => {
  const at = { place: place(key), from: place(key) };
  return { kind: 'item', entry: { ...place(key), item, bytes: 10 }, at };
};
const late = (key: string, from: string): FeedChange<string> => {
  const at = { place: place(key), from: place(from) };
  return { kind: 'item', entry: { ...place(key), item: key, bytes: 10 }, at };
};

describe('an entry', () => {
  it('has news and the places before and behind it, and no resume points', () => {
    const [entry = '', ...others] = writeChanges(place('a'), [next('b'), late('l', 'b')], ['an ask'], same);
    expect(others).toEqual([]);
    expect(entry).toBe(
      '{"from":[["a",7]],"front":["b",7],"news":[["next","b",7,10,"b"],["late","l",7,10,"l"]],"answers":["an ask"]}',
    );
    expect(readFront(entry)).toEqual(place('b'));
    expect(readEntry(entry, same)).toEqual({
      from: [place('a')],
      news: [
        { kind: 'next', entry: { ...place('b'), item: 'b', bytes: 10 } },
        { kind: 'late', entry: { ...place('l'), item: 'l', bytes: 10 } },
      ],
      answers: ['an ask'],
    });
  });

  it('has a gap, and the places from which the timeline goes on', () => {
    const after = { place: place('a'), from: place('a') };
    const gap = { kind: 'gap', after, before: null, reason: 'gone', goesOnAt: [null, place('z')] } as const;
    const [entry = ''] = writeChanges<string>(place('a'), [gap], [], same);
    expect(readFront(entry)).toEqual(place('z'));
    expect(readEntry(entry, same)?.news).toEqual([{ ...gap, after: place('a') }]);
  });

  it('opens with the newest places, if any are known', () => {
    const opened = ([] as ReturnType<typeof place>[][]).concat([[]], [[place('a'), place('b')]]);
    expect(opened.map((recent) => readFront(writeOpening(recent)))).toEqual([undefined, place('b')]);
    expect(readFront(writeOpening([null]))).toBeNull();
    expect(readEntry(writeOpening([null, place('a')]), same)).toEqual({
      from: [null, place('a')],
      news: [],
      answers: [],
    });
  });

  it('is one of several where there is much, each of them behind the one before', () => {
    const items = ['b', 'c', 'd', 'e'].map((key) => next(key, 'x'.repeat(200_000)));
    const entries = writeChanges(place('a'), items, ['an ask'], same);
    expect(entries.map((entry) => [readEntry(entry, same)?.from[0]?.key, readFront(entry)?.key])).toEqual([
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'd'],
      ['d', 'e'],
    ]);
    // What was asked is only answered when all is there.
    expect(entries.map((entry) => readEntry(entry, same)?.answers.length)).toEqual([0, 0, 0, 1]);
  });

  it('answers where there is no news', () => {
    const [entry = ''] = writeChanges<string>(place('a'), [], ['an ask'], same);
    expect(readEntry(entry, same)).toEqual({ from: [place('a')], news: [], answers: ['an ask'] });
  });

  it('names an item that is too long, so that each process reads it for itself', () => {
    const [entry = ''] = writeChanges(place('a'), [next('b', 'x'.repeat(1_048_577))], [], same);
    expect(readEntry(entry, same)?.news).toEqual([{ kind: 'long', key: 'b' }]);
    expect(readFront(entry)).toEqual(place('b'));
  });

  it.each([
    '',
    'null',
    '[]{',
    '{"from":[],"answers":[]}',
    '{"from":[],"news":[]}',
    '{"from":["a"],"news":[]}',
    '{"from":[],"news":[["of a later version"]],"answers":[]}',
    '{"from":[],"news":[["gap",null,null,"x",[]]],"answers":[]}',
    '{"from":[],"news":[["gap",["a",1],null,"x"]],"answers":[]}',
    '{"from":[],"news":7,"answers":[]}',
    '{"from":[],"news":[["next",5,1,10,"x"]],"answers":[]}',
    '{"from":[],"news":[["next","k","soon",10,"x"]],"answers":[]}',
    '{"from":[],"news":[["late","k",1,"10","x"]],"answers":[]}',
    '{"from":[],"news":[["long",null]],"answers":[]}',
  ])('that says %j is none', (text) => {
    expect(readEntry(text, same)).toBeNull();
  });

  it.each(['', 'null', '{"front":5}', '{"front":[["a"],1]}', '{"from":[],"news":[]}'])('has no front in %j', (text) => {
    expect(readFront(text)).toBeUndefined();
  });
});
