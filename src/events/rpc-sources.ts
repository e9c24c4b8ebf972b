import type { GraphQLError } from 'graphql';
import type { z } from 'zod';
import type { NetworkProfile } from '../config/network-profile.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { completeInTurns, type TakeTurn } from '../json/complete-in-turns.ts';
import { parseJson } from '../json/exact-json.ts';
import { isAnswerTooDeep, maxAnswerNesting } from '../json/json-size.ts';
import { parseInPieces, pieceCharacters } from '../json/parse-in-pieces.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import { sharedTurns } from '../upstream/fair-turns.ts';
import type { UpstreamCall, UpstreamResponse } from '../upstream/upstream-call.ts';
import { toGatewayError } from '../upstream/upstream-call-error.ts';
import { FilterRejectedError, type FilterSupport } from './filter-support.ts';
import { refuseFilter, soleMember, toEventFilterWire, toTransactionFilterWire } from './filter-wire.ts';
import {
  type EventSources,
  positionOfEvent,
  positionOfTransaction,
  readItemKey,
  type Source,
  type SourcePage,
  type SourcePageRequest,
  toItemKey,
} from './source.ts';
import { keysOfRpc } from './transaction-keys.ts';
import {
  type EventIdWire,
  type EventWire,
  eventPageWire,
  type FilterWire,
  rpcAnswerWire,
  type TransactionWire,
  transactionPageWire,
} from './wire.ts';

interface RpcFailure {
  readonly code: number;
  readonly message: string;
  /** Nodes put the reason here, below a message as general as `Invalid params`. */
  readonly data?: unknown;
}

/** Bad parameters, an invalid request, a transaction rejected for its content: the caller can correct these. */
const callerFaultCodes = new Set([-32602, -32600, -32002]);
/** Transient error, and server busy: a retry may help. Rate limits have no code and are recognised by their text. */
const transient = new Set([-32050, -32009]);
const unknownMethod = -32601;

/** Messages for a cursor whose item the node no longer has; some nodes use the code of bad parameters for it. */
const staleTexts = [
  /could not find the referenced (transaction|event)/i,
  /\bcursor\b.{0,80}\b(not found|not exist|unknown|invalid|expired|stale|pruned|too old|no longer|outside|out of range)\b/i,
  /\b(unknown|invalid|expired|stale|pruned|no such|find( the)?|found( the)?)\b.{0,40}\bcursor\b/i,
  /\b(transaction|event)\b.{0,120}\b(not found|not exist|been pruned|no longer available)\b/i,
];
/** Longer than any real message; the rest could be megabytes and is not searched. */
const maxReadCharacters = 1_000;

/** How the nodes of a network name queries, and reject them. */
type RpcNames = Pick<NetworkProfile['events'], 'methods' | 'indexer' | 'prunedTexts'>;

/**
 * Translates a JSON-RPC error for the client. The node's own text is shown only if it explains a fault of the request and contains
 * nothing that looks like a host or source code.
 * @param isLost is something that the call names not there (any more)? With a cursor, the cursor is stale.
 */
function toRpcError({ code, message }: RpcFailure, isLost: boolean): GraphQLError {
  const facts = { upstream: 'events', rpcCode: code } as const;
  if (transient.has(code) || /too many requests/i.test(message)) {
    return gatewayError('UPSTREAM_UNAVAILABLE', 'The events upstream is busy.', facts);
  }
  if (isLost) {
    return gatewayError(
      'STALE_CURSOR',
      'The events upstream no longer knows the position this cursor points to.',
      facts,
    );
  }
  if (callerFaultCodes.has(code)) {
    const shownMessage = isPlainText(message) ? message : 'The events upstream refused the query.';
    return gatewayError('BAD_USER_INPUT', shownMessage, facts);
  }
  return gatewayError(
    'UPSTREAM_BAD_RESPONSE',
    code === unknownMethod ? 'The events upstream does not have this query.' : 'The events upstream failed to answer.',
    facts,
  );
}

/** Both texts of a failure, one after the other. */
function toTexts({ message, data }: RpcFailure): readonly string[] {
  return [message, toText(data)].map((text) => text.slice(0, maxReadCharacters));
}

function isOfLostData(failure: RpcFailure, { prunedTexts }: RpcNames): boolean {
  if (transient.has(failure.code)) return false;
  return toTexts(failure).some(
    (text) => staleTexts.some((pattern) => pattern.test(text)) || prunedTexts.some((part) => text.includes(part)),
  );
}

function toText(data: unknown): string {
  return typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
}

