import { WebSocket } from 'ws';
import { parseJson } from '../../json/exact-json.ts';
import { startPeerTimeout } from '../peer-timeout.ts';
import { type AddedHeaders, toHeaderFields } from '../send-call.ts';
import { UpstreamCallError } from '../upstream-call-error.ts';
import { takeCredentials } from '../url-credentials.ts';

export interface UpstreamSocketOptions {
  readonly connectMs: number;
  /** Bytes of the largest accepted message. */
  readonly maxMessageBytes: number;
  /** Further messages stay unread until the second has passed: the upstream must wait, and may close the connection. */
  readonly maxMessagesPerSecond: number;
  /** Milliseconds between two pings. The connection is lost if nothing arrives between two pings. */
  readonly beatMs: number;
}

export const usualSocketOptions: UpstreamSocketOptions = {
  connectMs: 5_000,
  // Parsing blocks the event loop for about 10 ms per megabyte.
  maxMessageBytes: 4 * 1024 * 1024,
  maxMessagesPerSecond: 20_000,
  beatMs: 10_000,
};

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

/** Milliseconds that the upstream may take for the closing handshake. */
const closingMs = 250;
const normalClosure = 1000;
/** Maximum of sent bytes that the upstream has not read: about a hundred of the largest requests. */
const maxUnreadBytes = 16 * 1024 * 1024;

/**
 * One WebSocket to an untrusted upstream, with its subscriptions: limits the size and rate of messages, and pings the upstream.
 * Does not reconnect. A subclass implements the protocol.
 */
export abstract class SharedConnection<Subscription, Sink extends SubscriptionSink> {
  readonly #target: ConnectionTarget;
  readonly #socket: WebSocket;
  readonly #entries = new Set<SubscriptionEntry<Subscription, Sink>>();
  protected readonly byId = new Map<string | number, SubscriptionEntry<Subscription, Sink>>();
  #isReady = false;
  /** Has anything arrived since the last ping? */
  #isHeard = true;
  #messages = 0;
  #resumeTimer: NodeJS.Timeout | undefined;
  /** Stops the timeout of the connection attempt, and later that of the next ping. */
  #stopBeat: () => void;
  #stopAwaiting = () => {};
  #isOver = false;

  /** @param target its URL is `ws:` or `wss:`; credentials in it become a Basic authorization header */
  constructor(target: ConnectionTarget, protocol: string | null) {
    this.#target = target;
    const { connectMs, maxMessageBytes } = target.options;
    const { address, authorization } = takeCredentials(target.url);
    this.#socket = new WebSocket(address, protocol ?? [], {
      headers: { ...(authorization && { authorization }), ...target.headers },
      maxPayload: maxMessageBytes,
      perMessageDeflate: false,
      followRedirects: false,
    });
    this.#stopBeat = startPeerTimeout(connectMs, () =>
      this.#break(new UpstreamCallError('unreachable', `no connection within ${connectMs} ms`)),
    );
    this.#listen();
  }

  protected abstract opened(): void;
  /** Called with each text message. */
  protected abstract read(text: string): void;
  /** Sends a subscription to the upstream. */
  protected abstract ask(entry: SubscriptionEntry<Subscription, Sink>): void;
  /** Unsubscribes at the upstream. */
  protected abstract left(entry: SubscriptionEntry<Subscription, Sink>): void;

  get size(): number {
    return this.#entries.size;
  }

  add(entry: SubscriptionEntry<Subscription, Sink>): () => void {
    this.#entries.add(entry);
    if (this.#isReady) queueMicrotask(() => this.#askOpen(entry));
    return () => {
      // It may not have been sent yet.
      if (this.remove(entry) && entry.id !== null) this.left(entry);
    };
  }

  /** Closes the connection without calling the sinks. Nothing is read any more. */
  close(): void {
    if (this.#isOver) return;
    this.#end();
    const isOpen = this.#socket.readyState === WebSocket.OPEN;
    if (isOpen) this.#socket.close(normalClosure);
    const timer = setTimeout(() => this.#socket.terminate(), isOpen ? closingMs : 0);
    this.#socket.on('close', () => clearTimeout(timer));
  }

  lose(error: UpstreamCallError): void {
    this.close();
    const lost = [...this.#entries];
    this.#entries.clear();
    for (const { sink } of lost) sink.lost(error);
  }

  /** Sends a message. Closes the connection as lost if the upstream does not read. */
  protected send(text: string): void {
    if (this.#isOver || this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.send(text);
    if (this.#socket.bufferedAmount > maxUnreadBytes)
      this.#break(new UpstreamCallError('interrupted', 'the upstream does not read'));
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
    if (entry.id !== null) this.byId.delete(entry.id);
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

  #listen(): void {
    let wasOpen = false;
    let error: Error | null = null;
    this.#socket.on('open', () => {
      wasOpen = true;
      if (this.#isOver) return;
      this.#awaitBeat();
      this.opened();
    });
    this.#socket.on('message', (data, isBinary) => this.#take(data, isBinary));
    this.#socket.on('pong', () => this.#count());
    this.#socket.on('ping', () => this.#count());
    // `close` always follows. Without a listener, an error would end the process.
    this.#socket.on('error', (each) => {
      error = each;
    });
    this.#socket.on('close', (code) => this.#break(toConnectionLoss(wasOpen, code, error)));
  }

  #take(data: unknown, isBinary: boolean): void {
    if (this.#isOver) return;
    this.#count();
    if (isBinary) this.#break(new UpstreamCallError('garbled', 'a message that is not text'));
    else this.read(String(data));
  }

  #count(): void {
    if (this.#isOver) return;
    this.#isHeard = true;
    this.#messages += 1;
    if (this.#messages === this.#target.options.maxMessagesPerSecond) this.#socket.pause();
    this.#resumeTimer ??= setTimeout(() => {
      this.#resumeTimer = undefined;
      this.#messages = 0;
      this.#socket.resume();
    }, 1_000);
  }

  #awaitBeat(): void {
    this.#stopBeat();
    this.#stopBeat = startPeerTimeout(this.#target.options.beatMs, () => this.#beat());
  }

  #beat(): void {
    this.#awaitBeat();
    // While reading is paused, an answer to a ping stays unread.
    if (this.#socket.isPaused) return;
    if (this.#isHeard) {
      this.#isHeard = false;
      this.#socket.ping();
    } else this.#break(new UpstreamCallError('interrupted', 'the connection went silent'));
  }

  /** Loses the connection without a closing handshake. */
  #break(error: UpstreamCallError): void {
    if (this.#isOver) return;
    this.#end();
    this.#socket.terminate();
    this.lose(error);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#resumeTimer);
    this.#stopBeat();
    this.stopAwaiting();
    if (this.#socket.isPaused) this.#socket.resume();
    this.#target.closed();
  }
}

function toConnectionLoss(wasOpen: boolean, code: number, cause: Error | null): UpstreamCallError {
  if (!wasOpen) return new UpstreamCallError('unreachable', 'no WebSocket connection was made', { cause });
  if ((cause as NodeJS.ErrnoException | null)?.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH')
    return new UpstreamCallError('too-large', 'a message over the bound', { cause });
  return new UpstreamCallError('interrupted', `the connection was closed (${code})`, { cause });
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
