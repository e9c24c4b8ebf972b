import type { GraphQLResolveInfo } from 'graphql';
import { expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/parse-config.ts';
import { Secret } from '../../../src/config/secret.ts';
import { createListSource } from '../../../src/events/ledger-source.ts';
import { createLiveEvents, type LiveEventsOptions } from '../../../src/events/live-events.ts';
import { createCursorKeys } from '../../../src/events/signed-cursor.ts';
import type { EventStreamFilter, TransactionStreamFilter } from '../../../src/generated/own.ts';
import { systemClock } from '../../../src/live/clock.ts';
import { createStreamQuota } from '../../../src/live/stream-quota.ts';
import { Turns } from '../../../src/upstream/fair-turns.ts';
import { next } from '../../support/pushed-items.ts';

const config = (env: Record<string, string> = {}) => parseConfig({ env, readFile: () => '' });
const address = 'https://node.example/rpc?key=1';

/** Live streams of a ledger without items, and the names of the readers that other processes may share. */
function open(changed: Partial<LiveEventsOptions> = {}) {
  const shared: string[] = [];
  const gauges = new Map<string, () => number>();
  const streamQuota = createStreamQuota({ max: 100, maxPerCaller: 100 });
  const query = (identity: string) => ({
    identity,
    source: createListSource<never>(
      async () => [],
      () => ({}) as never,
    ),
  });
  const live = createLiveEvents({
    config: config(),
    streamQuota,
    watches: { ofEvents: () => undefined, ofTransactions: () => undefined },
    sources: () => ({
      events: (filter) => query(JSON.stringify(filter)),
      transactions: (filter) => query(JSON.stringify(filter)),
      keysOf: () => new Set(),
    }),
    filters: () => config().profile.events.filters,
    cursorKeys: createCursorKeys(new Secret('x'.repeat(32))),
    fleet: {
      join(name) {
        shared.push(name);
        return () => undefined as never;
      },
    },
    addresses: [address],
    source: 'rpc',
    onFaultyPageAccepted() {},
    metrics: { gauge: (name, read) => void gauges.set(name, read as () => number), add() {}, liveLag() {} },
    now: () => 0,
    clock: systemClock,
    turns: new Turns(),
    onStall() {},
    ...changed,
  });
  const { liveEvents, liveTransactions } = live.resolvers.Subscription;
  const subscriber = { caller: { rate: { key: 'a' } } };
  const events = (filter: EventStreamFilter | null = null) => liveEvents.subscribe(null, { filter }, subscriber);
  const transactions = (filter: TransactionStreamFilter | null = null, isWhole = false) => {
    const selection = (...path: string[]): object[] =>
      path.slice(0, 1).map((value) => ({
        kind: 'Field',
        name: { kind: 'Name', value },
        selectionSet: { kind: 'SelectionSet', selections: selection(...path.slice(1)) },
      }));
    const fieldNodes = selection('liveTransactions', 'transaction', isWhole ? 'raw' : 'digest');
    const info = { fieldNodes, fragments: {}, variableValues: {} } as unknown as GraphQLResolveInfo;
    return liveTransactions.subscribe(null, { filter }, subscriber, info);
  };
  return { live, shared, streamQuota, events, transactions, readers: gauges.get('ledger_gateway_live_readers') };
}

/** The name under which a process shares its reader of all events. */
function nameOf(changed: Partial<LiveEventsOptions>, filter: EventStreamFilter | null = null): string | undefined {
  const { live, shared, events } = open(changed);
  events(filter).leave();
  live.close();
  return shared[0];
}

it('processes share a reader only if its query, its upstream and the profile are the same', () => {
  const usual = nameOf({});
  expect(usual).toBeTypeOf('string');
  // Credentials do not change what a node answers, and must not be in a name.
  expect(nameOf({ addresses: ['https://user:secret@node.example/rpc?key=1'] })).toBe(usual);
  const others = [
    nameOf({ addresses: ['https://other.example/rpc?key=1'] }),
    nameOf({ addresses: ['https://node.example/other?key=1'] }),
    nameOf({ addresses: ['https://node.example/rpc?key=2'] }),
    nameOf({ addresses: [address, address] }),
    nameOf({ source: 'graphql' }),
    nameOf({ config: config({ NETWORK_PROFILE: 'sui' }) }),
    nameOf({}, { sender: '0x1' }),
  ];
  const { live, shared, transactions } = open();
  for (const [filter, isWhole] of [
    [null, false],
    [null, true],
    [{ toAddress: '0x1' }, false],
  ] as const)
    transactions(filter, isWhole).leave();
  live.close();
  expect(shared).toHaveLength(3);
  expect(new Set([usual, ...others, ...shared]).size).toBe(11);
  expect(nameOf({ addresses: [] })).toBeUndefined();
  expect(nameOf({ fleet: null })).toBeUndefined();
});

it('a stream counts as one for every ten tests of its filter that it begins', () => {
  const weights: unknown[] = [];
  const take = (_: string, weight?: number) => {
    weights.push(weight);
    return { leave() {} };
  };
  const { live, events, transactions } = open({ streamQuota: { take, count: 0 } });
  for (const tests of [1, 10, 11, 20, 21]) {
    const any = Array.from({ length: tests }, (_, index) => ({ moveModule: { package: '0x2', module: `m${index}` } }));
    events({ any }).leave();
  }
  transactions().leave();
  expect(weights).toEqual([1, 1, 2, 2, 3, 1]);
  live.close();
});

it('both kinds of streams end when the gateway stops, and both kinds of readers when it has stopped', async () => {
  const { live, streamQuota, readers, events, transactions } = open();
  const streams = [events(), transactions()];
  const steps = streams.map(next);
  expect([readers?.(), streamQuota.count]).toEqual([2, 2]);
  live.stop();
  for (const step of steps) await step;
  for (const stream of streams) expect((await next(stream)).done).toBe(true);
  expect(() => events()).toThrow('stopping');
  expect(() => transactions()).toThrow('stopping');
  expect([readers?.(), streamQuota.count]).toEqual([2, 0]);
  live.close();
  expect(readers?.()).toBe(0);
});
