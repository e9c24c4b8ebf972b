import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Mounts, mountFaces } from './mount-faces.ts';

const keepAliveMs = 65_000;

export interface DevnetListener {
  /** Host and port as they go into a URL. */
  readonly authority: string;
  /** Stops listening and ends every connection, idle or not. Sockets that were upgraded belong to their face. */
  close(): Promise<void>;
}

/** Serves faces on one socket. Port 0 takes any. Rejects when the port is taken. */
export async function listen(mounts: Mounts, host: string, port: number): Promise<DevnetListener> {
  const faces = mountFaces(mounts);
  const server = createServer((req, res) => faces.handle(req, res));
  // Clients keep idle connections for longer than Node's default of five seconds, and would lose a request to a server
  // that closes first.
  server.keepAliveTimeout = keepAliveMs;
  server.on('upgrade', (req, socket, head) => {
    // A connection reset while it is being refused must not end the process.
    socket.on('error', () => socket.destroy());
    faces.upgrade(req, socket, head);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${host}]` : host;
  return {
    authority: `${name}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
