import {
  type ExecutionResult,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInputObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { gatewayError } from '../errors/gateway-error.ts';
import type { WatchAttempt } from '../live/live-source.ts';
import type { StreamQuota } from '../live/stream-quota.ts';
import { Turns } from '../upstream/fair-turns.ts';
import type { ItemReader, PushedItems } from '../upstream/operation-context.ts';
import type { QuotaGroup } from '../upstream/quota.ts';
import { createGraphqlSubscriptions } from '../upstream/sockets/graphql-event-streams.ts';
import type { GraphqlSocket, PushSink } from '../upstream/sockets/graphql-socket.ts';
import type { SharedSocketOptions, SocketAddresses } from '../upstream/sockets/shared-connection.ts';
import { toGatewayError } from '../upstream/upstream-call-error.ts';
import { type ReadText, readLedgerResult, type TransientErrors, toGraphqlErrors } from './answers/ledger-answer.ts';
import type { ForwardRequest } from './ledger-executor.ts';

/** Maximum of subscriptions, as nodes have for JSON-RPC. Further readers poll. */
const maxSubscriptions = 100;

interface LedgerPushOptions extends SocketAddresses {
  /** The schema in force; `null` while there is none. */
  readonly schema: () => GraphQLSchema | null;
}

export type LedgerPush = ReturnType<typeof createLedgerPush>;

/**
 * The ledger's own subscriptions, used to trigger polls.
 * Uses a connection of its own, because a large result for a client may break the clients' connection. Messages only trigger
 * polls, so few and small ones are enough.
 */
export function createLedgerPush({ schema, ...addresses }: LedgerPushOptions) {
  const socket = createGraphqlSubscriptions({
    ...addresses,
    maxSubscriptions,
    socket: { maxMessageBytes: 65_536, maxMessagesPerSecond: 2_000 },
  });
  return {
    /**
     * Does the ledger have such a subscription, and does its argument `filter` have such a member?
     * @param member `null` = without a filter
     */
    offers(field: string, member: string | null): boolean {
      const found = schema()?.getSubscriptionType()?.getFields()[field];
      if (!found || !isCompositeType(getNamedType(found.type))) return false;
      if (found.args.some((argument) => argument.name !== 'filter' && isRequiredArgument(argument))) return false;
      const argument = found.args.find(({ name }) => name === 'filter');
      if (member === null) return !argument || !isRequiredArgument(argument);
      const filter = getNamedType(argument?.type);
      if (!isInputObjectType(filter) || !filter.getFields()[member]) return false;
      return Object.values(filter.getFields()).every((each) => each.name === member || !isRequiredInputField(each));
    },
    /** Subscribes. @returns unsubscribes */
    listen: (query: string, attempt: WatchAttempt): (() => void) =>
      socket.subscribe(
        { query },
        {
          sent: () => attempt.up(),
          next: () => attempt.news(),
          refused: () => attempt.down(true),
          ended: () => attempt.down(false),
          lost: () => attempt.down(false),
        },
      ),
  };
}

interface LedgerStreamRequest extends Pick<ForwardRequest, 'text' | 'isClientsText' | 'operationName' | 'variables'> {
  /** The caller, for its limit on streams. */
  readonly caller: string;
  readonly group?: QuotaGroup | undefined;
}

/**
 * Opens a subscription of the ledger and forwards its results. If it breaks, it rejects with a catalogued error.
 * @throws `RATE_LIMITED` or `UNAVAILABLE` if the caller, or the gateway, has too many, or the gateway is stopping
 */
export type OpenLedgerStream = (request: LedgerStreamRequest) => PushedItems<ExecutionResult>;

interface LedgerStreamsOptions extends SharedSocketOptions {
  readonly places: StreamQuota;
  /** Left out: none. */
  readonly transient?: TransientErrors;
  /** A connection may have thousands of streams, which would all end in one turn of the event loop. Left out: turns of its own. */
  readonly turns?: Turns;
}

/** Callers with a connection of their own. Beyond this number, the oldest return to the shared connection. */
const maxIsolated = 1_000;

export type LedgerStreams = ReturnType<typeof createLedgerStreams>;

/**
 * Subscriptions of clients at the ledger, over one connection. Equal ones are not merged, because each has its own first
 * result. Nothing about the caller is sent. If a message is too large and breaks the connection, each caller on it gets a
 * connection of its own next time, so that a second such message affects only one caller.
 */
export function createLedgerStreams({ places, transient, turns = new Turns(), ...options }: LedgerStreamsOptions) {
  const socket = createGraphqlSubscriptions(options);
  const isolated = new Map<string, GraphqlSocket>();
  const isolate = (caller: string) => {
    if (isolated.has(caller)) return;
    isolated.set(caller, createGraphqlSubscriptions(options));
    const [oldest] = isolated.size > maxIsolated ? isolated.keys() : [];
    if (oldest !== undefined) isolated.delete(oldest);
  };
  const streams = new Set<LedgerStream>();
  const unread: UnreadResults = {
    bytes: 0,
    endSlowest(bytes) {
      let slowest: LedgerStream | null = null;
      for (const each of streams) if (each.unreadBytes > (slowest?.unreadBytes ?? bytes)) slowest = each;
      slowest?.endUnread();
      return slowest !== null;
    },
  };
  let isStopping = false;
  return {
    open({ text, isClientsText, operationName, variables, caller, group }: LedgerStreamRequest) {
      if (isStopping) throw stopping();
      const place = places.take(caller, 1, group);
      let unsubscribe = () => {};
      const onEnd = () => {
        streams.delete(stream);
        place.leave();
        unsubscribe();
      };
      const stream = new LedgerStream(unread, isClientsText ? () => text : null, onEnd, transient);
      streams.add(stream);
      const operation = { query: text, variables, ...(operationName !== null && { operationName }) };
      unsubscribe = (isolated.get(caller) ?? socket).subscribe(operation, {
        ...stream.sink,
        lost(error) {
          if (error.failure === 'too-large') isolate(caller);
          turns.add(() => stream.sink.lost(error));
        },
      });
      return stream;
    },
    /** Ends every stream with an error that gives the reason, and opens no more. */
    stop(): void {
      isStopping = true;
      for (const stream of streams) turns.add(() => stream.stop(stopping()));
      turns.add(() => {
        for (const each of [socket, ...isolated.values()]) each.close();
      });
    },
  };
}

/** Memory of unread results of all streams together. */
interface UnreadResults {
  bytes: number;
  /** Ends the stream with the most of it. @returns `false` if none has more than these bytes */
  readonly endSlowest?: (bytes: number) => boolean;
}

/** Limits on unread results in bytes of text; parsed values take several times as much. */
const maxBytesOfStream = 256 * 1024;
const maxBytesOfAll = 32 * 1024 * 1024;
/** Each stream may always keep one result of this size. */
const minQueueBytes = 16 * 1024;

interface Unread {
  readonly bytes: number;
  /** Throws if it is not a GraphQL result. */
  readonly read: () => ExecutionResult;
}

/** One subscription of the ledger. It cannot be resumed: a failure ends it with an error after the results received so far. */
export class LedgerStream implements PushedItems<ExecutionResult> {
  /** Receives the ledger's messages. */
  readonly sink: PushSink = {
    next: (result, bytes) => this.#take(result, bytes),
    refused: (errors) => this.#finish(() => ({ errors: toGraphqlErrors(errors, this.#readText, this.#transient) })),
    ended: () => this.#end(),
    lost: (error) => this.stop(toGatewayError(error, 'ledger')),
  };

  readonly #all: UnreadResults;
  readonly #readText: ReadText | null;
  readonly #onEnd: () => void;
  readonly #transient: TransientErrors;
  #unread: Unread[] = [];
  #bytes = 0;
  #reader: ItemReader<ExecutionResult> | null = null;
  #isOver = false;

  /** @param onEnd called once, when the subscription at the ledger is no longer needed */
  constructor(all: UnreadResults, readText: ReadText | null, onEnd: () => void, transient: TransientErrors = []) {
    this.#all = all;
    this.#readText = readText;
    this.#onEnd = onEnd;
    this.#transient = transient;
  }

  pushTo(reader: ItemReader<ExecutionResult>): void {
    this.#reader = reader;
    this.resume();
  }

  resume(): void {
    while (this.#reader?.isReady && this.#unread.length > 0) this.#push(this.#reader);
    if (!this.#isOver || this.#unread.length > 0) return;
    this.#reader?.end();
    this.#reader = null;
  }

  #push(reader: ItemReader<ExecutionResult>): void {
    const [{ bytes, read }] = this.#unread.splice(0, 1) as [Unread];
    this.#count(-bytes);
    let result: ExecutionResult;
    try {
      result = read();
    } catch (error) {
      this.#reader = null;
      this.leave();
      reader.fail(error);
      return;
    }
    reader.take(result);
  }

  get unreadBytes(): number {
    return this.#bytes;
  }

  /** Ends it with an error in place of the unread results. */
  endUnread(): void {
    this.#dropUnread();
    this.stop(tooSlow());
  }

  leave(): void {
    this.#dropUnread();
    this.#end();
  }

  /** Ends it with an error, after the unread results. */
  stop(error: Error): void {
    this.#finish(() => {
      throw error;
    });
  }

  #take(result: unknown, bytes: number): void {
    if (this.#isOver) return;
    const isFirst = this.#unread.length === 0;
    if (
      isFirst
        ? bytes <= minQueueBytes || this.#hasRoom(bytes)
        : this.#bytes + bytes <= maxBytesOfStream && this.#hasRoom(bytes)
    ) {
      this.#count(bytes);
      this.#unread.push({ bytes, read: () => readLedgerResult(result, bytes, this.#readText, this.#transient) });
      this.resume();
    } else this.stop(tooSlow());
  }

  /** Streams with more unread results than this one make room. */
  #hasRoom(bytes: number): boolean {
    while (this.#all.bytes + bytes > maxBytesOfAll) if (!this.#all.endSlowest?.(this.#bytes + bytes)) return false;
    return true;
  }

  #dropUnread(): void {
    for (const { bytes } of this.#unread.splice(0)) this.#count(-bytes);
  }

  #finish(read: Unread['read']): void {
    if (this.#isOver) return;
    this.#unread.push({ bytes: 0, read });
    this.#end();
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#all.bytes += bytes;
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd();
    this.resume();
  }
}

function stopping() {
  return gatewayError('UNAVAILABLE', 'This gateway is stopping. Connect again.');
}

function tooSlow() {
  const says = 'This stream was read more slowly than the ledger sent it, and has ended. Subscribe again.';
  return gatewayError('UNAVAILABLE', says, { upstream: 'ledger' });
}
