import { type Client, createClient, TerminatedCloseEvent } from 'graphql-ws/client';
import { printJson } from '../../json/exact-number.ts';
import { parseJson } from '../../json/parse-json.ts';
import { startPeerTimeout } from '../peer-timeout.ts';
import { UpstreamCallError } from '../upstream-call-error.ts';
import { UpstreamSocket, type UpstreamSocketOptions, usualSocketOptions } from './upstream-socket.ts';

/** A subscription as the upstream is sent it. */
export interface PushedOperation {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly operationName?: string | undefined;
}

/** Receives what an upstream says of one subscription; nothing after `refused`, `ended` or `lost`. */
export interface PushSink {
  /** It was sent: what happens from now on should be told. */
  sent?(): void;
  /** A result as it came, parsed, and what its message took in bytes, roughly. */
  next(result: unknown, bytes: number): void;
  /** The errors for which it is not executed, as they came. */
  refused(errors: unknown): void;
  ended(): void;
  lost(error: UpstreamCallError): void;
}

/** Subscriptions at an upstream that speaks `graphql-transport-ws`. */
export interface GraphqlSocket {
  /** @returns leaves it: nothing more is told */
  subscribe(operation: PushedOperation, sink: PushSink): () => void;
  /** Loses all of them. */
  close(): void;
}

export interface GraphqlSocketOptions {
  readonly url: string;
  /** For so many milliseconds the connection is kept that nothing needs any more. */
  readonly graceMs?: number;
  readonly socket?: Partial<UpstreamSocketOptions>;
}

const usualGraceMs = 200;

/**
 * One connection carries all of them, made when the first one comes and closed when the last one has gone. When it is lost each
 * is told so, and the next one makes another: what to do meanwhile is for those who subscribe to decide.
 */
export function createGraphqlSocket({ url, graceMs = usualGraceMs, socket = {} }: GraphqlSocketOptions): GraphqlSocket {
  const options = { ...usualSocketOptions, ...socket };
  const mail = new Mail();
  let lastId = 0;
  let open = 0;
  let client: Client | null = null;
  let graceTimer: NodeJS.Timeout | undefined;

  /** A connection that is still being made would else be made to its end. */
  function endUnused(): void {
    clearTimeout(graceTimer);
    graceTimer = setTimeout(() => {
      if (open === 0) client?.terminate();
    }, graceMs);
  }

  return {
    subscribe(operation, sink) {
      client ??= createClient({
        url,
        webSocketImpl: toImplementation(mail, options),
        // Whoever subscribes decides whether to go on, and is told of the gap first.
        retryAttempts: 0,
        lazyCloseTimeout: graceMs,
        generateID: () => String(lastId),
      });
      lastId += 1;
      open += 1;
      const id = String(lastId);
      mail.post(id, operation, () => sink.sent?.());
      let isOver = false;
      const end = () => {
        if (isOver) return false;
        isOver = true;
        mail.drop(id);
        open -= 1;
        if (open === 0) endUnused();
        return true;
      };
      const stop = client.subscribe(
        { query: '' },
        {
          next: () => {
            if (!isOver) sink.next(mail.payload, mail.bytes);
          },
          error: (reason) => {
            if (!end()) return;
            if (Array.isArray(reason)) sink.refused(mail.payload);
            else sink.lost(toLoss(reason));
          },
          complete: () => {
            if (end()) sink.ended();
          },
        },
      );
      return () => {
        if (end()) stop();
      };
    },
    close() {
      client?.terminate();
    },
  };
}

/**
 * What is said is kept from the library, which parses and prints JSON by itself, and would round numbers: it is shown the
 * envelopes alone.
 */
class Mail {
  /** Of the message that is being read. */
  payload: unknown;
  bytes = 0;
  /** By their ids: operations that were not sent yet. */
  readonly #outgoing = new Map<string, { readonly operation: PushedOperation; readonly onSent: () => void }>();

  post(id: string, operation: PushedOperation, onSent: () => void): void {
    this.#outgoing.set(id, { operation, onSent });
  }

  /** It is over, sent or not. */
  drop(id: string): void {
    this.#outgoing.delete(id);
  }

