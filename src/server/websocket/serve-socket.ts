import type { IncomingMessage } from 'node:http';
import type { Server } from 'graphql-ws';
import { WebSocket } from 'ws';
import { unmarkJson } from '../../json/exact-number.ts';
import { isTooIntricate, maxJsonCommas, maxJsonNesting } from '../../json/json-shape.ts';
import { markVariables } from '../../json/parse-json.ts';
import type { Arrivals } from '../../upstream/arrivals.ts';
import { boundArrivals } from './bound-arrivals.ts';
import { boundGreeting } from './bound-greeting.ts';
import { closeCodes } from './close-codes.ts';
import { createCollection, FrameWriter } from './frame-writer.ts';
import { createKeepAlive } from './keep-alive.ts';
import { createOutbox } from './outbox.ts';
import type { SocketClient } from './socket-protocol.ts';
import { createSession } from './socket-session.ts';

export interface ServeSocketOptions {
  readonly protocol: Server<SocketClient>;
  /** In bytes, everything that a client may send before it is acknowledged; more ends the connection. */
  readonly maxGreetingBytes: number;
  /** Bounds messages that have arrived in part. */
  readonly arrivals: Arrivals;
  /** Headers by which callers ask to be told their usage. */
  readonly usageHeaders: readonly string[];
  /** Between two pings, in milliseconds. */
  readonly pingMs?: number;
}

/** Proxies drop connections that are silent for a minute. */
const usualPingMs = 15_000;

/** Reads one WebSocket within bounds and gives its messages to the protocol, until it closes. */
export function createServeSocket({
  protocol,
  maxGreetingBytes,
  arrivals,
  usageHeaders,
  pingMs = usualPingMs,
}: ServeSocketOptions) {
  const collection = createCollection();
  const pings = createKeepAlive(pingMs);
  return (socket: WebSocket, request: IncomingMessage, requestId: string): void => {
    const session = createSession({ request, requestId, usageHeaders });
    const stopPinging = pings.add(socket, session);
    const greeted = boundGreeting(socket, request.socket, { maxBytes: maxGreetingBytes, session });
    boundArrivals(socket, request.socket, arrivals);
    const close = (code: number, reason: string) => socket.close(code, reason);
    const hear = (bytes: number): boolean => {
      if (socket.readyState !== WebSocket.OPEN) return false;
      const isWithin = session.heard(bytes);
      if (!isWithin) close(closeCodes.tooMuchSaid, 'Too much besides operations');
      return isWithin;
    };
    socket.on('ping', (data) => void hear(data.length));
    socket.on('pong', (data) => void hear(data.length));
    const send = createOutbox(socket);
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: (data) => send(unmarkJson(data)),
        close,
        onMessage: (handle) => {
          socket.on('message', (data) => {
            // With the default `binaryType` of the library every message is one Buffer.
            const message = data as Buffer;
            if (!hear(message.length)) return;
            if (isTooIntricate(message, maxJsonNesting, maxJsonCommas))
              return close(closeCodes.badRequest, 'Too intricate');
            const fail = () => close(closeCodes.internalError, 'Internal server error');
            handle(markVariables(String(message))).catch(fail);
          });
        },
      },
      { session, greeted, close, frames: new FrameWriter(socket, request.socket, collection) },
    );
    // The library closes a broken connection itself. Without a listener its error would end the process.
    socket.on('error', () => {});
    socket.once('close', (code, reason) => {
      stopPinging();
      greeted();
      void closed(code, String(reason));
      session.leave();
    });
  };
}
