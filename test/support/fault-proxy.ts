import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type SecureContextOptions } from 'node:tls';

/** What the proxy does with each response of the upstream. */
export const networkFaults = [
  'latency',
  'reset before bytes',
  'reset after bytes',
  'half-close',
  'trickle',
  'wrong status',
  'wrong content type',
  'truncation',
  'oversize',
  'duplicate answer',
  'out of order',
  'TLS failure',
  'DNS failure',
] as const;
export type NetworkFault = (typeof networkFaults)[number];

/** A TCP proxy in front of one upstream, of any protocol, that spoils responses. It sends all requests on. */
export interface FaultProxy extends AsyncDisposable {
  readonly port: number;
  readonly connections: number;
  /** Responses that were spoilt. */
  readonly spoilt: number;
  /** Applies to the next response of each connection, until `heal`. */
  begin(fault: NetworkFault): void;
  /** Closes the connections that a fault has touched. */
  heal(): void;
}

/** Longer than every response that the gateway accepts. */
const oversizeBytes = 80 * 1024 * 1024;
const trickleMs = 100;

const toResponse = (status: string, type: string, body: string) =>
  `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

interface TlsIdentities {
  readonly trusted: SecureContextOptions;
  readonly untrusted: SecureContextOptions;
}

/**
 * @param port of the upstream on this machine
 * @param identities the proxy speaks TLS with the trusted one, and during a TLS failure with the other one
 */
export async function openFaultProxy(port: number, identities: TlsIdentities | null = null): Promise<FaultProxy> {
  const pairs = new Map<Socket, Socket>();
  const touched = new Set<Socket>();
  let fault: NetworkFault | null = null;
  let spoilt = 0;

  const accept = (client: Socket) => {
    const upstream = connect(port, '127.0.0.1');
    pairs.set(client, upstream);
    /** The previous response, and the one that the upstream sends out of order. */
    let previous: Buffer | null = null;
    client.on('data', (chunk: Buffer) => void upstream.write(chunk));
    upstream.on('data', (chunk: Buffer) => {
      if (fault === null || fault === 'TLS failure' || fault === 'DNS failure') client.write(chunk);
      else if (!touched.has(client) || fault === 'duplicate answer' || fault === 'out of order') {
        touched.add(client);
        spoilt += 1;
        spoil(fault, client, chunk, previous);
      }
      previous = chunk;
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.setNoDelay(true).on('error', () => {});
      socket.on('end', () => other.end());
      socket.on('close', () => {
        other.destroy();
        pairs.delete(client);
        touched.delete(client);
      });
    }
  };
  const options = { allowHalfOpen: true };
  const server = identities
    ? createTlsServer({ ...options, ...identities.trusted }, accept).on('tlsClientError', (_error, socket) => {
        spoilt += 1;
        socket.destroy();
      })
    : createServer(options, accept);
  // Connections whose TLS handshake failed are in no pair.
  const accepted = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    accepted.add(socket);
    socket.on('close', () => accepted.delete(socket));
  });
  // The soak test ends without closing its proxies.
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');

  const setIdentity = (name: keyof TlsIdentities) => {
    if (identities && 'setSecureContext' in server) server.setSecureContext(identities[name]);
  };
  const closeAll = () => {
    for (const client of pairs.keys()) client.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return pairs.size;
    },
    get spoilt() {
      return spoilt;
    },
    begin(next) {
      fault = next;
      spoilt = 0;
      if (next === 'TLS failure') setIdentity('untrusted');
      // New connections meet the fault.
      if (next === 'TLS failure' || next === 'DNS failure') closeAll();
    },
    heal() {
      if (fault === 'TLS failure') setIdentity('trusted');
      // Repeated responses leave a connection in order.
      const isInOrder = fault === 'duplicate answer' || fault === 'out of order';
      fault = null;
      if (!isInOrder) for (const client of touched) client.destroy();
      touched.clear();
    },
    async [Symbol.asyncDispose]() {
      closeAll();
      const closed = once(server, 'close');
      server.close();
      for (const socket of accepted) socket.destroy();
      await closed;
    },
  };
}

function spoil(fault: NetworkFault, client: Socket, response: Buffer, previous: Buffer | null): void {
  if (fault === 'reset before bytes') client.resetAndDestroy();
  if (fault === 'reset after bytes') client.write(toHalf(response), () => client.resetAndDestroy());
  if (fault === 'half-close') client.end();
  if (fault === 'truncation') client.end(toHalf(response));
  if (fault === 'trickle') trickle(client, response);
  if (fault === 'wrong status') client.write(toResponse('500 Internal Server Error', 'text/plain', 'overloaded'));
  if (fault === 'wrong content type') client.write(toResponse('200 OK', 'text/html', '<html></html>'));
  if (fault === 'oversize') flood(client);
  if (fault === 'duplicate answer') client.write(Buffer.concat([response, response]));
  if (fault === 'out of order') client.write(previous ?? response);
}

const toHalf = (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1);

function trickle(client: Socket, response: Buffer): void {
  let sent = 0;
  const timer = setInterval(() => {
    client.write(response.subarray(sent, sent + 1));
    sent += 1;
  }, trickleMs);
  client.on('close', () => clearInterval(timer));
}

/** Announces a long body and sends it as fast as the client reads. */
function flood(client: Socket): void {
  const chunk = Buffer.alloc(64 * 1024, ' ');
  let left = oversizeBytes;
  client.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${oversizeBytes}\r\n\r\n`);
  const go = () => {
    while (left > 0 && !client.destroyed) {
      left -= chunk.length;
      if (!client.write(chunk)) {
        client.once('drain', go);
        return;
      }
    }
  };
  go();
}
