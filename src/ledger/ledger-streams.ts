import type { ExecutionResult } from 'graphql';
import { gatewayError } from '../errors/gateway-error.ts';
import type { StreamPlaces } from '../live/stream-places.ts';
import { createGraphqlSocket, type GraphqlSocket } from '../upstream/sockets/graphql-socket.ts';
import type { SharedSocketOptions } from '../upstream/sockets/shared-connection.ts';
import type { ForwardRequest } from './forward-to-ledger.ts';
import { type KeptResults, LedgerStream } from './ledger-stream.ts';

export interface LedgerStreamRequest
  extends Pick<ForwardRequest, 'text' | 'isClientsText' | 'operationName' | 'variables'> {
  /** Whose stream it is, for the bound of one caller. */
  readonly caller: string;
}

/**
 * Opens a subscription of the ledger's. Its results come as they are; it rejects with an error of the catalogue where it breaks.
 * @throws `RATE_LIMITED` or `UNAVAILABLE` if the caller, or everybody, has too many, or the gateway is stopping
 */
export type OpenLedgerStream = (
  request: LedgerStreamRequest,
) => AsyncIterator<ExecutionResult, undefined> & Pick<LedgerStream, 'fail'>;

export interface LedgerStreams {
  readonly open: OpenLedgerStream;
  /** Ends every stream, each with an error that says why. No more are opened. */
  stop(): void;
}

/** More are forgotten: to come back among the others costs these one more connection at worst. */
const mostApart = 1_000;

export interface LedgerStreamsOptions extends SharedSocketOptions {
  readonly places: StreamPlaces;
}

/**
 * Subscriptions of clients at the ledger, over one connection. Like ones are not one at the ledger: what each is told begins with
 * its own beginning, be it only the place that it asks to go on from. Nothing of the caller travels, as over HTTP.
 * Where what somebody asked for has broken the connection, each of those who were on it gets one of its own next time: that one
 * breaks nobody's but its own.
 */
export function createLedgerStreams({ places, ...options }: LedgerStreamsOptions): LedgerStreams {
  const socket = createGraphqlSocket(options);
  /** Callers whose streams were on a connection that a message broke which was too large: one of them asked for it. */
  const apart = new Map<string, GraphqlSocket>();
  const setApart = (caller: string) => {
    if (apart.has(caller)) return;
    apart.set(caller, createGraphqlSocket(options));
    const [oldest] = apart.size > mostApart ? apart.keys() : [];
    if (oldest !== undefined) apart.delete(oldest);
  };
  const kept: KeptResults = { bytes: 0 };
  const streams = new Set<LedgerStream>();
  let isStopping = false;
  return {
    open({ text, isClientsText, operationName, variables, caller }) {
      if (isStopping) throw stopping();
      const leavePlace = places.take(caller);
      let leave = () => {};
      const stream = new LedgerStream(kept, isClientsText ? () => text : null, () => {
        streams.delete(stream);
        leavePlace();
        leave();
      });
      streams.add(stream);
      const operation = { query: text, variables, ...(operationName !== null && { operationName }) };
      const { next, refused, ended, lost } = stream.sink;
      leave = (apart.get(caller) ?? socket).subscribe(operation, {
        next,
        refused,
        ended,
        lost(error) {
          if (error.failure === 'too-large') setApart(caller);
          lost(error);
        },
      });
      return stream;
    },
    stop() {
      isStopping = true;
      for (const stream of streams) stream.fail(stopping());
      for (const each of [socket, ...apart.values()]) each.close();
    },
  };
}

function stopping() {
  return gatewayError('UNAVAILABLE', 'This gateway is stopping. Connect again.');
}
