import { printJson } from '../../json/exact-json.ts';
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

/** A subscription in the form that is sent to the upstream. */
export interface PushedOperation {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly operationName?: string | undefined;
}

/** Receives the events of one subscription. The last call is `refused`, `ended` or `lost`. */
export interface PushSink extends SubscriptionSink {
  /** The subscription was sent: the upstream should report everything from now on. */
  sent?(): void;
  /** @param result parsed. @param bytes approximate size of its message */
  next(result: unknown, bytes: number): void;
  ended(): void;
}

/** Subscriptions at an upstream that speaks `graphql-transport-ws`. */
export type GraphqlSocket = SharedSocket<PushedOperation, PushSink>;

/** All subscriptions share one connection. Does not use graphql-ws, which would round numbers. */
export function createGraphqlSocket(options: SharedSocketOptions): GraphqlSocket {
  return createSharedSocket(options, (target) => new GraphqlConnection(target));
}

type PushEntry = SubscriptionEntry<PushedOperation, PushSink>;

class GraphqlConnection extends SharedConnection<PushedOperation, PushSink> {
  readonly #acknowledgeMs: number;
  #isAcknowledged = false;
  #lastId = 0;

  constructor(target: ConnectionTarget) {
    super(target, 'graphql-transport-ws');
    this.#acknowledgeMs = target.options.connectMs;
  }

  protected opened(): void {
    this.send('{"type":"connection_init"}');
    this.await(this.#acknowledgeMs, 'the connection was not acknowledged in time');
  }

  protected ask(entry: PushEntry): void {
    this.#lastId += 1;
    const id = String(this.#lastId);
    entry.id = id;
    this.byId.set(id, entry);
    entry.sink.sent?.();
    this.send(printJson({ id, type: 'subscribe', payload: entry.subscription }));
  }

  protected left({ id }: PushEntry): void {
    this.send(JSON.stringify({ id, type: 'complete' }));
  }

  protected read(text: string): void {
    const message = parseMessage(text);
    if (!message || !this.#take(message, text.length))
      this.lose(new UpstreamCallError('garbled', 'a message that is none of graphql-transport-ws'));
  }

  /** @returns `false` if the protocol does not allow the message */
  #take({ id, type, payload }: Readonly<Record<string, unknown>>, bytes: number): boolean {
    if (type === 'ping') this.send('{"type":"pong"}');
    if (type === 'ping' || type === 'pong') return true;
    if (type === 'connection_ack') this.#acknowledge();
    else if (!this.#isAcknowledged || !isSubscriptionId(id)) return false;
    else if (type === 'next') this.byId.get(id)?.sink.next(payload, bytes);
    else if (type === 'error') this.#end(id)?.refused(payload);
    else if (type === 'complete') this.#end(id)?.ended();
    else return false;
    return true;
  }

  #acknowledge(): void {
    if (this.#isAcknowledged) return;
    this.#isAcknowledged = true;
    this.stopAwaiting();
    this.ready();
  }

  #end(id: string): PushSink | undefined {
    const entry = this.byId.get(id);
    return entry && this.remove(entry) ? entry.sink : undefined;
  }
}

/** Does an id have our form? Its operation may have ended. */
function isSubscriptionId(id: unknown): id is string {
  return typeof id === 'string' && /^\d{1,16}$/.test(id);
}
