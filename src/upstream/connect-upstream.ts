import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { buildConnector, Pool } from 'undici';
import { AddressState, admitCall, isBroken, isFailureStatus, recordOutcome, toOutcome } from './choose-address.ts';
import { createFreshness } from './freshness.ts';
import { NetworkInForce } from './network-in-force.ts';
import type { PlaceFor } from './quota.ts';
import { type CallLayer, type CallWatch, type RawCall, traceCalls, watchCalls } from './raw-call.ts';
import { recycledMemory } from './recycled-memory.ts';
import { letRunOn, notStarted, type WriteCounter } from './run-on.ts';
import { type AddedHeaders, createSendCall, noAddedHeaders, withHeaders } from './send-call.ts';
import { shareReads } from './share-reads.ts';
import { type AddressWatch, spreadCalls } from './spread-calls.ts';
import { createUpstreamCall } from './upstream-call.ts';
import { UpstreamCallError } from './upstream-call-error.ts';
import { type CallEnded, createHealthWatch, type HealthWatch } from './upstream-health.ts';
import { takeCredentials } from './url-credentials.ts';
import { createWaitingCalls, type WaitingCalls } from './waiting-calls.ts';

/** Default limit. The introspection of a large ledger has a few megabytes. */
const defaultMaxAnswerBytes = 64 * 1024 * 1024;

/** Concurrent calls of a gateway to one address of an upstream, to limit its load; further calls wait. */
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

export interface AddressFacts {
  readonly state: AddressState;
  readonly calls: Pick<WaitingCalls, 'inFlight' | 'waiting'>;
}

export interface ConnectOptions {
  readonly name: string;
  /** At least one. */
  readonly urls: readonly string[];
  /** Concurrent calls per address; further ones wait. */
  readonly maxConnections?: number;
  /** Bytes of the largest response; a call with a larger one fails. */
  readonly maxAnswerBytes?: number | undefined;
  /** Limits the memory of large responses that are still arriving. Left out: no limit. */
  readonly arrivals?: PlaceFor;
  /** Sent with every request that has no header of the same name, WebSockets included. */
  readonly headers?: AddedHeaders;
  readonly now: () => number;
  /** While it stops, no call that cannot be cancelled may begin. */
  readonly gateway?: { readonly isStopping: boolean };
  readonly onCallEnded?: (upstream: string, ...call: Parameters<CallEnded>) => void;
  /** Called when it begins to reject the gateway's credentials. */
  readonly onRejected?: ((status: number) => void) | undefined;
  /** Shared by the upstreams of one network: data written through one may be read through another. */
  readonly changes?: WriteCounter;
  /** Milliseconds after which a read without a response is sent to a second address; 0 = after half of its timeout. */
  readonly hedgeMs?: number;
  readonly onAddressEvent?: AddressWatch;
}

const ignoreEvents: AddressWatch = { retried() {}, ejected() {}, refused() {}, otherNetwork() {} };

export type UpstreamConnection = ReturnType<typeof connectUpstream>;

/** Opens the connections to an upstream. Credentials in its URLs become a Basic authorization header. */
export function connectUpstream({
  name,
  urls,
  now,
  gateway = { isStopping: false },
  onCallEnded,
  onRejected,
  changes = { count: 0 },
  hedgeMs = 0,
  onAddressEvent = ignoreEvents,
  ...options
}: ConnectOptions) {
  const opened = urls.map((url) => openAddress(url, options));
  const [first] = opened;
  if (!first) throw new Error(`${name} has no address`);
  let isRejected = false;
  const watch = createHealthWatch(now, (outcome, ...rest) => {
    onCallEnded?.(name, outcome, ...rest);
    if (typeof outcome !== 'number') return;
    const wasRejected = isRejected;
    isRejected = outcome === 401 || outcome === 403;
    if (isRejected && !wasRejected) onRejected?.(outcome);
  });
  const runOn = letRunOn({ watch, gateway, changes });
  const share = shareReads({ changes });
  const only = () => {
    const send = breakCircuit(first.state, watch, onAddressEvent)(traceCalls(name, first.hostname)(first.send));
    return countCalls(share(send), runOn(send));
  };
  // Reads are shared per address: a shared response must not be older than what an operation has seen.
  const addresses = opened.map(({ send, hostname, ...rest }) => ({
    ...rest,
    send: share(traceCalls(name, hostname)(send)),
  }));
  const inForce = new NetworkInForce();
  const freshness = createFreshness(addresses, onAddressEvent.otherNetwork, undefined, inForce);
  const several = () => {
    const spread = spreadCalls({ addresses, freshness, changes, watch: onAddressEvent, hedgeMs: hedgeMs || null });
    const send = runOn(watchCalls(watch)(spread));
    return countCalls(send, send);
  };
  const rawCall = opened.length === 1 ? only() : several();
  let closing: Promise<unknown> | undefined;
  return {
    call: createUpstreamCall(rawCall),
    rawCall,
    health: watch.health,
    quietMs: watch.quietMs,
    complain: watch.complain,
    /** Path and query of the upstream's first address. Calls to its other addresses use theirs. */
    path: first.path,
    /** For WebSockets and event streams, which the caller opens. */
    headers: options.headers ?? noAddedHeaders,
    /** The addresses for WebSockets, including credentials. */
    socketUrls: urls.map((url) => url.replace(/^http/i, 'ws')),
    /** The network that the addresses serve. With a single address, whoever asks it reports the answer. */
    inForce,
    /** May the address at this position be used? */
    mayUse: (index: number): boolean => !opened[index]?.state.isOtherNetwork,
    addresses: opened as readonly AddressFacts[],
    /** Begins to compare the data of the addresses. Absent if there is only one. */
    follow: opened.length === 1 ? undefined : freshness.follow,
    /** Lets calls in flight finish and rejects new ones. Safe to call twice. */
    async close(): Promise<void> {
      freshness.stop();
      closing ??= Promise.all(opened.map(({ dispatcher }) => dispatcher.close()));
      await closing;
    },
  };
}

