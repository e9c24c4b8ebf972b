import { startPeerTimeout } from '../peer-timeout.ts';
import { UpstreamSocket, type UpstreamSocketOptions, usualSocketOptions } from './upstream-socket.ts';

/** A subscription as a node takes it over JSON-RPC. */
export interface RpcSubscription {
  readonly subscribe: string;
  readonly unsubscribe: string;
  readonly params: readonly unknown[];
}

/** Is told what becomes of one subscription; nothing after `refused` or `lost`. */
export interface RpcSink {
  up(): void;
  /** The node sent something. What it is, is not looked at. */
  news(): void;
  refused(): void;
  lost(): void;
}

/** Subscriptions at a node that speaks JSON-RPC over WebSocket. */
export interface RpcSocket {
  /** @returns leaves it: nothing more is told */
  subscribe(subscription: RpcSubscription, sink: RpcSink): () => void;
  /** Loses all of them. */
  close(): void;
}

export interface RpcSocketOptions {
  readonly url: string;
  /** For so many milliseconds the connection is kept that nothing needs any more. */
  readonly graceMs?: number;
  /** Milliseconds that a node may take to answer; a connection on which it does not is dead. */
  readonly answerMs?: number;
  readonly socket?: Partial<UpstreamSocketOptions>;
}

interface Open {
  readonly subscription: RpcSubscription;
  readonly sink: RpcSink;
  /** The node's name of it; `null` until it has answered. */
  id: string | number | null;
}

/** One connection carries all of them, made when the first one comes and closed when the last one has gone. */
export function createRpcSocket(options: RpcSocketOptions): RpcSocket {
  const { url, graceMs = 200, answerMs = 10_000 } = options;
  const bounds = { ...usualSocketOptions, ...options.socket };
  let connection: Connection | null = null;
  let graceTimer: NodeJS.Timeout | undefined;
  const forget = (each: Connection) => {
    if (connection === each) connection = null;
  };
  return {
    subscribe(subscription, sink) {
      clearTimeout(graceTimer);
      connection ??= new Connection(url, { ...bounds, answerMs }, forget);
      const own = connection;
      const leave = own.add(subscription, sink);
      return () => {
        leave();
        if (own !== connection || own.size > 0) return;
        clearTimeout(graceTimer);
        graceTimer = setTimeout(() => {
          if (own.size === 0) own.close();
        }, graceMs);
      };
    },
    close() {
      clearTimeout(graceTimer);
      connection?.lose();
    },
  };
}

class Connection {
  readonly #socket: UpstreamSocket;
  readonly #answerMs: number;
  readonly #forget: (connection: Connection) => void;
  readonly #all = new Set<Open>();
  /** By the ids of calls that are not answered yet. What was left meanwhile is unsubscribed from when its name is known. */
  readonly #asked = new Map<number, Open>();
  readonly #byId = new Map<string | number, Open>();
  #lastCall = 0;
  #stopAwaiting: (() => void) | undefined;

  constructor(
    url: string,
    options: UpstreamSocketOptions & { readonly answerMs: number },
    forget: (connection: Connection) => void,
  ) {
    this.#answerMs = options.answerMs;
    this.#forget = forget;
    const target = {
      url,
      protocol: null,
      opened: () => {
        for (const each of this.#all) this.#ask(each);
      },
      message: (text: string) => this.#read(text),
      lost: () => this.lose(),
    };
    this.#socket = new UpstreamSocket(target, options);
  }

  get size(): number {
    return this.#all.size;
  }

  add(subscription: RpcSubscription, sink: RpcSink): () => void {
    const open: Open = { subscription, sink, id: null };
    this.#all.add(open);
    if (this.#socket.isOpen) this.#ask(open);
    return () => {
      if (!this.#all.delete(open) || open.id === null) return;
      this.#byId.delete(open.id);
      this.#call(subscription.unsubscribe, [open.id]);
    };
  }

  close(): void {
    this.#stopAwaiting?.();
    this.#socket.close();
    this.#forget(this);
  }

  lose(): void {
    this.close();
    const all = [...this.#all];
    this.#all.clear();
    for (const { sink } of all) sink.lost();
  }

  #ask(open: Open): void {
    const { subscribe, params } = open.subscription;
    this.#asked.set(this.#call(subscribe, params), open);
    this.#stopAwaiting ??= this.#awaitAnswer();
  }

  #awaitAnswer(): () => void {
    return startPeerTimeout(this.#answerMs, () => this.lose());
  }

  #call(method: string, params: readonly unknown[]): number {
    this.#lastCall += 1;
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id: this.#lastCall, method, params }));
    return this.#lastCall;
  }

  #read(text: string): void {
    const message = toMessage(text);
    if (!message) {
      this.lose();
      return;
    }
    const { id, result, params } = message;
    const asked = typeof id === 'number' ? this.#asked.get(id) : undefined;
    if (asked) this.#answered(id as number, asked, result);
    else if (isName(params?.subscription)) this.#byId.get(params.subscription)?.sink.news();
  }

  #answered(call: number, open: Open, result: unknown): void {
    this.#asked.delete(call);
    this.#stopAwaiting?.();
    this.#stopAwaiting = this.#asked.size > 0 ? this.#awaitAnswer() : undefined;
    const isLeft = !this.#all.has(open);
    if (!isName(result)) {
      this.#all.delete(open);
      if (!isLeft) open.sink.refused();
    } else if (isLeft) this.#call(open.subscription.unsubscribe, [result]);
    else {
      open.id = result;
      this.#byId.set(result, open);
      open.sink.up();
    }
  }
}

interface Message {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly params?: { readonly subscription?: unknown } | null;
}

/** `null` if it is no JSON-RPC. */
function toMessage(text: string): Message | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}

/** Nodes name subscriptions by numbers, some by short texts. */
function isName(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && value.length <= 100);
}
