import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import type { AddressGate } from '../../callers/caller-gate.ts';
import { type Sender, toAddressKey, toSender } from '../../callers/identify-caller.ts';
import type { UsageHeader } from '../../config/network-profile.ts';
import { isUsageAsked } from '../../documents/cost/usage.ts';
import { isObject, parseMessageJson, printJson } from '../../json/exact-json.ts';
import { isTooComplex, maxJsonCommas, maxJsonNesting } from '../../json/json-size.ts';
import { type OperationRequest, parseRequest } from '../../operation/parse-request.ts';
import type { TurnClient } from '../../upstream/fair-turns.ts';
import type { PlaceFor } from '../../upstream/quota.ts';
import { heartbeatMs } from '../event-stream.ts';
import { Beating, Heartbeats } from '../heartbeats.ts';
import type { BytesInFlight } from '../read-body.ts';
import { type MessageObserver, MessageReader } from './message-reader.ts';
import { ArrivalBounds, closeCodes, GreetingBounds, MessageBudget } from './socket-bounds.ts';
import { type OperationSocket, SocketOperation, type SocketOperationOptions } from './socket-operation.ts';
import { SocketWriter, type WriterOwner } from './socket-writer.ts';

interface SocketServerOptions extends Omit<ClientSocketOptions, 'arrivals' | 'heartbeats' | 'onRunning'> {
  /** Largest message that a client may send, in bytes; a larger one closes the connection. */
  readonly maxMessageBytes: number;
  readonly bytesInFlight: BytesInFlight;
  /** Interval of pings in milliseconds. */
  readonly pingMs?: number;
}

export interface Upgrade {
  readonly requestId: string;
  /** Address of the client: IPv4, or the /64 of an IPv6 address. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Called once, with the status of the response. */
  readonly answered: (status: number) => void;
  /** Called instead if the handshake is malformed. */
  readonly malformed: () => void;
  /** Called when the WebSocket is open. */
  readonly opened?: (writer: Pick<SocketWriter, 'unwritten'>) => void;
}

export type SocketServer = ReturnType<typeof createSocketServer>;

/** Milliseconds that a client may take to answer the closing handshake. */
const closeTimeoutMs = 1_000;

export function createSocketServer(options: SocketServerOptions) {
  const upgrades = new WeakMap<IncomingMessage, Upgrade>();
  let draining = false;
  let running = 0;
  let onIdle = () => {};
  const socketOptions: ClientSocketOptions = {
    ...options,
    arrivals: options.bytesInFlight,
    heartbeats: new Heartbeats(options.pingMs ?? heartbeatMs),
    onRunning(change) {
      running += change;
      // The response reaches the socket in a later turn of the event loop: wait for that too.
      if (draining && running === 0) setImmediate(() => running === 0 && onIdle());
    },
  };

  // A variable, because the type of the options lacks some of them.
  const bounds = {
    maxPayload: options.maxMessageBytes,
    // Many small fragments of one large message would take a hundred times its size in memory.
    maxBufferedChunks: 4_096,
    maxFragments: 1_024,
    closeTimeout: closeTimeoutMs,
  };
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => offered.has(subprotocol) && subprotocol,
    ...bounds,
  });
  sockets.on('headers', (lines, req) => {
    const upgrade = upgrades.get(req);
    for (const [name, value] of Object.entries(upgrade?.headers ?? {})) lines.push(`${name}: ${value}`);
    upgrade?.answered(101);
  });
  sockets.on('wsClientError', (_error, socket, req) => {
    const upgrade = upgrades.get(req);
    if (upgrade) upgrade.malformed();
    else socket.destroy();
  });

  return {
    get draining(): boolean {
      return draining;
    },
    accept(req: IncomingMessage, socket: Duplex, head: Buffer, upgrade: Upgrade): void {
      upgrades.set(req, upgrade);
      sockets.handleUpgrade(req, socket, head, (accepted) => {
        const { writer } = new ClientSocket(accepted, req, upgrade, socketOptions);
        upgrade.opened?.(writer);
      });
    },
    /** Waits for running operations, for `graceMs` at most, then asks every client to reconnect elsewhere. */
    async drain(graceMs: number): Promise<void> {
      draining = true;
      if (running > 0)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, graceMs);
          onIdle = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      for (const socket of sockets.clients) socket.close(closeCodes.goingAway, 'Going away');
      await new Promise<void>((resolve) => sockets.close(() => resolve()));
    },
  };
}

interface ClientSocketOptions extends SocketOperationOptions {
  readonly addresses: Pick<AddressGate, 'admit' | 'admitCheap'>;
  /** Bytes that a client may send before the acknowledgement; more closes the connection. */
  readonly maxGreetingBytes: number;
  readonly arrivals: PlaceFor;
  readonly usageHeaders: readonly UsageHeader[];
  /** When to ping clients. */
  readonly heartbeats: Heartbeats;
  /** Called with 1 when an operation begins, and with -1 when it ends. */
  readonly onRunning: (change: 1 | -1) => void;
}

