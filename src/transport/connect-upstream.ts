import { Pool } from 'undici';
import { createRawCall, type RawCall } from './raw-call.ts';
import { letRunOn } from './run-on.ts';
import { shareReads } from './share-reads.ts';
import { createUpstreamCall, type UpstreamCall } from './upstream-call.ts';
import { createHealthWatch, type UpstreamHealth } from './upstream-health.ts';

/** Largest answer of an upstream that is read, in bytes: introspection of a large ledger is a few megabytes. */
const maxResponseBytes = 64 * 1024 * 1024;

/** More calls than this wait their turn: what an upstream is asked at once is bounded, however many ask us. */
const connections = 128;
/**
 * Large answers that are passed on as they come at once, each no faster than its client reads, however slowly that is: the
 * other connections are left to those who read. Beyond it an answer is collected as fast as the upstream sends it, so that
 * a slow client holds memory instead, within the bound above. That is the lesser evil: memory is held for one client,
 * a connection is missing to all.
 */
const maxStreams = connections / 2;

const poolOptions: Pool.Options = {
  connections,
  /** One call after the other on a connection: a slow answer holds up no other, and a broken one fails no other. */
  pipelining: 1,
  /**
   * How long a connection stays unused, in milliseconds: less than any server keeps it (Node, the strictest, 5 s), since
   * a call sent into one that is being closed is lost and not retried. A server that says how long it does is believed,
   * up to a minute, so that connections follow an address that moves.
   */
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 60_000,
  /** What is taken off the time a server says, in milliseconds, for the way there. */
  keepAliveTimeoutThreshold: 2_000,
  /** Each call has a deadline of its own; a second watch over the same time would only cost. */
  headersTimeout: 0,
  bodyTimeout: 0,
};

export interface UpstreamConnection {
  readonly call: UpstreamCall;
  readonly rawCall: RawCall;
  readonly health: () => UpstreamHealth;
  /** Path and query of the configured address. */
  readonly path: string;
  /** Lets the calls under way finish, and takes no more. Safe to call twice. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly url: string;
  readonly now: () => number;
  /** Are we about to stop? Then nothing that cannot be taken back is begun. */
  readonly isStopping?: () => boolean;
}

/** Makes the observed call to a configured address. Credentials in the address become a Basic authorization header. */
export function connectUpstream({ url, now, isStopping = () => false }: ConnectOptions): UpstreamConnection {
  const { origin, pathname, search, username, password } = new URL(url);
  const authorization = username
    ? `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')}`
    : null;
  const dispatcher = new Pool(origin, poolOptions);
  const watch = createHealthWatch(now);
  const send = createRawCall({ dispatcher, maxResponseBytes, maxStreams, authorization, watch });
  const rawCall = shareReads(letRunOn(send, { watch, isStopping }));
  let closing: Promise<void> | undefined;
  return {
    call: createUpstreamCall(rawCall),
    rawCall,
    health: watch.health,
    path: pathname + search,
    close: () => {
      closing ??= dispatcher.close();
      return closing;
    },
  };
}

/** A credential with a bare percent sign is taken as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
