import { createServer } from 'node:http';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createConnections } from '../../../src/server/connections.ts';
import { createServerDrain } from '../../../src/server/drain-server.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

it('a server on which nothing is under way closes at once, and leaves no timer that would keep the process', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const drain = createServerDrain(
    server,
    createConnections(() => {}),
  );
  await drain.drain(60_000);
  expect([drain.draining, server.listening, vi.getTimerCount()]).toEqual([true, false, 0]);
});