/** Messages besides operations that count as one cheap request. */
const messagesPerRequest = 10;

const subprotocol = 'graphql-transport-ws';

const clientKey = Symbol('client');
type ServedSocket = WebSocket & { [clientKey]: ClientSocket };
const clientOf = (socket: WebSocket) => (socket as ServedSocket)[clientKey];

const ignore = () => {};

/**
 * Serves one WebSocket by graphql-transport-ws (https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md): the client
 * sends `connection_init` and is acknowledged, then sends `subscribe` and `complete` for operations; either side may `ping`.
 * Everything else closes the connection.
 */
export class ClientSocket extends Beating implements OperationSocket, MessageObserver, WriterOwner {
  readonly requestId: string;
  readonly address: string;
  readonly budget = new MessageBudget();
  readonly writer: SocketWriter;
  sender: Sender;
  showUsage: boolean;
  running = 0;
  readonly #socket: WebSocket;
  readonly #options: ClientSocketOptions;
  readonly #remoteAddress: string | undefined;
  /** Headers of the upgrade request; dropped on `connection_init`, because thousands of connections may be idle. */
  #headers: IncomingMessage['headers'] | null;
  #isAcknowledged = false;
  /** Messages besides operations that were not yet counted against the address. */
  #uncounted = 0;
  /** `null` once the client is acknowledged. */
  #greeting: GreetingBounds | null;
  readonly #arrivals: ArrivalBounds;
  #hasAnswered = true;
  /** Operations by id, without those that the client has completed. */
  readonly #operations = new Map<string, SocketOperation>();

