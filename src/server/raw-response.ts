import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GraphQLError } from 'graphql';
import { gatewayError } from '../errors/gateway-error.ts';
import type { Connections } from './connections.ts';
import { endLingering } from './end-lingering.ts';
import type { CommonHeaders } from './exchange.ts';
import { toRequestId } from './request-head.ts';

/** Responds on a bare socket and ends it: for upgrades and malformed requests, Node creates no response object. */
export function sendRaw(
  socket: Duplex,
  status: number,
  error: GraphQLError,
  headers: Readonly<Record<string, string>>,
): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ errors: [error] });
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on('error', () => socket.destroy());
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
  endLingering(socket);
}

/** @param list alternating names and values */
export function toHeaderObject(list: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let index = 0; index < list.length; index += 2) headers[list[index] ?? ''] = list[index + 1] ?? '';
  return headers;
}

interface MalformedRequestOptions {
  readonly connections: Pick<Connections, 'of'>;
  readonly stamps: CommonHeaders;
}

function messageOf(status: number): string {
  return status === 408 ? 'The HTTP request took too long to arrive.' : 'The HTTP request is malformed.';
}

/**
 * Rejects a request that the parser cannot read, or that did not arrive in time, and closes the connection. Earlier pipelined
 * responses are sent first, because clients match responses by order.
 */
export function createRefuseMalformed({ connections, stamps }: MalformedRequestOptions) {
  const failed = new WeakSet<object>();
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    const status = statusOf(error);
    const connection = connections.of(socket);
    if (status === null || !connection) {
      socket.destroy();
      return;
    }
    // A parser that failed once reports all further data as malformed.
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
      // An earlier response has already closed the connection.
      if (socket.writableEnded) return;
      // The malformed part is the body of a request that was already answered: send no second response.
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

/** `null` if the connection itself failed, so that no response can be sent. */
function statusOf({ code = '' }: NodeJS.ErrnoException): number | null {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  return code.startsWith('HPE_') ? 400 : null;
}
