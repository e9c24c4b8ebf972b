import { parseJson } from '../../json/exact-json.ts';
import { startPeerTimeout } from '../peer-timeout.ts';
import { type AddedHeaders, toHeaderFields } from '../send-call.ts';
import { UpstreamCallError } from '../upstream-call-error.ts';
import { UpstreamSocket, type UpstreamSocketOptions, usualSocketOptions } from './upstream-socket.ts';

export interface SocketAddresses {
  /** Each connection is opened to the next one. */
  readonly urls: readonly string[];
  /** May the address at this position be used now? Left out: all may. */
  readonly mayUse?: ((index: number) => boolean) | undefined;
  /** Sent when a connection is opened. */
  readonly headers?: AddedHeaders | undefined;
}

export interface SharedSocketOptions extends SocketAddresses {
  /** Milliseconds for which a connection without subscriptions stays open. */
  readonly graceMs?: number;
  /** Maximum of concurrent subscriptions; further ones are rejected. Default: no maximum. */
  readonly maxSubscriptions?: number;
  readonly socket?: Partial<UpstreamSocketOptions>;
}

/** Receives the events of one subscription. One of these is its last call, unless the protocol has another. */
export interface SubscriptionSink {
  /** @param errors the upstream's reasons for the rejection, unchanged */
  refused(errors: unknown): void;
  lost(error: UpstreamCallError): void;
}

/** A subscription on a connection. */
export interface SubscriptionEntry<Subscription, Sink extends SubscriptionSink> {
  readonly subscription: Subscription;
  readonly sink: Sink;
  /** The subscription's id in the protocol; `null` until it has one. */
  id: string | number | null;
}

/** Subscriptions at one upstream, over one connection. */
export type SharedSocket<Subscription, Sink extends SubscriptionSink> = ReturnType<
  typeof createSharedSocket<Subscription, Sink>
>;

const defaultGraceMs = 200;

/** @returns the next address that may be used */
export function takeTurns({ urls, mayUse = () => true }: SocketAddresses): () => string {
  let index = -1;
  return () => {
    for (let skipped = 0; skipped < urls.length; skipped += 1) {
      index = (index + 1) % urls.length;
      if (mayUse(index)) break;
    }
    return urls[index] as string;
  };
}

/**
 * Opens a connection for the first subscription and closes it after the last one. When the connection is lost, all its
 * subscriptions are lost; the next one opens another connection. Never reconnects by itself, since only the subscriber can
 * report the gap to its client.
 */
export function createSharedSocket<Subscription, Sink extends SubscriptionSink>(
  { graceMs = defaultGraceMs, maxSubscriptions = Number.POSITIVE_INFINITY, socket, ...addresses }: SharedSocketOptions,
  connect: (target: ConnectionTarget) => SharedConnection<Subscription, Sink>,
) {
  const options = { ...usualSocketOptions, ...socket };
  let current: SharedConnection<Subscription, Sink> | null = null;
  let graceTimer: NodeJS.Timeout | undefined;
  const nextUrl = takeTurns(addresses);

  function open(): SharedConnection<Subscription, Sink> {
    const connection = connect({
      url: nextUrl(),
      headers: toHeaderFields(addresses.headers),
      options,
      unused: () => {
        clearTimeout(graceTimer);
        graceTimer = setTimeout(() => {
          if (connection.size === 0) connection.close();
        }, graceMs);
      },
      closed: () => {
        if (current === connection) current = null;
        // A fired timer keeps its callback alive, and with it this connection.
        clearTimeout(graceTimer);
      },
    });
    return connection;
  }

  return {
    /**
     * Opens the connection if there is none. Calls the sink only after this returns.
     * @returns unsubscribes: the sink is not called any more
     */
    subscribe(subscription: Subscription, sink: Sink): () => void {
      if (current && current.size >= maxSubscriptions) {
        queueMicrotask(() => sink.refused([]));
        return () => {};
      }
      current ??= open();
      return current.add({ subscription, sink, id: null });
    },
    /** Closes the connection; all subscriptions are lost. */
    close(): void {
      current?.lose(new UpstreamCallError('interrupted', 'closed from here'));
    },
  };
}

export interface ConnectionTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly options: UpstreamSocketOptions;
  /** Called when the last subscription has ended. */
  unused(): void;
  closed(): void;
}

/** One connection with its subscriptions. A subclass implements the protocol. */
export abstract class SharedConnection<Subscription, Sink extends SubscriptionSink> extends UpstreamSocket {
  readonly #target: ConnectionTarget;
  readonly #entries = new Set<SubscriptionEntry<Subscription, Sink>>();
  #isReady = false;
  #stopAwaiting = () => {};

  constructor(target: ConnectionTarget, protocol: string | null) {
    super(target.url, protocol, target.options, target.headers);
    this.#target = target;
  }

  /** Sends a subscription to the upstream. */
  protected abstract ask(entry: SubscriptionEntry<Subscription, Sink>): void;
  /** Unsubscribes at the upstream. The subscription may not have been sent yet. */
  protected abstract left(entry: SubscriptionEntry<Subscription, Sink>): void;

  get size(): number {
    return this.#entries.size;
  }

  add(entry: SubscriptionEntry<Subscription, Sink>): () => void {
    this.#entries.add(entry);
    if (this.#isReady) queueMicrotask(() => this.#askOpen(entry));
    return () => {
      if (this.remove(entry)) this.left(entry);
    };
  }

  /** Closes the connection without calling the sinks. */
  override close(): void {
    this.stopAwaiting();
    super.close();
    this.#target.closed();
  }

  lose(error: UpstreamCallError): void {
    this.close();
    const lost = [...this.#entries];
    this.#entries.clear();
    for (const { sink } of lost) sink.lost(error);
  }

  /** From now on, subscriptions are sent. */
  protected ready(): void {
    this.#isReady = true;
    for (const entry of [...this.#entries]) this.#askOpen(entry);
  }

  #askOpen(entry: SubscriptionEntry<Subscription, Sink>): void {
    if (this.has(entry)) this.ask(entry);
  }

  protected has(entry: SubscriptionEntry<Subscription, Sink>): boolean {
    return this.#entries.has(entry);
  }

  /** Ends a subscription. @returns `false` if it had ended before */
  protected remove(entry: SubscriptionEntry<Subscription, Sink>): boolean {
    if (!this.#entries.delete(entry)) return false;
    if (this.#entries.size === 0) this.#target.unused();
    return true;
  }

  /** Closes the connection as lost unless `stopAwaiting` is called in time. */
  protected await(ms: number, failure: string): void {
    this.stopAwaiting();
    this.#stopAwaiting = startPeerTimeout(ms, () => this.lose(new UpstreamCallError('timeout', failure)));
  }

  protected stopAwaiting(): void {
    this.#stopAwaiting();
  }
}

/** The message as an object or a list; `null` for any other text. */
export function parseMessage(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value = parseJson(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}
