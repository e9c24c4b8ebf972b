import { expect, test } from 'vitest';
import { RedisRecords } from '../../../../src/sponsor/redis-store/redis-records.ts';
import { portion } from '../../../../src/sponsor/store/draft.ts';

/** The first portion of a set that has more members. */
const members = Array.from({ length: portion }, (_, index) => ({ member: `m${index}`, score: index }));

test('a member behind the portion that was read is not taken for the next one: others may be between', () => {
  const records = new RedisRecords();
  records.loadSet('holds:a', members);
  records.apply([
    { kind: 'add', set: 'holds:a', member: 'late', score: portion + 100 },
    { kind: 'remove', set: 'holds:a', member: 'm0' },
  ]);
  expect(records.first('holds:a')).toEqual(members.slice(1));
  records.apply([{ kind: 'add', set: 'holds:a', member: 'soon', score: 0.5 }]);
  expect(records.first('holds:a').map(({ member }) => member)).toEqual([
    'soon',
    ...members.slice(1).map((m) => m.member),
  ]);
  expect(records.wanted).toEqual([]);
});

test('the score of a member that is not in the portion is asked for, unless the portion is the whole set', () => {
  const records = new RedisRecords();
  records.loadSet('holds:a', members);
  records.loadSet('holds:b', members.slice(1));
  expect(records.score('holds:a', 'm3')).toBe(3);
  expect(records.score('holds:b', 'other')).toBeNull();
  expect(records.wanted).toEqual([]);
  expect(records.score('holds:a', 'other')).toBeNull();
  expect(records.wanted).toEqual([{ about: 'score', name: 'holds:a', member: 'other' }]);
  records.restart();
  records.loadScore('holds:a', 'other', 500);
  expect(records.score('holds:a', 'other')).toBe(500);
  expect(records.wanted).toEqual([]);
});
