import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createConnections } from '../../../../src/server/bounds/connections.ts';
import { openRawClient, type RawClient } from '../../../support/raw-client.ts';
import { until } from '../../../support/until.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

it('a server on which nothing is under way closes at once, and leaves no timer that would keep the process', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const connections = createConnections(() => {});
  await connections.drain(server, 60_000);
  expect([connections.draining, server.listening, vi.getTimerCount()]).toEqual([true, false, 0]);
});

it('of clients that leave too much unread together the oldest with much is cut, also if it waits for its turn', async () => {
  vi.useRealTimers();
  const connections = createConnections<{ req: IncomingMessage; res: ServerResponse; isReading: boolean }>(() => {});
  const sockets: Socket[] = [];
  let answered = 0;
  const server = createServer((req, res) => {
    const exchange = { req, res, isReading: false };
    connections.enter(exchange);
    res.on('close', () => connections.leave(exchange));
    const megabytes = Number(req.url?.slice(1));
    // The first of two is not answered, so that the second waits.
    if (megabytes > 0) res.end(Buffer.alloc(megabytes * 1_000_000));
    answered += 1;
  });
  server.on('connection', (socket) => sockets.push(socket));
  server.on('connection', connections.opened);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const clients: RawClient[] = [];
  const ask = async (...megabytes: readonly number[]) => {
    const client = await openRawClient((server.address() as AddressInfo).port);
    client.stopReading();
    await client.send(megabytes.map((each) => `GET /${each} HTTP/1.1\r\nhost: a\r\n\r\n`).join(''));
    clients.push(client);
  };
  await ask(0.01);
  await ask(0, 41);
  await ask(40);
  await ask(40);
  await until(() => answered === 5, 'all are answered');

  const cut = () => sockets.map(({ destroyed }) => destroyed);
  connections.cutUnread(130_000_000);
  expect(cut()).toEqual([false, false, false, false]);
  connections.cutUnread(100_000_000);
  expect(cut()).toEqual([false, true, false, false]);

  for (const client of clients) client.vanish('resetting');
  await connections.drain(server, 60_000);
});
