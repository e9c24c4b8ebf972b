import { afterEach, expect, test, vi } from 'vitest';
import type { Client } from '../../../../src/config/client.ts';
import type { ReloadedLists } from '../../../../src/start/watch-lists.ts';
import { followPrimary } from '../../../../src/start/workers/follow-primary.ts';
import type { Beginning, FromWorker, ToWorker } from '../../../../src/start/workers/worker-messages.ts';
import { toClientsFile } from '../../../support/test-policy.ts';

const beginning: Beginning = {
  shared: { workers: 2, network: null, secret: 's' },
  port: 4000,
  files: {},
  cursorKeys: null,
  heartbeatMs: 1_000_000,
};
afterEach(() => void vi.useRealTimers());

const clientOf = (id: string) => ({ id }) as Client;
const document = { id: 'a', name: null, text: '{ a }' };

/** A worker's side of the channel, and what the other side says. */
function start() {
  const sent: FromWorker[] = [];
  let say: (message: ToWorker) => void = () => {};
  const orders = followPrimary({
    send: async (message) => void sent.push(message),
    onMessage: (hear) => {
      say = hear;
    },
  });
  return { orders, sent, say: (message: ToWorker) => say(message) };
}

test('a worker serves the lists that were sent to it while it was starting', () => {
  const { orders, say } = start();
  say({ kind: 'begin', beginning });
  say({ kind: 'lists', lists: { clients: toClientsFile(clientOf('removed')) } });
  say({ kind: 'lists', lists: { documents: [document] } });
  say({ kind: 'lists', lists: { clients: toClientsFile(clientOf('early')) } });
  const adopted: ReloadedLists[] = [];
  orders.siblingsOf(beginning).onLists((lists) => adopted.push(lists));
  expect(adopted).toEqual([{ clients: toClientsFile(clientOf('early')), documents: [document] }]);
  say({ kind: 'lists', lists: { clients: toClientsFile(clientOf('late')) } });
  expect(adopted.slice(1)).toEqual([{ clients: toClientsFile(clientOf('late')) }]);
  say({ kind: 'stop', drainMs: 0 });
});

test('a worker that receives no lists keeps those of its configuration', () => {
  const { orders, say } = start();
  say({ kind: 'begin', beginning });
  const adopted: ReloadedLists[] = [];
  orders.siblingsOf(beginning).onLists((lists) => adopted.push(lists));
  expect(adopted).toEqual([{}]);
  say({ kind: 'stop', drainMs: 0 });
});

test('a worker knows the number of workers, polls when asked, and reports the result', async () => {
  const { orders, sent, say } = start();
  say({ kind: 'begin', beginning });
  expect(await orders.beginning).toBe(beginning);
  const siblings = orders.siblingsOf(beginning);
  say({ kind: 'serving', count: 2 });
  expect(siblings.serving()).toBe(2);
  let looks = 0;
  say({ kind: 'check schema' });
  siblings.onSchemaCheck(() => {
    looks += 1;
  });
  say({ kind: 'check schema' });
  expect(looks).toBe(1);
  siblings.schemaReplaced('new');
  expect(sent).toEqual([{ kind: 'hello' }, { kind: 'schema replaced', schema: 'new' }]);
  say({ kind: 'stop', drainMs: 0 });
  await orders.stop;
  expect(siblings.isReplaced()).toBe(false);
});

test('a worker learns with the stop message that its successor serves already', async () => {
  const { orders, say } = start();
  say({ kind: 'begin', beginning });
  const siblings = orders.siblingsOf(beginning);
  expect(siblings.isReplaced()).toBe(false);
  say({ kind: 'stop', drainMs: 700, isReplaced: true });
  expect([await orders.stop, siblings.isReplaced()]).toEqual([700, true]);
});

test('a worker asks the primary for each metrics page, once for all that wait for it', async () => {
  const { orders, sent, say } = start();
  say({ kind: 'begin', beginning });
  const siblings = orders.siblingsOf(beginning);
  for (const page of ['first', 'second']) {
    const waiting = [siblings.metricsPage(), siblings.metricsPage()];
    expect(sent.at(-1)).toEqual({ kind: 'metrics requested' });
    say({ kind: 'metrics page', page });
    expect(await Promise.all(waiting)).toEqual([page, page]);
  }
  expect(sent.filter(({ kind }) => kind === 'metrics requested')).toHaveLength(2);
  say({ kind: 'stop', drainMs: 0 });
});

test('a worker sends heartbeats with its metrics from its first message until its stop message', () => {
  vi.useFakeTimers();
  const { orders, sent, say } = start();
  vi.advanceTimersByTime(10_000);
  say({ kind: 'begin', beginning: { ...beginning, heartbeatMs: 1_000 } });
  vi.advanceTimersByTime(1_000);
  const siblings = orders.siblingsOf(beginning);
  siblings.onMetrics(() => [1, 2]);
  vi.advanceTimersByTime(1_000);
  const facts = { url: 'http://127.0.0.1:1', graphqlUrl: 'http://127.0.0.1:1/graphql', schema: 'ledger' } as const;
  siblings.ready(facts);
  say({ kind: 'stop', drainMs: 0 });
  vi.advanceTimersByTime(10_000);
  expect(sent).toEqual([
    { kind: 'hello' },
    { kind: 'alive', metrics: null },
    { kind: 'alive', metrics: [1, 2] },
    { kind: 'ready', facts },
  ]);
  expect(vi.getTimerCount()).toBe(0);
});
