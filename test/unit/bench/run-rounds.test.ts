import { expect, test } from 'vitest';
import type { Contestant } from '../../bench/load/contestants.ts';
import { takeTurns } from '../../bench/load/run-rounds.ts';
import type { Slice } from '../../bench/load/summarise.ts';

const contestant = (name: string, everyRounds = 1) => ({ name, everyRounds }) as Contestant;
const slice = { requests: 1 } as Slice;

test('each round begins with another contestant', async () => {
  const order: string[] = [];
  await takeTurns([contestant('a'), contestant('b'), contestant('c')], 3, ({ name }, round) => {
    order.push(`${round}${name}`);
    return Promise.resolve(slice);
  });
  expect(order.join(' ')).toBe('0a 0b 0c 1b 1c 1a 2c 2a 2b');
});

test('who is slow takes part in some rounds only, and who failed in none', async () => {
  const [floor, slow, failed] = [contestant('floor'), contestant('slow', 4), contestant('failed')];
  const taken = await takeTurns([floor, slow, failed], 9, (each) => Promise.resolve(each === failed ? null : slice));
  expect([...(taken.get(floor)?.keys() ?? [])].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect([...(taken.get(slow)?.keys() ?? [])]).toEqual([0, 4, 8]);
  expect(taken.get(failed)?.size).toBe(0);
});
