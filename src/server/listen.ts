import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Binds a server. @returns its URL, scheme, host and port; rejects when the address cannot be bound */
export function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve(toUrl(host, server.address() as AddressInfo));
    });
  });
}

function toUrl(host: string, { port, family, address }: AddressInfo): string {
  const name =
    host === '0.0.0.0' || host === '::'
      ? family === 'IPv6'
        ? '[::1]'
        : '127.0.0.1'
      : family === 'IPv6'
        ? `[${address}]`
        : host;
  return `http://${name}:${port}`;
}
