import { expect, test } from 'vitest';
import { createCheckpointTimes } from '../../../src/events/time-range-source.ts';
import type { LedgerRequest } from '../../../src/ledger/ledger-executor.ts';
import { NetworkInForce } from '../../../src/upstream/network-in-force.ts';

/** A ledger with a checkpoint every 250 ms; the oldest ones are dropped. */
function createLedger(newest: number, oldestKept = 0) {
  const ledger = {
    requests: 0,
    newest,
    startMs: 1_000_000,
    lagOf: (_request: number) => 0,
    chain: 'a',
    onRequest() {},
  };
  const newestNow = () => ledger.newest - ledger.lagOf(ledger.requests);
  const at = (number: number) =>
    number < oldestKept || number > newestNow()
      ? null
      : { sequenceNumber: number, timestamp: new Date(ledger.startMs + number * 250).toISOString() };
  const execute = async ({ document }: LedgerRequest) => {
    ledger.requests += 1;
    ledger.onRequest();
    const text = typeof document === 'string' ? document : '';
    const asked = [...text.matchAll(/c(\d+):checkpoint\(id:\{sequenceNumber:(\d+)\}\)/g)];
    return {
      data: {
        chain: ledger.chain,
        newest: at(newestNow()),
        ...Object.fromEntries(asked.map(([, n]) => [`c${n}`, at(Number(n))])),
      },
    };
  };
  const checkpoint = { field: 'checkpoint', argument: 'id:{sequenceNumber:$}' };
  const inForce = new NetworkInForce();
  const history = { checkpoint, pruned: { codes: [], texts: [] } };
  return { ledger, inForce, times: createCheckpointTimes(execute, history, (report) => inForce.report(report)) };
}

test('a range is found among 300 million checkpoints with 9 requests, and again with one', async () => {
  const { ledger, times } = createLedger(300_000_000);
  const range = { startMs: 1_000_000 + 250 * 123_456_789 - 100, endMs: 1_000_000 + 250 * 200_000_000 };
  expect(await times.find(range, undefined)).toEqual({ first: 123_456_789, end: 200_000_001, before: 123_456_788 });
  expect(ledger.requests).toBeLessThanOrEqual(9);
  const before = ledger.requests;
  expect(await times.find(range, undefined)).toEqual({ first: 123_456_789, end: 200_000_001, before: 123_456_788 });
  expect(ledger.requests).toBe(before + 1);
});

test.each([
  ['every checkpoint', { startMs: 0, endMs: 9_000_000 }, { first: 0, end: null, before: null }],
  ['the time of one checkpoint', { startMs: 1_000_500, endMs: 1_000_500 }, { first: 2, end: 3, before: 1 }],
  ['a time between two', { startMs: 1_000_501, endMs: 1_000_502 }, { first: 3, end: 3, before: 2 }],
  ['a time before all', { startMs: 0, endMs: 5 }, { first: 0, end: 0, before: null }],
  ['the newest', { startMs: 1_025_000, endMs: 1_025_000 }, { first: 100, end: null, before: 99 }],
  ['the future', { startMs: 1_025_001, endMs: 2_000_000 }, null],
])('%s', async (_, range, found) => {
  expect(await createLedger(100).times.find(range, undefined)).toEqual(found);
});

test('checkpoints that the ledger has dropped lie before every range', async () => {
  const { times } = createLedger(1_000, 900);
  expect(await times.find({ startMs: 0, endMs: 1_000_000 + 250 * 950 }, undefined)).toEqual({
    first: 900,
    end: 951,
    before: null,
  });
});

test('a range that lasts is closed once a newer checkpoint is there', async () => {
  const { ledger, times } = createLedger(10);
  const range = { startMs: 1_000_000 + 2_000, endMs: 1_000_000 + 2_750 };
  expect(await times.find(range, undefined)).toEqual({ first: 8, end: null, before: 7 });
  ledger.newest = 20;
  expect(await times.find(range, undefined)).toEqual({ first: 8, end: 12, before: 7 });
});

test('a checkpoint that a node does not have yet is not taken for one that was dropped', async () => {
  const { ledger, times } = createLedger(1_000);
  // Every second answer is that of a node that lags.
  ledger.lagOf = (request) => (request % 2 === 0 ? 600 : 0);
  const range = { startMs: 1_000_000 + 250 * 700, endMs: 1_000_000 + 250 * 800 };
  expect(await times.find(range, undefined)).toEqual({ first: 700, end: 801, before: 699 });
});

test('times of another network are forgotten', async () => {
  const { ledger, times } = createLedger(1_000);
  const range = { startMs: 1_000_000 + 250 * 700, endMs: 1_000_000 + 250 * 800 };
  await times.find(range, undefined);
  ledger.chain = 'b';
  ledger.newest = 500;
  expect(await times.find(range, undefined)).toBeNull();
  ledger.newest = 750;
  expect(await times.find(range, undefined)).toEqual({ first: 700, end: null, before: 699 });
});

test('times from before a reset of the same network are forgotten', async () => {
  const { ledger, inForce, times } = createLedger(10_000);
  const range = { startMs: 1_000_000 + 250 * 9_700, endMs: 1_000_000 + 250 * 9_800 };
  await times.find(range, undefined);
  Object.assign(ledger, { newest: 1_000, startMs: 1_000_000 + 250 * 9_600 });
  expect(await times.find(range, undefined)).toEqual({ first: 100, end: 201, before: 99 });
  expect(inForce.era).toBe(1);
});

test('times are forgotten when others notice the reset first', async () => {
  const { ledger, inForce, times } = createLedger(1_000);
  const range = { startMs: 1_000_000 + 250 * 700, endMs: 1_000_000 + 250 * 800 };
  await times.find(range, undefined);
  ledger.startMs = 1_000_000 + 250 * 600;
  inForce.report({ network: 'a', newest: 50_000, newestMs: 1_000_000 + 250 * 50_000 });
  inForce.report({ network: 'a', newest: 900, newestMs: 1_000_000 + 250 * 50_600 });
  expect(await times.find(range, undefined)).toEqual({ first: 100, end: 201, before: 99 });
});

test('a range that is being searched for during a reset is that of the new network', async () => {
  const { ledger, times } = createLedger(10_000);
  ledger.onRequest = () => {
    if (ledger.requests === 3) Object.assign(ledger, { newest: 1_000, startMs: 1_000_000 + 250 * 9_600 });
  };
  const range = { startMs: 1_000_000 + 250 * 9_700, endMs: 1_000_000 + 250 * 9_800 };
  expect(await times.find(range, undefined)).toEqual({ first: 100, end: 201, before: 99 });
});
