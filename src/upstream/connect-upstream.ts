import { Pool } from 'undici';
import type { Arrivals } from './arrivals.ts';
import { type CallLayer, type RawCall, watchCalls } from './raw-call.ts';
import { type Changes, letRunOn } from './run-on.ts';
import { createSendCall } from './send-call.ts';
import { shareReads } from './share-reads.ts';
import { createUpstreamCall, type UpstreamCall } from './upstream-call.ts';
import { type CallEnded, createHealthWatch, type HealthWatch, type UpstreamHealth } from './upstream-health.ts';
import { createWaitingCalls } from './waiting-calls.ts';

/** Default bound. The introspection of a large ledger has a few megabytes. */
const mostAnswerBytes = 64 * 1024 * 1024;

/** Concurrent calls of a gateway to an upstream; more wait. Bounds the load on the upstream. */
export const mostConnections = 128;
/** Calls to one upstream that may wait for a connection, and the bytes of their bodies. Further calls fail at once. */
const mostWaiting = 1_024;
const mostWaitingBytes = 32 * 1024 * 1024;

const poolOptions: Pool.Options = {
  /** One call at a time per connection, so that a slow or broken answer does not affect others behind it. */
  pipelining: 1,
  /**
   * Milliseconds that a connection may stay idle. Less than any server keeps it (Node: 5 s), because a call sent into a
   * closing connection is lost and not retried. A longer time that the server announces counts, up to a minute, so that
   * connections follow a change of DNS.
   */
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 60_000,
  /** Milliseconds subtracted from the announced time, for the time a call travels. */
  keepAliveTimeoutThreshold: 2_000,
  /** Off, because each call has a deadline of its own. */
  headersTimeout: 0,
  bodyTimeout: 0,
};

export interface UpstreamConnection {
  readonly call: UpstreamCall;
  readonly rawCall: RawCall;
  readonly health: () => UpstreamHealth;
  readonly complain: HealthWatch['complain'];
  /** Path and query of its address. */
  readonly path: string;
  /** The same address for a WebSocket, with the credentials in it. */
  readonly socketUrl: string;
  /** Lets calls in flight finish and refuses new ones. Safe to call twice. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** Name of the upstream. */
  readonly name: string;
  readonly url: string;
  /** Calls at once; more wait. */
  readonly maxConnections?: number;
  /** Bytes of the largest answer that is read; a call whose answer is larger fails. */
  readonly maxAnswerBytes?: number | undefined;
  /** Bounds the memory of large answers that have arrived in part. Left out: nothing does. */
  readonly arrivals?: Arrivals;
  readonly now: () => number;
  /** Is the gateway stopping? Then no call that cannot be undone is begun. */
  readonly isStopping?: () => boolean;
  /** Called at the end of each call. */
  readonly onCallEnded?: CallEnded;
  /** Shared by the upstreams of one network: a change through one may be read through another. */
  readonly changes?: Changes;
}

/** Opens the connections to an upstream. Credentials in its URL become a Basic authorization header. */
export function connectUpstream({
  name,
  url,
  now,
  maxConnections = mostConnections,
  maxAnswerBytes = mostAnswerBytes,
  arrivals,
  isStopping = () => false,
  onCallEnded,
  changes = { count: 0 },
}: ConnectOptions): UpstreamConnection {
  const { origin, pathname, search, username, password } = new URL(url);
  const authorization = username
    ? `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')}`
    : null;
  const dispatcher = new Pool(origin, { ...poolOptions, connections: maxConnections });
  const watch = createHealthWatch(now, onCallEnded);
  const send = createSendCall({
    dispatcher,
    authorization,
    waiting: createWaitingCalls({
      maxSent: maxConnections,
      maxWaiting: mostWaiting,
      maxWaitingBytes: mostWaitingBytes,
    }),
    arrivals,
    maxResponseBytes: maxAnswerBytes,
    // A streamed answer holds its connection as long as its client takes to read, so half of the connections are kept free of
    // streams. Further answers are collected: a slow client then holds memory, which hurts less than a held connection.
    maxStreams: Math.ceil(maxConnections / 2),
  });
  /** Outermost first. A span, a circuit breaker, a retry or a second address is one more layer. */
  const layers: readonly CallLayer[] = [
    countCalls,
    shareReads({ changes }),
    letRunOn({ watch, isStopping, changes }),
    watchCalls(() => watch),
  ];
  const rawCall = layers.reduceRight((next, layer) => layer(next, name), send);
  let closing: Promise<void> | undefined;
  return {
    call: createUpstreamCall(rawCall),
    rawCall,
    health: watch.health,
    complain: watch.complain,
    path: pathname + search,
    socketUrl: url.replace(/^http/i, 'ws'),
    close: () => {
      closing ??= dispatcher.close();
      return closing;
    },
  };
}

const countCalls: CallLayer = (next) => (request, listener) => {
  if (request.operation) request.operation.calls += 1;
  return next(request, listener);
};

/** Decodes a credential of a URL; one with a bare percent sign is used as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
