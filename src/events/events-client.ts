import type { z } from 'zod';
import { gatewayError } from '../errors/gateway-error.ts';
import { parseJson } from '../json/exact-json.ts';
import { isAnswerTooDeep } from '../json/json-size.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import type { UpstreamCall, UpstreamResponse } from '../upstream/upstream-call.ts';
import { toGatewayError } from '../upstream/upstream-call-error.ts';
import { toRpcGatewayError } from './rpc-failure.ts';
import type { SourcePageRequest } from './source.ts';
import {
  type EventIdWire,
  type EventPageWire,
  eventPageWire,
  type FilterWire,
  rpcAnswerWire,
  type TransactionOptionsWire,
  type TransactionPageWire,
  transactionPageWire,
} from './wire.ts';

/** Requests one page, in one JSON-RPC call. */
export interface RpcPageRequest<Filter, Cursor> extends Omit<SourcePageRequest, 'after' | 'cancellation'> {
  readonly cancellation?: Cancellation | undefined;
  readonly filter: Filter;
  readonly cursor: Cursor | null;
  /** Time of the item at the cursor, in milliseconds since the Unix epoch; left out or `null` = unknown. */
  readonly cursorMs?: number | null;
}

/** The ledger's JSON-RPC queries. Rejects only with errors meant for the client. */
export interface EventsClient {
  queryEvents(request: RpcPageRequest<FilterWire, EventIdWire>): Promise<EventPageWire>;
  /** `options`: the parts of each transaction that the node adds. */
  queryTransactionBlocks(
    request: RpcPageRequest<FilterWire | null, string> & { readonly options: TransactionOptionsWire },
  ): Promise<TransactionPageWire>;
}

export interface EventsClientOptions {
  readonly call: UpstreamCall;
  /** Absolute path of the JSON-RPC endpoint below the upstream's origin. */
  readonly path: string;
  /** Method names on the wire, from the network profile. */
  readonly methods: { readonly queryEvents: string; readonly queryTransactionBlocks: string };
  /** Timeout of one call up to the last byte of its response, in milliseconds. */
  readonly timeoutMs: number;
}

export function createEventsClient({ call, path, methods, timeoutMs }: EventsClientOptions): EventsClient {
  let lastId = 0;

  async function ask<Result>(
    method: string,
    params: readonly unknown[],
    shape: z.ZodType<Result>,
    {
      cursor,
      cursorMs = null,
      cancellation,
    }: Pick<RpcPageRequest<unknown, unknown>, 'cursor' | 'cursorMs' | 'cancellation'>,
  ): Promise<Result> {
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
    const answer = parseAnswer(response);
    if ('error' in answer) throw toRpcGatewayError(answer.error, cursor !== null);
    if (answer.id !== id) throw badResponse('answered another call');
    if (isEndless(answer.result)) throw badResponse('sent far more items than it was asked for');
    const result = shape.safeParse(answer.result);
    if (!result.success) throw badResponse('sent a page of an unknown shape', result.error);
    return result.data;
  }

  return {
    queryEvents: (request) => {
      const { filter, cursor, limit, descending } = request;
      return ask(methods.queryEvents, [filter, cursor, limit, descending], eventPageWire, request);
    },
    queryTransactionBlocks: (request) => {
      const { filter, options, cursor, limit, descending } = request;
      const params = [{ filter, options }, cursor, limit, descending];
      return ask(methods.queryTransactionBlocks, params, transactionPageWire, request);
    },
  };
}

/** 50 are requested. Checking the form of a hundred thousand would take seconds. */
const maxItems = 1_000;

function isEndless(page: unknown): boolean {
  const data = typeof page === 'object' && page !== null && 'data' in page ? page.data : null;
  return Array.isArray(data) && data.length > maxItems;
}

/** A node always answers with 200; another status comes from a proxy in front of it. */
function parseAnswer({ status, body }: UpstreamResponse): z.output<typeof rpcAnswerWire> {
  if (status === 429 || status === 502 || status === 503 || status === 504) {
    throw gatewayError('UPSTREAM_UNAVAILABLE', 'The events upstream is busy or down.', { upstream: 'events' });
  }
  if (status !== 200) throw badResponse(`answered with HTTP status ${status}`);
  let json: unknown;
  try {
    json = parseJson(body.toString('utf8'));
  } catch (error) {
    throw badResponse('sent something that is not JSON', error);
  }
  if (isAnswerTooDeep(json, body.length)) throw badResponse('sent something nested too deep');
  const answer = rpcAnswerWire.safeParse(json);
  if (!answer.success) throw badResponse('sent something that is not a JSON-RPC answer', answer.error);
  return answer.data;
}

function badResponse(what: string, cause?: unknown) {
  const options = cause instanceof Error ? { originalError: cause } : {};
  return gatewayError('UPSTREAM_BAD_RESPONSE', `The events upstream ${what}.`, { upstream: 'events' }, options);
}
