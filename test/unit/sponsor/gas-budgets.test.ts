import { expect, test } from 'vitest';
import { anonymousPolicy, noShares } from '../../../src/config/policy.ts';
import { toGasBudgets, watchGasBudgets } from '../../../src/sponsor/gas-budgets.ts';
import { toHolds } from '../../../src/sponsor/sponsor-policy.ts';
import { createMemoryStore } from '../../../src/sponsor/store/memory-store.ts';
import { newFlow, noon } from '../../support/sponsorship-flow.ts';
import { toClientsFile, toTestClient, toTestPolicy, toTestRules } from '../../support/test-policy.ts';
import { until } from '../../support/until.ts';

const perDay = (gas: number) => toTestRules({ gas: { perDay: gas } });
const policies = [anonymousPolicy, 'partners'].map((id) => ({ ...noShares, id, policy: perDay(50) }));
const clients = { ...toClientsFile(toTestClient({ id: 'page', policy: perDay(200) }), toTestClient()), policies };
const jwt = { gasPerDayInAll: 1_000 } as never;
const configOf = (auth: 'token' | 'forward', issuer: typeof jwt | null) =>
  ({ clients, jwt: issuer, sponsorship: { auth } }) as never;

test('the budgets in force are those of clients, of anonymous callers, and of tokens where they are taken', () => {
  const namesOf = (...config: Parameters<typeof configOf>) =>
    toGasBudgets(configOf(...config)).map(({ client }) => client);
  expect(namesOf('token', null)).toEqual(['client:page', 'anonymous']);
  expect(namesOf('token', jwt)).toEqual(['jwt', 'client:page', 'anonymous', 'jwt-policy:partners']);
  expect(namesOf('forward', jwt)).toEqual([]);
});

test('the used part of a budget is what visitors hold and have spent, of the day', async () => {
  const store = createMemoryStore();
  let nowMs = noon;
  const watched = watchGasBudgets({ config: configOf('token', null), store, now: () => nowMs, everyMs: 5 });
  const holds = toHolds(
    { visitor: 'client:page v', policy: toTestPolicy({ gas: { perDay: 200 } }, 'client:page') },
    150,
    null,
    noon,
    null,
  );
  const { reservation, reservationEnd, execution, executionEnd } = newFlow();
  await store.beginReservation(reservation({ holds }));
  await store.endReservation(reservationEnd({ kind: 'reserved', answer: 'coins' }));
  await until(() => watched.shareOf(0) === 0.75, 'what is held');
  expect([watched.shareOf(1), watched.shareOf(2)]).toEqual([0, Number.NaN]);
  await store.beginExecution(execution());
  await store.endExecution(executionEnd({ kind: 'executed', gasUsed: 20 }));
  await until(() => watched.shareOf(0) === 0.1, 'what is spent');
  nowMs += 86_400_000;
  await until(() => watched.shareOf(0) === 0, 'another day');
  watched.stop();
});
