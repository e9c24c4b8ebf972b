import type { Duplex } from 'node:stream';
import { gatewayError } from '../errors/gateway-error.ts';
import type { Connections } from './connections.ts';
import { sendRaw, stampHeaders } from './raw-response.ts';
import { type Stamps, toRequestId } from './stamp-response.ts';

export interface MalformedRequestOptions {
  readonly connections: Pick<Connections, 'of'>;
  readonly stamps: Stamps;
}

/** What a connection that failed is told by. */
export type RefuseMalformed = (error: NodeJS.ErrnoException, socket: Duplex) => void;

const says = 'The HTTP request is malformed.';

/**
 * Refuses what the parser cannot read, or has not got in time, and closes the connection. The refusal has the place of
 * the request: what came before it may have been executed, and its answer must be neither lost nor taken for this one.
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
    // To a parser that failed once everything that follows is malformed too.
    if (failed.has(socket)) return;
    failed.add(socket);
    connection.close();
    const unread = [...connection.exchanges].find(({ req }) => !req.complete);
    if (unread?.isReading && !unread.res.headersSent) return unread.refuseUnread('BAD_REQUEST', says, status);
    connection.whenIdle(() => {
      // The last answer of a connection ends it.
      if (socket.writableEnded) return;
      // One that is answered without its body has its answer.
      if (unread) socket.end();
      else
        sendRaw(
          socket,
          status,
          gatewayError('BAD_REQUEST', says),
          stampHeaders({ headers: {} }, toRequestId(undefined), stamps),
        );
    });
  };
}

/** `null` where it is the connection that failed, and there is nobody to tell. */
function statusOf({ code = '' }: NodeJS.ErrnoException): number | null {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  return code.startsWith('HPE_') ? 400 : null;
}