function openAddress(
  url: string,
  {
    maxConnections = maxConnectionsPerUpstream,
    maxAnswerBytes = defaultMaxAnswerBytes,
    arrivals,
    headers = noAddedHeaders,
  }: Pick<ConnectOptions, 'maxConnections' | 'maxAnswerBytes' | 'arrivals' | 'headers'>,
) {
  const { address, authorization } = takeCredentials(url);
  const { origin, hostname, pathname, search } = address;
  const added = withCredentials(headers, authorization);
  const dispatcher = new Pool(origin, { ...poolOptions, connections: maxConnections, connect: createConnect() });
  const calls = createWaitingCalls({
    maxSent: maxConnections,
    maxWaiting: maxWaitingCalls,
    maxWaitingBytes: mostWaitingBytes,
  });
  const send = createSendCall({
    dispatcher,
    added,
    waiting: calls,
    arrivals,
    maxResponseBytes: maxAnswerBytes,
    // A streamed response holds its connection as long as its client takes to read, so half of the connections are kept free
    // of streams. Further responses are buffered: a slow client then holds memory instead of a connection.
    maxStreams: Math.ceil(maxConnections / 2),
  });
  return { send, dispatcher, calls, hostname, path: pathname + search, state: new AddressState() };
}

/**
 * What a socket has received, until it is copied. All sockets share it, because each is read to its end before the next. Long
 * enough for most responses, since each read costs as much CPU time as copying 50 KB.
 */
const received = Buffer.allocUnsafeSlow(256 * 1024);

/** Opens sockets that read into the shared memory. Node would allocate 64 KiB for each read. */
function createConnect(): buildConnector.connector {
  let session: Buffer | undefined;
  return (options, callback) => {
    const read = (size: number) => socket.push(recycledMemory.copy(received.subarray(0, size)));
    const connect = buildConnector({ session, onread: { buffer: received, callback: read } } as object);
    const socket = connect(options, callback) as unknown as Socket;
    // The next socket resumes the TLS session.
    socket.on('session', (latest) => {
      session = latest;
    });
  };
}

/** Configured headers win over the credentials of a URL. */
function withCredentials(headers: AddedHeaders, authorization: string | null): AddedHeaders {
  if (authorization === null) return headers;
  return {
    get list() {
      return withHeaders(headers.list, ['authorization', authorization]);
    },
  };
}

/**
 * Refuses calls to the only address of an upstream while it fails every call, except for trial calls. Records outcomes
 * in the watch that every call has anyway.
 */
function breakCircuit(state: AddressState, watch: HealthWatch, events: AddressWatch): CallLayer {
  const record = (outcome: ReturnType<typeof toOutcome>, durationMs: number, caller?: string) => {
    const facts = { nowMs: performance.now(), durationMs, random: Math.random(), isTrial: isBroken(state), caller };
    recordOutcome(state, outcome, facts);
  };
  const watchOutcome: CallWatch = {
    answered(status, durationMs) {
      watch.answered(status, durationMs);
      record(isFailureStatus(status) ? 'failed' : 'ok', durationMs);
    },
    failed(error, durationMs = 0, caller) {
      watch.failed(error, durationMs);
      if (error.failure !== 'refused') record(toOutcome(error), durationMs, caller);
    },
  };
  const refuse: CallLayer = (next) => (request, listener) => {
    if (!isBroken(state) || admitCall(state, performance.now())) return next(request, listener);
    events.refused();
    listener.failed(new UpstreamCallError('refused', 'the last calls all failed'));
    return notStarted;
  };
  return (next) => watchCalls(watchOutcome)(refuse(next));
}

/** @param sendShared sends the calls that may share a response */
function countCalls(sendShared: RawCall, send: RawCall): RawCall {
  return (request, listener) => {
    if (request.operation) request.operation.calls += 1;
    return request.isShareable ? sendShared(request, listener) : send(request, listener);
  };
}