  /** A message of the library's, with what it was not shown. */
  toSent(text: string): string {
    const { id, type } = JSON.parse(text) as { readonly id?: string; readonly type: string };
    const posted = id !== undefined && type === 'subscribe' ? this.#outgoing.get(id) : undefined;
    if (id === undefined || !posted) return text;
    this.#outgoing.delete(id);
    posted.onSent();
    return printJson({ id, type, payload: posted.operation });
  }

  /** What the library may see of a message; `null` if it is none of the protocol. */
  toShown(text: string): string | null {
    let message: unknown;
    try {
      message = parseJson(text);
    } catch {
      return null;
    }
    if (!isObject(message)) return null;
    const { id, type, payload } = message;
    this.payload = payload;
    this.bytes = text.length;
    switch (type) {
      case 'connection_ack':
      case 'ping':
      case 'pong':
        return JSON.stringify({ type });
      case 'next':
        return isOurs(id) ? JSON.stringify({ id, type, payload: {} }) : null;
      case 'error':
        return isOurs(id) ? JSON.stringify({ id, type, payload: [{ message: '' }] }) : null;
      case 'complete':
        return isOurs(id) ? JSON.stringify({ id, type }) : null;
      default:
        return null;
    }
  }
}

/** Of a form that we give, be it of an operation that is over. */
function isOurs(id: unknown): id is string {
  return typeof id === 'string' && /^\d{1,16}$/.test(id);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An end that the library does not take for one that was agreed upon: that it would connect again after, at once and silently. */
interface LostEvent {
  readonly code: 1006;
  readonly reason: string;
  readonly cause: UpstreamCallError;
}

/** A bounded socket in the form that the library knows. */
function toImplementation(mail: Mail, options: UpstreamSocketOptions) {
  return class {
    static readonly CONNECTING = 0;
    static readonly OPEN = 1;
    static readonly CLOSING = 2;
    static readonly CLOSED = 3;
    onopen: (() => void) | null = null;
    onmessage: ((event: { readonly data: string }) => void) | null = null;
    onclose: ((event: LostEvent) => void) | null = null;
    onerror: (() => void) | null = null;
    readonly #socket: UpstreamSocket;
    #stopAwaiting = () => {};
    #wasClosed = false;

    constructor(url: string, protocol: string) {
      const lost = (cause: UpstreamCallError) => this.#lose(cause);
      const target = {
        url,
        protocol,
        opened: () => {
          this.#awaitAcknowledgement();
          this.onopen?.();
        },
        message: (text: string) => {
          const data = mail.toShown(text);
          if (data === acknowledgement) this.#stopAwaiting();
          if (data !== null) this.onmessage?.({ data });
          else this.#giveUp(new UpstreamCallError('garbled', 'a message that is none of graphql-transport-ws'));
        },
        lost,
      };
      this.#socket = new UpstreamSocket(target, options);
    }

    get readyState(): number {
      if (this.#wasClosed) return 3;
      return this.#socket.isOpen ? 1 : 0;
    }

    send(text: string): void {
      this.#socket.send(mail.toSent(text));
    }

    /** The library closes what is not needed, and what does not keep to the protocol. */
    close(code: number): void {
      this.#giveUp(new UpstreamCallError('garbled', `closed from here (${code})`));
    }

    #awaitAcknowledgement(): void {
      this.#stopAwaiting = startPeerTimeout(options.connectMs, () =>
        this.#giveUp(new UpstreamCallError('timeout', 'the connection was not acknowledged in time')),
      );
    }

    #giveUp(cause: UpstreamCallError): void {
      this.#socket.close();
      this.#lose(cause);
    }

    #lose(cause: UpstreamCallError): void {
      if (this.#wasClosed) return;
      this.#wasClosed = true;
      this.#stopAwaiting();
      this.onclose?.({ code: 1006, reason: cause.message, cause });
    }
  };
}

/** As the library is shown it. */
const acknowledgement = JSON.stringify({ type: 'connection_ack' });

function toLoss(reason: unknown): UpstreamCallError {
  if (reason instanceof TerminatedCloseEvent) return new UpstreamCallError('interrupted', 'closed from here');
  const { cause } = (reason ?? {}) as { readonly cause?: unknown };
  if (cause instanceof UpstreamCallError) return cause;
  return new UpstreamCallError('garbled', 'a message out of turn', { cause: reason });
}
