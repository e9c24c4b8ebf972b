import { UpstreamCallError } from '../upstream-call-error.ts';
import {
  type ConnectionTarget,
  createSharedSocket,
  parseMessage,
  SharedConnection,
  type SharedSocket,
  type SharedSocketOptions,
  type SubscriptionEntry,
  type SubscriptionSink,
} from './shared-connection.ts';

/** A subscription at a node: the JSON-RPC methods that open and close it. */
export interface RpcSubscription {
  readonly subscribe: string;
  readonly unsubscribe: string;
  readonly params: readonly unknown[];
}

/** Receives the events of one subscription. The last call is `refused` or `lost`. */
export interface RpcSink extends SubscriptionSink {
  up(): void;
  /** The node sent a notification, which is not parsed. */
  news(): void;
}

/** Subscriptions at a node that speaks JSON-RPC over WebSocket. */
export type RpcSocket = SharedSocket<RpcSubscription, RpcSink>;

export interface RpcSocketOptions extends SharedSocketOptions {
  /** Milliseconds after which an unanswered call means that the connection is lost. */
  readonly answerMs?: number;
}

/** All subscriptions share one connection. */
export function createRpcSocket({ answerMs = 10_000, ...options }: RpcSocketOptions): RpcSocket {
  return createSharedSocket(options, (target) => new RpcConnection(target, answerMs));
}

type RpcEntry = SubscriptionEntry<RpcSubscription, RpcSink>;

class RpcConnection extends SharedConnection<RpcSubscription, RpcSink> {
  readonly #answerMs: number;
  /** Calls that the node has not answered yet, by call id. */
  readonly #asked = new Map<number, RpcEntry>();
  #lastCall = 0;

  constructor(target: ConnectionTarget, answerMs: number) {
    super(target, null);
    this.#answerMs = answerMs;
  }

  protected opened(): void {
    this.ready();
  }

  protected ask(entry: RpcEntry): void {
    const { subscribe, params } = entry.subscription;
    this.#asked.set(this.#call(subscribe, params), entry);
    if (this.#asked.size === 1) this.#awaitAnswer();
  }

  /** If the node has not answered yet, the gateway unsubscribes after the answer. */
  protected left({ id, subscription }: RpcEntry): void {
    this.#call(subscription.unsubscribe, [id]);
  }

  protected read(text: string): void {
    const message = parseMessage(text);
    if (!message) {
      this.lose(new UpstreamCallError('garbled', 'a message that is not JSON-RPC'));
      return;
    }
    const { id, result, params } = message;
    const asked = typeof id === 'number' ? this.#asked.get(id) : undefined;
    if (asked) this.#answered(id as number, asked, result);
    const { subscription } = Object(params);
    if (!asked && isSubscriptionId(subscription)) this.byId.get(subscription)?.sink.news();
  }

  #answered(call: number, entry: RpcEntry, result: unknown): void {
    this.#asked.delete(call);
    if (this.#asked.size > 0) this.#awaitAnswer();
    else this.stopAwaiting();
    if (!isSubscriptionId(result)) {
      if (this.remove(entry)) entry.sink.refused([]);
    } else if (this.has(entry)) {
      entry.id = result;
      this.byId.set(result, entry);
      entry.sink.up();
    } else this.#call(entry.subscription.unsubscribe, [result]);
  }

  #awaitAnswer(): void {
    this.await(this.#answerMs, `no answer within ${this.#answerMs} ms`);
  }

  #call(method: string, params: readonly unknown[]): number {
    this.#lastCall += 1;
    this.send(JSON.stringify({ jsonrpc: '2.0', id: this.#lastCall, method, params }));
    return this.#lastCall;
  }
}

/** Nodes use numbers or short strings as ids. */
function isSubscriptionId(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && value.length <= 100);
}
