import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createGraphqlSubscriptions } from '../../../src/upstream/sockets/graphql-event-streams.ts';
import { takeCredentials } from '../../../src/upstream/url-credentials.ts';

it.each([
  ['user:secret', 'user:secret'],
  ['user:50%off', 'user:50%off'],
  ['us%40er:p%2Fass', 'us@er:p/ass'],
  ['user', 'user:'],
])('reads the credentials %s as %s, for calls and for both kinds of streams', async (written, read) => {
  const expected = `Basic ${Buffer.from(read).toString('base64')}`;
  const { address, authorization } = takeCredentials(`https://${written}@node.example/path?key=1`);
  expect([address.href, authorization]).toEqual(['https://node.example/path?key=1', expected]);
  for (const protocol of ['http', 'ws']) {
    const server = createServer((_, response) => response.end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const requested = Promise.race([once(server, 'request'), once(server, 'upgrade')]);
    const socket = createGraphqlSubscriptions({ urls: [`${protocol}://${written}@127.0.0.1:${port}/`] });
    const leave = socket.subscribe({ query: 'subscription{a}' }, { next() {}, ended() {}, refused() {}, lost() {} });
    const [{ headers }] = await requested;
    expect([protocol, headers.authorization]).toEqual([protocol, expected]);
    leave();
    socket.close();
    server.closeAllConnections();
    server.close();
  }
});

it('adds no header for a URL without credentials', () => {
  expect(takeCredentials('https://node.example/').authorization).toBeNull();
});
