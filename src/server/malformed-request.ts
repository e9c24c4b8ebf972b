import type { Duplex } from 'node:stream';
import { gatewayError } from '../errors/gateway-error.ts';
import type { Connections } from './bounds/connections.ts';
import type { Exchange } from './exchange.ts';
import { sendRaw, toHeaderObject } from './raw-response.ts';
import { type Stamps, toRequestId } from './stamp-response.ts';

export interface MalformedRequestOptions {
  readonly connections: Pick<Connections<Exchange>, 'of'>;
  readonly stamps: Stamps;
}

/** A listener for the server's `clientError`. */
export type RefuseMalformed = (error: NodeJS.ErrnoException, socket: Duplex) => void;

function messageOf(status: number): string {
  return status === 408 ? 'The HTTP request took too long to arrive.' : 'The HTTP request is malformed.';
}

/**
 * Refuses a request that the parser cannot read, or that did not arrive in time, and closes the connection. The refusal is
 * sent after the answers to earlier requests, because clients match answers by their order.
 */
export function createRefuseMalformed({ connections, stamps }: MalformedRequestOptions): RefuseMalformed {
  const failed = new WeakSet<object>();
  return (error, socket) => {
    const status = statusOf(error);
    const connection = connections.of(socket);
    if (status === null || !connection) {
      socket.destroy();
      return;
    }
    // A parser that failed once reports all further data as malformed too.
    if (failed.has(socket)) return;
    failed.add(socket);
    connection.close();
    const unread = [...connection.exchanges].find(({ req }) => !req.complete);
    if (unread?.isReading && !unread.res.headersSent) {
      unread.endConnection();
      unread.refuse('BAD_REQUEST', messageOf(status), status);
      return;
    }
    connection.whenIdle(() => {
      // An answer before it has already closed the connection.
      if (socket.writableEnded) return;
      // The malformed part is the body of a request that was answered without it: send no second answer.
      if (unread) socket.end();
      else
        sendRaw(
          socket,
          status,
          gatewayError('BAD_REQUEST', messageOf(status)),
          toHeaderObject(stamps(undefined, toRequestId(undefined))),
        );
    });
  };
}

/** `null` if the connection itself failed, so that no answer can be sent. */
function statusOf({ code = '' }: NodeJS.ErrnoException): number | null {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  return code.startsWith('HPE_') ? 400 : null;
}
