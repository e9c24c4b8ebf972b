import { Pool } from 'undici';
import type { Arrivals } from './arrivals.ts';
import { type CallLayer, type RawCall, traceCalls, watchCalls } from './raw-call.ts';
import { type Changes, letRunOn } from './run-on.ts';
import { createSendCall } from './send-call.ts';
import { shareReads } from './share-reads.ts';
import { createUpstreamCall, type UpstreamCall } from './upstream-call.ts';
import { type CallEnded, createHealthWatch, type HealthWatch, type UpstreamHealth } from './upstream-health.ts';
import { createWaitingCalls } from './waiting-calls.ts';

/** Default limit. The introspection of a large ledger has a few megabytes. */
const defaultMaxAnswerBytes = 64 * 1024 * 1024;

/** Concurrent calls of a gateway to one upstream, to limit the upstream's load; further calls wait. */
export const maxConnectionsPerUpstream = 128;
/** Limits of the calls that wait for a connection, and of the bytes of their bodies. Further calls fail immediately. */
const maxWaitingCalls = 1_024;
const mostWaitingBytes = 32 * 1024 * 1024;

const poolOptions: Pool.Options = {
  /** One call at a time per connection, so that a slow or broken response does not affect calls behind it. */
  pipelining: 1,
  /**
   * Milliseconds that a connection may stay idle. Shorter than any server's own timeout (Node: 5 s), because a call sent into
   * a closing connection is lost and not retried. A longer timeout that the server announces is used, up to a minute, so that
   * connections follow a change of DNS.
   */
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 60_000,
  /** Milliseconds subtracted from the announced timeout, for the travel time of a call. */
  keepAliveTimeoutThreshold: 2_000,
  /** Off, because each call has its own timeout. */
  headersTimeout: 0,
  bodyTimeout: 0,
};

export interface UpstreamConnection {
  readonly call: UpstreamCall;
  readonly rawCall: RawCall;
  readonly health: () => UpstreamHealth;
  readonly complain: HealthWatch['complain'];
  /** Path and query of the upstream's address. */
  readonly path: string;
  /** The same address for a WebSocket, including credentials. */
  readonly socketUrl: string;
  /** Lets calls in flight finish and rejects new ones. Safe to call twice. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** Name of the upstream. */
  readonly name: string;
  readonly url: string;
  /** Concurrent calls; further ones wait. */
  readonly maxConnections?: number;
  /** Bytes of the largest response; a call with a larger one fails. */
  readonly maxAnswerBytes?: number | undefined;
  /** Limits the memory of large responses that are still arriving. Left out: no limit. */
  readonly arrivals?: Arrivals;
  readonly now: () => number;
  /** Is the gateway stopping? Then no call that cannot be cancelled may begin. */
  readonly isStopping?: () => boolean;
  /** Called at the end of each call. */
  readonly onCallEnded?: CallEnded;
  /** Shared by the upstreams of one network: data written through one may be read through another. */
  readonly changes?: Changes;
}

/** Opens the connections to an upstream. Credentials in its URL become a Basic authorization header. */
export function connectUpstream({
  name,
  url,
  now,
  maxConnections = maxConnectionsPerUpstream,
  maxAnswerBytes = defaultMaxAnswerBytes,
  arrivals,
  isStopping = () => false,
  onCallEnded,
  changes = { count: 0 },
}: ConnectOptions): UpstreamConnection {
  const { origin, hostname, pathname, search, username, password } = new URL(url);
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
      maxWaiting: maxWaitingCalls,
      maxWaitingBytes: mostWaitingBytes,
    }),
    arrivals,
    maxResponseBytes: maxAnswerBytes,
    // A streamed response holds its connection as long as its client takes to read, so half of the connections are kept free
    // of streams. Further responses are buffered: a slow client then holds memory instead of a connection.
    maxStreams: Math.ceil(maxConnections / 2),
  });
  /** Outermost first. Add a layer here for a circuit breaker, a retry or a second address. */
  const layers: readonly CallLayer[] = [
    countCalls,
    shareReads({ changes }),
    letRunOn({ watch, isStopping, changes }),
    watchCalls(() => watch),
    traceCalls(hostname),
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

/** Decodes a credential of a URL; one with a bare percent sign is used unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