/** One short line without URLs, source locations or control characters. */
function isPlainText(text: string): boolean {
  return /^[\x20-\x7e]{1,300}$/.test(text) && !/:\/\/|\.(rs|ts|js|go):\d|panicked|(^|\s)at \S+ \(/.test(text);
}

/** Requests one page, in one JSON-RPC call. */
interface RpcPageRequest<Filter, Cursor> extends Omit<SourcePageRequest, 'after' | 'cancellation'> {
  readonly cancellation?: Cancellation | undefined;
  readonly filter: Filter;
  readonly cursor: Cursor | null;
  /** Time of the item at the cursor, in milliseconds since the Unix epoch; left out or `null` = unknown. */
  readonly cursorMs?: number | null;
}

interface EventsClientOptions {
  readonly call: UpstreamCall;
  /** Absolute path of the JSON-RPC endpoint below the upstream's origin. */
  readonly path: string;
  readonly names: RpcNames;
  /** Timeout of one call up to the last byte of its response, in milliseconds. */
  readonly timeoutMs: number;
  /** Does a page leave out items of an unknown form, unless all are? Otherwise it is rejected. */
  readonly isLenient?: boolean;
}

export type EventsClient = ReturnType<typeof createEventsClient>;

/** The ledger's JSON-RPC queries. Rejects only with errors meant for the client. */
export function createEventsClient({ call, path, names, timeoutMs, isLenient = false }: EventsClientOptions) {
  const { methods, indexer } = names;
  let lastId = 0;

  async function ask<Result extends object>(
    method: string,
    params: readonly unknown[],
    shape: z.ZodType<Result>,
    { filter, cursor, cursorMs = null, cancellation }: RpcPageRequest<FilterWire | null, unknown>,
  ): Promise<Result & Pick<SourcePage<unknown>, 'unreadableAt'>> {
    lastId += 1;
    const id = lastId;
    const response = await call({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      timeoutMs,
      least: cursorMs,
      cancellation,
    }).catch((error: unknown) => {
      throw toGatewayError(error, 'events');
    });
    const answer = await parseAnswer(response, cancellation?.caller ?? 'events');
    if ('error' in answer) {
      const { error } = answer;
      const isRejected = indexer !== null && error.code === indexer.code;
      if (isRejected && toTexts(error).some((text) => text.includes(indexer.text))) throw new FilterRejectedError();
      const isLost = isOfLostData(error, names);
      if (!isLost || cursor !== null) throw toRpcError(error, isLost);
      // A ledger's GraphQL has an empty page too for a transaction that it does not know.
      const isOfOne = filter !== null && ('Transaction' in filter || 'Checkpoint' in filter);
      if (!isOfOne) throw toRpcError(error, false);
      return shape.parse({ data: [], hasNextPage: false });
    }
    if (answer.id !== id) throw badResponse('answered another call');
    if (isEndless(answer.result)) throw badResponse('sent far more items than it was asked for');
    const result = shape.safeParse(answer.result);
    if (result.success) return result.data;
    const page = isLenient && leaveOutUnreadable(answer.result, result.error);
    if (!page) throw badResponse('sent a page of an unknown shape', result.error);
    return { ...shape.parse(page), unreadableAt: page.unreadableAt };
  }

  return {
    queryEvents(request: RpcPageRequest<FilterWire, EventIdWire>) {
      const { filter, cursor, limit, descending } = request;
      return ask(methods.queryEvents, [filter, cursor, limit, descending], eventPageWire, request);
    },
    /** `options`: the parts of each transaction that the node adds. */
    queryTransactionBlocks(request: RpcPageRequest<FilterWire | null, string> & { readonly options: object }) {
      const { filter, options, cursor, limit, descending } = request;
      const params = [{ filter, options }, cursor, limit, descending];
      return ask(methods.queryTransactionBlocks, params, transactionPageWire, request);
    },
  };
}

/** 50 are requested. Checking the form of a hundred thousand would take seconds. */
const maxItems = 1_000;

/** The page without the items of an unknown form; `null` if nothing is left, or if it has other faults. */
function leaveOutUnreadable(page: unknown, { issues }: z.ZodError) {
  const unreadable = new Set<unknown>();
  for (const { path } of issues) {
    const [member, index] = path;
    if (member === 'data' && index !== undefined) unreadable.add(index);
    // Names the last item, which may be of an unknown form.
    else if (member !== 'nextCursor') return null;
  }
  const data: unknown[] = [];
  const unreadableAt: number[] = [];
  for (const [index, item] of (page as { readonly data: readonly unknown[] }).data.entries()) {
    if (unreadable.has(index)) unreadableAt.push(data.length);
    else data.push(item);
  }
  return data.length > 0 ? { ...(page as object), data, nextCursor: null, unreadableAt } : null;
}

function isEndless(page: unknown): boolean {
  const data = typeof page === 'object' && page !== null && 'data' in page ? page.data : null;
  return Array.isArray(data) && data.length > maxItems;
}

/**
 * Parses a long answer in turns of its caller. A node always answers with 200; another status comes from a proxy in front of it.
 */
async function parseAnswer(
  { status, body }: UpstreamResponse,
  caller: string,
): Promise<z.output<typeof rpcAnswerWire>> {
  if (status === 429 || status === 502 || status === 503 || status === 504) {
    throw gatewayError('UPSTREAM_UNAVAILABLE', 'The events upstream is busy or down.', { upstream: 'events' });
  }
  if (status !== 200) throw badResponse(`answered with HTTP status ${status}`);
  let json: unknown;
  let isTooDeep: boolean;
  try {
    const text = body.toString('utf8');
    if (body.length > pieceCharacters) {
      const takeTurn: TakeTurn = (work) => sharedTurns.runNext(caller, null, work);
      const { value, depth } = await completeInTurns(parseInPieces(text), takeTurn);
      [json, isTooDeep] = [value, depth > maxAnswerNesting];
    } else {
      json = parseJson(text);
      isTooDeep = isAnswerTooDeep(json, body.length);
    }
  } catch (error) {
    throw badResponse('sent something that is not JSON', error);
  }
  if (isTooDeep) throw badResponse('sent something nested too deep');
  const answer = rpcAnswerWire.safeParse(json);
  if (!answer.success) throw badResponse('sent something that is not a JSON-RPC answer', answer.error);
  return answer.data;
}

function badResponse(what: string, cause?: unknown) {
  const options = cause instanceof Error ? { originalError: cause } : {};
  return gatewayError('UPSTREAM_BAD_RESPONSE', `The events upstream ${what}.`, { upstream: 'events' }, options);
}

/** Requested only if `raw` is selected: these parts cost the node more than the transaction itself. */
const wholeTransaction = {
  showInput: true,
  showEffects: true,
  showEvents: true,
  showObjectChanges: true,
  showBalanceChanges: true,
};

/**
 * Events and transactions from the ledger's JSON-RPC.
 * @param other the source of events whose filter the upstream rejects; `null` = there is none
 */
export function createRpcSources(
  client: EventsClient,
  { events }: Pick<NetworkProfile, 'events'>,
  support: FilterSupport,
  other: () => Pick<EventSources, 'events'> | null = () => null,
): EventSources {
  return {
    events(filter) {
      const { wire, identity } = toEventFilterWire(filter, events);
      const member = filter ? soleMember(filter) : 'all';
      const source = createEventSource(client, wire);
      /** @throws `BAD_USER_INPUT` if there is no other source */
      const elsewhere = () => other()?.events(filter).source ?? refuseFilter(member, support.filters());
      if (support.isRejected(member)) elsewhere();
      return {
        identity,
        source: {
          positionOf: source.positionOf,
          async readPage(request) {
            if (!support.isRejected(member)) {
              try {
                return await source.readPage(request);
              } catch (error) {
                if (!(error instanceof FilterRejectedError)) throw error;
                support.reject(member);
              }
            }
            return elsewhere().readPage(request);
          },
        },
      };
    },
    transactions(filter, isWhole) {
      const { wire, identity } = toTransactionFilterWire(filter);
      const source: Source<TransactionWire> = {
        positionOf: positionOfTransaction,
        async readPage({ after, ...request }) {
          const options = isWhole ? wholeTransaction : {};
          const cursor = after?.key ?? null;
          const rest = { filter: wire, options, cursor, cursorMs: after?.timestampMs ?? null };
          const page = await client.queryTransactionBlocks({ ...request, ...rest });
          const { data: items, nextCursor, hasNextPage: hasMore, unreadableAt } = page;
          const next = nextCursor === null ? null : { key: nextCursor, timestampMs: null };
          return { items, next, hasMore, unreadableAt };
        },
      };
      return { identity, source };
    },
    keysOf: keysOfRpc,
  };
}

/** Reads the events that match a filter. */
export function createEventSource(client: EventsClient, filter: FilterWire): Source<EventWire> {
  const toPosition = (id: EventIdWire) => ({ key: toItemKey(id), timestampMs: null });
  return {
    positionOf: positionOfEvent,
    async readPage({ after, ...request }) {
      const { txDigest, eventSeq } = readItemKey(after?.key ?? '');
      const cursor = after && { txDigest, eventSeq: eventSeq ?? '0' };
      const rest = { filter, cursor, cursorMs: after?.timestampMs ?? null };
      const page = await client.queryEvents({ ...request, ...rest });
      const { data: items, nextCursor, hasNextPage: hasMore, unreadableAt } = page;
      return { items, next: nextCursor && toPosition(nextCursor), hasMore, unreadableAt };
    },
  };
}
