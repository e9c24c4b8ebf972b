import { createServer } from 'node:http';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createConnections } from '../../../src/connections/connections.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

it('a server on which nothing is under way closes at once, and leaves no timer that would keep the process', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const connections = createConnections(() => {});
  await connections.drain(server, 60_000);
  expect([connections.draining, server.listening, vi.getTimerCount()]).toEqual([true, false, 0]);
});
