import type { GraphQLResolveInfo } from 'graphql';
import { networkProfiles } from '../../src/config/network-profile.ts';
import { parseConfig } from '../../src/config/parse-config.ts';
import { Secret } from '../../src/config/secret.ts';
import { createFilterSupport } from '../../src/events/filter-support.ts';
import { createGraphqlSources, ledgerEventFilters } from '../../src/events/graphql-sources.ts';
import { createLiveEvents } from '../../src/events/live-events.ts';
import { createEventsClient, createRpcSources } from '../../src/events/rpc-sources.ts';
import { createCursorKeys } from '../../src/events/signed-cursor.ts';
import { createCheckpointTimes } from '../../src/events/time-range-source.ts';
import { createLedgerExecutor } from '../../src/ledger/ledger-executor.ts';
import { createRawLedger } from '../../src/ledger/raw-ledger.ts';
import { createRpcVersion } from '../../src/ledger/rpc-version.ts';
import { createFleet } from '../../src/live/fleet/fleet.ts';
import type { LeasedLogs } from '../../src/live/fleet/leased-log.ts';
import { createStreamQuota } from '../../src/live/stream-quota.ts';
import { Turns } from '../../src/upstream/fair-turns.ts';
import type { PushedItems } from '../../src/upstream/operation-context.ts';
import type { RawCall } from '../../src/upstream/raw-call.ts';
import { createUpstreamCall } from '../../src/upstream/upstream-call.ts';
import { toCancelledError, UpstreamCallError } from '../../src/upstream/upstream-call-error.ts';
import { Collector, type LiveClient } from './live-clients.ts';
import { type FaultyNode, type Kind, networks, type Source } from './live-course.ts';
import type { TestClock } from './memory-source.ts';
import { pull } from './pushed-items.ts';

const timeoutMs = 1_000;

/** What the gateways of a course share. */
export interface VirtualGatewayOptions {
  readonly source: Source;
  readonly node: FaultyNode;
  readonly clock: TestClock;
  readonly env: Readonly<Record<string, string>>;
  /** The processes that share readers; `null`: each gateway reads for itself. */
  readonly logs: LeasedLogs | null;
  readonly random: () => number;
}

export interface VirtualGateway {
  subscribe(kind: Pick<Kind, 'field' | 'filter'>, after: string | null): LiveClient;
  /** Breaks all its streams, as if the process had been killed. */
  kill(): void;
}

/** The live streams of a gateway in a time that passes only between their steps: its calls reach a real network. */
export function startVirtualGateway(options: VirtualGatewayOptions): VirtualGateway {
  const { source, node, clock, env, logs, random } = options;
  const profile = networkProfiles[networks[source].profile];
  const config = { ...parseConfig({ env, readFile: () => '' }), profile };
  const now = () => Date.now();
  const rawCall = createRawCall(node, clock);
  const call = createUpstreamCall(rawCall);
  const ledger = createRawLedger({
    rawCall,
    path: '/',
    timeouts: { queryMs: timeoutMs, mutationMs: timeoutMs },
    versionHeader: profile.headers.version,
    version: createRpcVersion(),
    transient: profile.transientErrors,
  });
  const execute = createLedgerExecutor(ledger, { runQueued: async (_caller, _client, run) => run() });
  const times = createCheckpointTimes(execute, profile.history, () => 0);
  const isGraphql = source !== 'JSON-RPC';
  const client = createEventsClient({ call, path: '/', names: profile.events, timeoutMs, isLenient: true });
  const sources = isGraphql
    ? createGraphqlSources({ execute, profile, times, isLive: true, now })
    : createRpcSources(client, profile, createFilterSupport(profile.events, now));
  const fleet = logs && createFleet({ logs, clock, onUnavailable() {}, onBack() {} });
  const live = createLiveEvents({
    config,
    streamQuota: createStreamQuota({ max: 1_000, maxPerCaller: 1_000 }),
    watches: { ofEvents: () => undefined, ofTransactions: () => undefined },
    sources: () => sources,
    filters: () => (isGraphql ? ledgerEventFilters(profile) : profile.events.filters),
    cursorKeys: createCursorKeys(new Secret('k'.repeat(32))),
    fleet,
    addresses: ['http://node.example/'],
    source: isGraphql ? 'graphql' : 'rpc',
    onFaultyPageAccepted() {},
    metrics: { gauge() {}, add() {}, liveLag() {} },
    now,
    clock,
    turns: new Turns({ now: clock.now, nextTurn: clock.defer }),
    onStall() {},
  });
  const { liveEvents, liveTransactions } = live.resolvers.Subscription;
  const subscriber = { caller: { rate: { key: 'a caller' } } };
  const info = { fieldNodes: [], fragments: {}, variableValues: {} } as unknown as GraphQLResolveInfo;
  const clients = new Set<Collector>();
  return {
    subscribe({ field, filter }, after) {
      const stream =
        field === 'liveEvents'
          ? liveEvents.subscribe(null, { filter, after }, subscriber)
          : liveTransactions.subscribe(null, { filter, after }, subscriber, info);
      const client = random() < 0.5 ? new Pulled(pull<object>(stream)) : new Pushed(stream);
      clients.add(client);
      return client;
    },
    kill() {
      for (const client of clients) client.end ??= 'broken';
      live.close();
    },
  };
}

/** Calls of a gateway to the node, whose timeouts are those of the clock. */
function createRawCall(node: FaultyNode, clock: TestClock): RawCall {
  return ({ body, timeoutMs: within }, listener) => {
    let isOver = false;
    const end = (then: () => void) => {
      if (isOver) return;
      isOver = true;
      stopTimer();
      then();
    };
    const fail = (error: UpstreamCallError) => end(() => listener.failed(error));
    const stopTimer = clock.after(within, () => fail(new UpstreamCallError('timeout', 'no answer')));
    node.serve({
      body: String(body),
      forward: (url) =>
        clock.track(
          fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: String(body) }).then(
            (answer) => answer.text(),
          ),
        ),
      answer(text) {
        const bytes = Buffer.from(text);
        end(() => listener.answered({ status: 200, headers: new Map(), chunks: [bytes], size: bytes.length }));
      },
      drop: () => fail(new UpstreamCallError('interrupted', 'dropped')),
    });
    return { isSent: true, cancel: (cause) => fail(toCancelledError(cause)) };
  };
}

/** A subscriber that asks for each delivery. */
class Pulled extends Collector {
  readonly #stream: AsyncGenerator<object, undefined>;

  constructor(stream: AsyncGenerator<object, undefined>) {
    super();
    this.#stream = stream;
    void this.#read();
  }

  async #read(): Promise<void> {
    try {
      for await (const data of this.#stream) this.take({ data });
      this.end = 'complete';
    } catch (error) {
      this.take({ errors: [error] });
      this.end = 'broken';
    }
  }

  async leave(): Promise<void> {
    await this.#stream.return(undefined);
  }
}

/** A subscriber to which deliveries are pushed. */
class Pushed extends Collector {
  readonly #stream: PushedItems;

  constructor(stream: PushedItems) {
    super();
    this.#stream = stream;
    stream.pushTo({
      isReady: true,
      take: (data) => this.take({ data }),
      end: () => {
        this.end ??= 'complete';
      },
      fail: (error) => {
        this.take({ errors: [error] });
        this.end = 'broken';
      },
    });
  }

  async leave(): Promise<void> {
    this.#stream.leave();
  }
}
