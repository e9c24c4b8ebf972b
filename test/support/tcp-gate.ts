import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that simulates network faults between a client and a server. */
export interface TcpGate extends AsyncDisposable {
  readonly port: number;
  /** Open connections. */
  readonly connections: number;
  /** Resets open connections, and new ones until `heal`. */
  cut(): void;
  /** Keeps connections open without forwarding anything, in either direction, until `heal`. */
  freeze(): void;
  heal(): void;
  /**
   * Resets the connection in place of the next response to a request that contains a text.
   * @returns resolves when the response was lost
   */
  loseResponse(request: string): Promise<void>;
}

/**
 * @param port of the server on this machine, asked for each connection if it may change
 * @param onRequest receives what clients send
 */
export async function openTcpGate(
  port: number | (() => number),
  onRequest: (chunk: Buffer) => void = () => {},
): Promise<TcpGate> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let state: 'open' | 'cut' | 'frozen' = 'open';
  let lost: { readonly request: string; readonly onLost: () => void } | null = null;
  const gate = createServer((client) => {
    if (state === 'cut') {
      client.on('error', () => {}).resetAndDestroy();
      return;
    }
    const server = connect(typeof port === 'number' ? port : port(), '127.0.0.1');
    const pair = [client, server] as const;
    pairs.add(pair);
    let request = '';
    client.on('data', (chunk: Buffer) => {
      onRequest(chunk);
      request = (request + chunk.toString()).slice(-16_384);
      server.write(chunk);
    });
    server.on('data', (chunk: Buffer) => {
      if (!lost || !request.includes(lost.request)) {
        client.write(chunk);
        return;
      }
      lost.onLost();
      lost = null;
      for (const socket of pair) socket.resetAndDestroy();
    });
    for (const [socket, other] of [pair, [server, client] as const]) {
      socket.setNoDelay(true).on('error', () => {});
      socket.on('end', () => other.end());
      socket.on('close', () => {
        other.destroy();
        pairs.delete(pair);
      });
      if (state === 'frozen') socket.pause();
    }
  }).listen(0, '127.0.0.1');
  await once(gate, 'listening');

  const cut = () => {
    state = 'cut';
    for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy();
  };
  return {
    port: (gate.address() as AddressInfo).port,
    get connections() {
      return pairs.size;
    },
    cut,
    freeze() {
      state = 'frozen';
      for (const pair of pairs) for (const socket of pair) socket.pause();
    },
    heal() {
      state = 'open';
      for (const pair of pairs) for (const socket of pair) socket.resume();
    },
    loseResponse: (request) =>
      new Promise((onLost) => {
        lost = { request, onLost };
      }),
    async [Symbol.asyncDispose]() {
      cut();
      const closed = once(gate, 'close');
      gate.close();
      await closed;
    },
  };
}
