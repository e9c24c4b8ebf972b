import { expect, it } from 'vitest';
import { createLedgerStreams, type LedgerStream } from '../../../src/ledger/ledger-streams.ts';
import { createStreamQuota } from '../../../src/live/stream-quota.ts';
import { next } from '../../support/pushed-items.ts';
import { startPushingLedger } from '../../support/pushing-ledger.ts';
import { until } from '../../support/until.ts';

const places = createStreamQuota({ max: 1_000, maxPerCaller: 1_000 });
const request = { isClientsText: true, operationName: null, variables: {} };
const text = 'subscription { events { ... on MoveThing { json } } }';

it('separates subscriptions after a result of one broke their connection', async () => {
  await using ledger = await startPushingLedger();
  const url = ledger.url.replace('http', 'ws');
  const streams = createLedgerStreams({ urls: [url], places, graceMs: 10, socket: { maxMessageBytes: 10_000 } });
  const open = (caller: string) => streams.open({ ...request, text, caller });
  const [one, other] = [open('one'), open('other')];
  await until(() => ledger.following === 2, 'two followers');
  expect(ledger.sockets.size).toBe(1);
  ledger.tell({ emittingModule: 'a', json: 'x'.repeat(20_000) });
  await expect(next(one)).rejects.toMatchObject({ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } });
  await expect(next(other)).rejects.toMatchObject({ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } });
  await until(() => ledger.sockets.size === 0, 'the end of the connection');
  const again = [open('one'), open('other'), open('a third'), open('a fourth')];
  await until(() => ledger.following === 4, 'four followers');
  expect(ledger.sockets.size).toBe(3);
  streams.stop();
  for (const each of again) await expect(next(each)).rejects.toMatchObject({ extensions: { code: 'UNAVAILABLE' } });
});

it('ends a stream that is not read and keeps those that are, however much waits in the former', async () => {
  await using ledger = await startPushingLedger();
  const streams = createLedgerStreams({ urls: [ledger.url.replace('http', 'ws')], places, graceMs: 10 });
  const open = (asked: string) => streams.open({ ...request, text: asked, caller: 'somebody' });
  const unread = Array.from({ length: 140 }, () => open(text));
  const read = open('subscription { events { __typename } }');
  await until(() => ledger.following === 141, 'all to follow');
  const told: unknown[] = [];
  for (let each = 0; each < 4; each += 1) {
    const result = next(read);
    ledger.tell({ emittingModule: 'a', json: 'x'.repeat(100_000) });
    told.push((await result).value);
  }
  expect(told).toEqual(Array.from({ length: 4 }, () => ({ data: { events: { __typename: 'MoveThing' } } })));
  const [first] = unread;
  const results: unknown[] = [];
  const readAll = async () => {
    for (let step = await next(first as LedgerStream); !step.done; step = await next(first as LedgerStream))
      results.push(step.value);
  };
  await expect(readAll()).rejects.toMatchObject({ extensions: { code: 'UNAVAILABLE', upstream: 'ledger' } });
  expect(results.length).toBeLessThan(4);
  streams.stop();
});
