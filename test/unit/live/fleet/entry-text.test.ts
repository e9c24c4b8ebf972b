import { describe, expect, it } from 'vitest';
import { readEntry, writeNews, writeOpening } from '../../../../src/live/fleet/entry-text.ts';
import type { FeedNews } from '../../../../src/live/timeline.ts';

const same = (text: string) => text;
const place = (key: string) => ({ key, timestampMs: 7 });
const next = (key: string, item = key): FeedNews<string> => {
  const at = { place: place(key), from: place(key) };
  return { kind: 'item', entry: { ...place(key), item, bytes: 10 }, at };
};
const late = (key: string, from: string): FeedNews<string> => {
  const at = { place: place(key), from: place(from) };
  return { kind: 'item', entry: { ...place(key), item: key, bytes: 10 }, at };
};

describe('an entry', () => {
  it('tells news, the places before and behind them, and nothing of where streams go on', () => {
    const [entry, ...others] = writeNews(place('a'), [next('b'), late('l', 'b')], null, same);
    expect(others).toEqual([]);
    expect(entry).toEqual({
      text: '{"base":["a",7],"front":["b",7],"news":[["next","b",7,10,"b"],["late","l",7,10,"l"]]}',
      front: place('b'),
    });
    expect(readEntry(entry?.text ?? '', same)).toEqual({
      base: place('a'),
      front: place('b'),
      news: [
        { kind: 'next', entry: { ...place('b'), item: 'b', bytes: 10 } },
        { kind: 'late', entry: { ...place('l'), item: 'l', bytes: 10 } },
      ],
      recent: null,
    });
  });

  it('tells a gap, and the places behind one whose end is not known', () => {
    const gap = { kind: 'gap', after: { place: place('a'), from: place('a') }, before: null, reason: 'gone' } as const;
    const [entry] = writeNews<string>(place('a'), [gap], [null, place('z')], same);
    expect(entry?.front).toEqual(place('z'));
    expect(readEntry(entry?.text ?? '', same)).toEqual({
      base: place('a'),
      front: place('z'),
      news: [{ kind: 'gap', after: place('a'), before: null, reason: 'gone' }],
      recent: [null, place('z')],
    });
  });

  it('begins a lead with the newest places, if any are known', () => {
    expect(writeOpening([])).toEqual({ text: '{}', front: undefined });
    expect(writeOpening([null])).toEqual({ text: '{"base":null,"front":null,"recent":[null]}', front: null });
    expect(writeOpening([place('a'), place('b')]).front).toEqual(place('b'));
  });

  it('is one of several where there is much, each of them behind the one before', () => {
    const items = ['b', 'c', 'd', 'e'].map((key) => next(key, 'x'.repeat(200_000)));
    const entries = writeNews(place('a'), items, null, same).map(({ text }) => readEntry(text, same));
    expect(entries.map((entry) => [entry?.base?.key, entry?.front?.key])).toEqual([
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'd'],
      ['d', 'e'],
    ]);
  });

  it('names an item that is too long, so that each reads it for itself', () => {
    const [entry] = writeNews(place('a'), [next('b', 'x'.repeat(1_048_577))], null, same);
    expect(readEntry(entry?.text ?? '', same)?.news).toEqual([{ kind: 'long', key: 'b' }]);
    expect(entry?.front).toEqual(place('b'));
  });

  it.each([
    '',
    'null',
    '[]{',
    '{"news":[["of a later version"]]}',
    '{"news":[["gap",null,null,"x"]]}',
    '{"news":7}',
    '{"news":[["next",5,1,10,"x"]]}',
    '{"news":[["next","k","soon",10,"x"]]}',
    '{"news":[["late","k",1,"10","x"]]}',
    '{"news":[["long",null]]}',
    '{"front":5}',
    '{"front":[["a"],1]}',
    '{"recent":["a"]}',
  ])('that says %j is none', (text) => {
    expect(readEntry(text, same)).toBeNull();
  });
});
