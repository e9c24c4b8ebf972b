import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createRefuseMalformed } from '../../../src/server/raw-response.ts';
import { connectForTest } from '../../support/connect-for-test.ts';
import { openRawClient } from '../../support/raw-client.ts';

const bounds = { headersTimeout: 20, requestTimeout: 20, connectionsCheckingInterval: 5 };
const server = createServer(bounds, (req) => req.resume());
const connections = connectForTest();
server.on('connection', connections.opened);
server.on('clientError', createRefuseMalformed({ connections, stamps: (_, id) => ['x-request-id', id] }));

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it.each([
  ['a head that is not sent to its end', 'GET / HTTP/1.1\r\nhost: a\r\nx', 408, 'took too long to arrive'],
  ['a connection on which nothing is sent', '', 408, 'took too long to arrive'],
  ['what is no request', 'garbage\r\n\r\n', 400, 'is malformed'],
])('%s is rejected, and its connection closed', async (_, text, status, says) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = await openRawClient((server.address() as AddressInfo).port);
  if (text) await client.send(text);
  const answer = await client.whole();
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*\r\nconnection: close\r\n`, 's'));
  expect(answer).toMatch(/\r\nx-request-id: /);
  expect(answer).toContain(`The HTTP request ${says}.`);
});