  /** Listeners of all WebSockets, which find the client by a symbol: ten thousand WebSockets need none of their own. */
  static readonly #listeners = {
    message(this: WebSocket, data: RawData): void {
      const client = clientOf(this);
      client.#arrivals.readMessage(data as Buffer);
      if (this.protocol === subprotocol) client.#hear(data as Buffer);
    },
    ping(this: WebSocket, data: Buffer): void {
      const client = clientOf(this);
      client.#arrivals.readFrame(data);
      client.#isWithinBudget(data.length);
    },
    pong(this: WebSocket, data: Buffer): void {
      const client = clientOf(this);
      client.#arrivals.readFrame(data);
      client.#hasAnswered = true;
      client.#isWithinBudget(data.length);
    },
    close(this: WebSocket): void {
      clientOf(this).#close();
    },
  };

  constructor(
    socket: WebSocket,
    request: IncomingMessage,
    { requestId, address }: Pick<Upgrade, 'requestId' | 'address'>,
    options: ClientSocketOptions,
  ) {
    super();
    const { headers, socket: connection } = request;
    this.requestId = requestId;
    this.address = address;
    this.writer = new SocketWriter(socket, connection, this);
    this.sender = toSender(headers, connection.remoteAddress);
    this.showUsage = isUsageAsked(headers, options.usageHeaders);
    this.#socket = socket;
    this.#options = options;
    this.#remoteAddress = connection.remoteAddress;
    this.#headers = headers;
    new MessageReader(socket, connection, this, options.arrivals);
    this.#greeting = new GreetingBounds(socket, options.maxGreetingBytes, () => this.#headers === null);
    this.#arrivals = new ArrivalBounds(socket, options.arrivals, address);
    options.heartbeats.add(this);
    (socket as ServedSocket)[clientKey] = this;
    for (const [event, listener] of Object.entries(ClientSocket.#listeners)) socket.on(event, listener);
    // The library closes a broken connection itself. Without a listener, its error would end the process.
    socket.on('error', ignore);
    if (socket.protocol !== subprotocol)
      socket.close(closeCodes.subprotocolNotAcceptable, 'Subprotocol not acceptable');
  }

  takeTurn(work: () => void, client: TurnClient | null = null): void | Promise<void> {
    return this.#options.turns.run(toAddressKey(this.address), client, work);
  }

  onWaiting(change: 1 | -1): void {
    this.#options.onRunning(change);
  }

  arrived(slice: Buffer): void {
    this.#greeting?.count(slice);
  }

  parsed(slice: Buffer): void {
    this.#arrivals.count(slice);
  }

  disconnected(): void {
    this.#arrivals.leave();
    this.writer.drop();
  }

  /** Pings the client; disconnects one that has not answered the last ping. */
  override beat(): void {
    this.budget.reset();
    // It need not answer while it reads a long message: the gateway reads nothing from it then.
    if (!this.writer.takeProgress() && !this.#hasAnswered) {
      this.#socket.terminate();
      return;
    }
    this.#hasAnswered = false;
    this.#socket.ping();
  }

  #close(): void {
    this.#options.heartbeats.remove(this);
    this.#endGreeting();
    for (const operation of this.#operations.values()) operation.leave();
    this.#operations.clear();
  }

  #endGreeting(): void {
    this.#greeting?.lift();
    this.#greeting = null;
  }

  #isWithinBudget(bytes: number): boolean {
    if (this.#socket.readyState !== WebSocket.OPEN) return false;
    this.#countCheap();
    if (this.budget.spend(bytes)) return true;
    this.#socket.close(closeCodes.policyViolation, 'Too much besides operations');
    return false;
  }

  /** Counts a message against the address, as long as it is not known to be an operation, which counts by itself. */
  #countCheap(): void {
    this.#uncounted += 1;
    if (this.#uncounted < messagesPerRequest) return;
    this.#uncounted = 0;
    void this.#options.addresses.admitCheap(this.address).then(({ error }) => {
      if (error) this.#socket.close(closeCodes.tryAgainLater, error.message);
    });
  }

  /** @param data one Buffer, as set by the default `binaryType` of the library */
  #hear(data: Buffer): void {
    if (!this.#isWithinBudget(data.length)) return;
    const isIntricate = isTooComplex(data, maxJsonNesting, maxJsonCommas);
    const message = isIntricate ? null : parseMessage(String(data));
    if (message)
      this.#answer(message).catch(() => this.#socket.close(closeCodes.internalError, 'Internal server error'));
    else this.#socket.close(closeCodes.badRequest, isIntricate ? 'Too intricate' : 'Invalid message received');
  }

  async #answer(message: ClientMessage): Promise<unknown> {
    switch (message.type) {
      case 'connection_init':
        return this.#initialise(message.payload ?? {});
      case 'ping': {
        const { payload } = message;
        return this.writer.send(printJson({ type: 'pong', ...(payload && { payload }) }));
      }
      case 'pong':
        return undefined;
      case 'subscribe':
        return this.#subscribe(message.id, message.request);
      case 'complete': {
        const operation = this.#operations.get(message.id);
        this.#operations.delete(message.id);
        return operation?.leave();
      }
    }
  }

  async #initialise(params: Readonly<Record<string, unknown>>): Promise<void> {
    const { addresses, usageHeaders } = this.#options;
    if (this.#headers === null)
      return this.#socket.close(closeCodes.tooManyInitialisations, 'Too many initialisation requests');
    const headers = { ...this.#headers, ...toHeaders(params, usageHeaders) };
    this.#headers = null;
    this.sender = toSender(headers, this.#remoteAddress);
    this.showUsage = isUsageAsked(headers, usageHeaders);
    const { error } = await addresses.admit(this.sender);
    if (error) return this.#socket.close(closeCodes.tryAgainLater, error.message);
    this.#endGreeting();
    this.#isAcknowledged = true;
    await this.writer.send('{"type":"connection_ack"}');
  }

  #subscribe(id: string, request: OperationRequest): unknown {
    if (!this.#isAcknowledged) return this.#socket.close(closeCodes.unauthorized, 'Unauthorized');
    if (this.#operations.has(id)) return this.#socket.close(closeCodes.idInUse, toIdInUse(id));
    this.#uncounted -= 1;
    const operation = new SocketOperation(id, this.budget.refund(), this, this.#options);
    this.#operations.set(id, operation);
    return operation.run(request);
  }

  began(): void {
    this.running += 1;
    this.#options.onRunning(1);
  }

  ended(): void {
    this.running -= 1;
    this.#options.onRunning(-1);
  }

  forget(id: string): void {
    this.#operations.delete(id);
  }
}

type Payload = Readonly<Record<string, unknown>> | null;
type ClientMessage =
  | { readonly type: 'connection_init' | 'ping' | 'pong'; readonly payload: Payload }
  | { readonly type: 'subscribe'; readonly id: string; readonly request: OperationRequest }
  | { readonly type: 'complete'; readonly id: string };

function parseMessage(text: string): ClientMessage | null {
  let value: unknown;
  try {
    value = parseMessageJson(text);
  } catch {
    return null;
  }
  if (!isObject(value)) return null;
  const { type, id, payload = null } = value;
  const hasId = typeof id === 'string' && id !== '';
  if (type === 'connection_init' || type === 'ping' || type === 'pong')
    return payload === null || isObject(payload) ? { type, payload } : null;
  if (type === 'complete') return hasId ? { type, id } : null;
  if (type !== 'subscribe' || !hasId) return null;
  const request = parseRequest(payload);
  return request.kind === 'request' ? { type, id, request } : null;
}

/** A close reason has at most 123 bytes. */
function toIdInUse(id: string): string {
  const reason = `Subscriber for ${id} already exists`;
  return Buffer.byteLength(reason) > 123 ? 'Subscriber already exists' : reason;
}

/**
 * Entries of `connection_init` replace headers, whatever their case, because pages cannot set headers on a WebSocket. Only
 * credentials are taken: browser and proxies set the headers about origin and address.
 */
function toHeaders(
  params: Readonly<Record<string, unknown>>,
  usageHeaders: readonly UsageHeader[],
): Record<string, string> {
  const allowed: ReadonlySet<string> = new Set(['authorization', 'x-api-key', ...usageHeaders.map(({ name }) => name)]);
  const headers: Record<string, string> = {};
  for (const [key, value] of Object.entries(params)) {
    const name = key.toLowerCase();
    if (typeof value === 'string' && allowed.has(name)) headers[name] ??= value;
  }
  return headers;
}
