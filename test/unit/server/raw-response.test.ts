import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { gatewayError } from '../../../src/errors/gateway-error.ts';
import { sendRaw } from '../../../src/server/raw-response.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

it('closes the connection of a rejected client within a second, even if it keeps its side open', async () => {
  const server = createServer({ allowHalfOpen: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  const [socket] = (await once(server, 'connection')) as [Socket];
  const finished = once(socket, 'finish');
  sendRaw(socket, 400, gatewayError('BAD_REQUEST', 'No.'), {});
  await Promise.all([finished, once(client.resume(), 'end')]);
  expect([socket.destroyed, vi.getTimerCount()]).toEqual([false, 1]);
  vi.advanceTimersByTime(999);
  expect(socket.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(socket.destroyed).toBe(true);
  client.destroy();
  server.close();
});

it('destroys a connection that cannot be written to', () => {
  const socket = new PassThrough();
  socket.end();
  sendRaw(socket, 400, gatewayError('BAD_REQUEST', 'No.'), {});
  expect(socket.destroyed).toBe(true);
});
