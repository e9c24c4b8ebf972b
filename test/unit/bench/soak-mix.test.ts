import { expect, test } from 'vitest';
import { createLedgerAnswers } from '../../bench/load/ledger-answers.ts';
import { createWorks } from '../../bench/load/works.ts';
import { requestsUntilAllSeen, soakWeights, toSchedule } from '../../bench/soak/soak-mix.ts';

test('the load has a part of every work there is', () => {
  const works = createWorks(createLedgerAnswers(process.cwd())).map(({ id }) => id);
  expect(Object.keys(soakWeights).sort()).toEqual([...works].sort());
});

test('each work has as many turns as it weighs, spread over the round', () => {
  const schedule = toSchedule({ often: 6, now: 3, rarely: 1 });
  expect(schedule).toHaveLength(10);
  expect(schedule.filter((id) => id === 'often')).toHaveLength(6);
  expect(schedule.filter((id) => id === 'now')).toHaveLength(3);
  expect(schedule.filter((id) => id === 'rarely')).toHaveLength(1);
  expect(schedule.join(' ')).not.toMatch(/often often often|now now/);
});

test('all variants have been seen when the slowest work has been through its own', () => {
  const weights = { often: 8, rarely: 2 };
  expect(requestsUntilAllSeen(weights, { often: 5, rarely: 5 })).toBe(30);
  expect(requestsUntilAllSeen(weights, { often: 50, rarely: 1 })).toBe(70);
  const round = toSchedule(weights);
  expect([...round, ...round, ...round].filter((id) => id === 'rarely').length).toBeGreaterThanOrEqual(5);
});
