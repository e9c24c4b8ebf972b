import type { IncomingMessage } from 'node:http';
import { type Sender, toSender } from '../../callers/identify-caller.ts';
import { isUsageAsked } from '../../documents/cost/usage.ts';
import type { Departure } from './departure.ts';

/**
 * In bytes, what a client may send between two pings besides operations; more ends the connection. Nobody else counts
 * such messages, yet each is read and some are answered. Operations of a caller over its limit count as such messages
 * too.
 */
const maxChatterBytes = 256 * 1024;
/** Added for each message, so that many small ones are bounded too. */
const messageCost = 64;

/** The state of one WebSocket: its caller, its operations, and whether it is still open. */
export interface SocketSession {
  readonly requestId: string;
  readonly sender: Sender;
  readonly showUsage: boolean;
  /** Under way at this moment. */
  readonly operations: number;
  /** Has its client greeted? */
  readonly isIntroduced: boolean;
  /** To be called once. Reads the credentials from `connection_init` and keeps nothing else of it. */
  introduce(params: Readonly<Record<string, unknown>> | undefined): void;
  /**
   * Counts a message.
   * @returns `false` if too much came since the last ping
   */
  heard(bytes: number): boolean;
  /**
   * Takes the last message off the count, because it is an operation, which admission counts.
   * @returns what it had counted for
   */
  forgive(): number;
  /** Counts that operation after all, because its caller is over its limit. */
  blame(cost: number): void;
  /** Starts counting from zero. */
  rest(): void;
  /** An operation is under way. */
  begin(operation: Departure): void;
  /** To be called once, when it is over. */
  end(operation: Departure): void;
  /** The connection is gone: tells each operation so. graphql-ws forgets one whose id its client has used again. */
  leave(): void;
}

export interface SessionOptions {
  readonly request: IncomingMessage;
  readonly requestId: string;
  /** Names of the headers by which a caller asks to be told its usage. */
  readonly usageHeaders: readonly string[];
}

export function createSession(options: SessionOptions): SocketSession {
  return new OpenSession(options);
}

/** A class, because there is one for each connection, and ten thousand of those may do nothing but wait. */
class OpenSession implements SocketSession {
  readonly requestId: string;
  readonly #usageHeaders: readonly string[];
  readonly #remoteAddress: string | undefined;
  /** Let go once the client has greeted: all else of its headers is kept by nobody. */
  #headers: IncomingMessage['headers'] | null;
  #chatter = 0;
  #last = 0;
  sender: Sender;
  showUsage: boolean;
  /** No `Set`, which would be made anew every few operations. */
  readonly #underWay: Departure[] = [];

  constructor({ request, requestId, usageHeaders }: SessionOptions) {
    this.requestId = requestId;
    this.#usageHeaders = usageHeaders;
    this.#remoteAddress = request.socket.remoteAddress;
    this.#headers = request.headers;
    this.sender = toSender(request.headers, this.#remoteAddress);
    this.showUsage = isUsageAsked(request.headers, usageHeaders);
  }

  get operations(): number {
    return this.#underWay.length;
  }

  get isIntroduced(): boolean {
    return this.#headers === null;
  }

  introduce(params: Readonly<Record<string, unknown>> | undefined): void {
    const spoken: ReadonlySet<string> = new Set(['authorization', 'x-api-key', ...this.#usageHeaders]);
    const headers = { ...this.#headers, ...headersIn(params, spoken) };
    this.#headers = null;
    this.sender = toSender(headers, this.#remoteAddress);
    this.showUsage = isUsageAsked(headers, this.#usageHeaders);
  }

  heard(bytes: number): boolean {
    const isWithin = this.#chatter <= maxChatterBytes;
    this.#last = bytes + messageCost;
    this.#chatter += this.#last;
    return isWithin;
  }

  forgive(): number {
    this.#chatter -= this.#last;
    return this.#last;
  }

  blame(cost: number): void {
    this.#chatter += cost;
  }

  rest(): void {
    this.#chatter = 0;
  }

  begin(operation: Departure): void {
    operation.place = this.#underWay.length;
    this.#underWay.push(operation);
  }

  end({ place }: Departure): void {
    const last = this.#underWay.pop();
    if (!last || last.place === place) return;
    this.#underWay[place] = last;
    last.place = place;
  }

  leave(): void {
    for (const each of [...this.#underWay]) void each.return();
  }
}

/**
 * Entries of `connection_init` stand for headers, in any case, because pages cannot set headers on a WebSocket. Only
 * those count in which a caller identifies itself: where it comes from is said by the browser and the proxies.
 */
function headersIn(
  params: Readonly<Record<string, unknown>> | undefined,
  spoken: ReadonlySet<string>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [key, value] of Object.entries(params ?? {})) {
    const name = key.toLowerCase();
    if (typeof value === 'string' && spoken.has(name)) headers[name] ??= value;
  }
  return headers;
}
