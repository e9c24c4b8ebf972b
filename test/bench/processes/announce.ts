import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on a free port of loopback and tells the parent where; ends with the parent. */
export function announce(server: Server): void {
  // Longer than any pause between two rounds, so that pooled connections are not found closed.
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.send?.({ kind: 'ready', url: `http://127.0.0.1:${port}` });
  });
  process.on('disconnect', () => process.exit(0));
  // Ctrl-C reaches the whole group; the parent decides when its children end.
  process.on('SIGINT', () => {});
}
