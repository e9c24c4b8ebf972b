import { connect, type Socket } from 'node:net';
import { createResponseReader, type ResponseEvents } from './response-reader.ts';

/** Sends one request: all of its bytes, head and body. */
export type RawRequest = (bytes: Buffer, events: ResponseEvents & { onError(error: Error): void }) => void;

/** The least that a client of HTTP/1.1 can do: kept connections, one request at a time on each, as many as it takes. */
export function createRawClient(url: string): RawRequest {
  const { hostname, port } = new URL(url);
  const idle: Connection[] = [];

  return (bytes, events) => {
    const connection = idle.pop() ?? open(hostname, Number(port));
    connection.onError = events.onError;
    connection.reader = createResponseReader({
      ...events,
      onEnd: () => {
        connection.onError = () => {};
        connection.reader = null;
        idle.push(connection);
        events.onEnd();
      },
    });
    connection.socket.write(bytes);
  };

  function open(host: string, at: number): Connection {
    const socket = connect({ host, port: at, noDelay: true });
    const connection: Connection = { socket, reader: null, onError: () => {} };
    const end = (error: Error) => {
      const place = idle.indexOf(connection);
      if (place >= 0) idle.splice(place, 1);
      connection.onError(error);
    };
    socket.on('data', (chunk: Buffer) => connection.reader?.read(chunk));
    socket.once('error', end);
    socket.once('end', () => end(new Error('the upstream closed the connection')));
    return connection;
  }
}

interface Connection {
  readonly socket: Socket;
  /** Of the request that is under way. */
  reader: ReturnType<typeof createResponseReader> | null;
  onError: (error: Error) => void;
}
