import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { breakOff } from '../../../src/server/end-lingering.ts';
import { openRawClient } from '../../support/raw-client.ts';

const servers = new Set<ReturnType<typeof createServer>>();
afterEach(() => {
  for (const server of servers) server.close();
  servers.clear();
});

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  servers.add(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

describe('a response that is broken off in the turn in which it began', () => {
  it('reaches its client up to there, and ends the connection', async () => {
    const port = await listen((_, res) => {
      res.writeHead(200, { 'content-type': 'text/plain' });
      res.write('the beginning');
      breakOff(res);
    });
    const { status, body } = await fetch(`http://127.0.0.1:${port}/`);
    expect(status).toBe(200);
    const reader = body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('the beginning');
    await expect(reader?.read()).rejects.toThrow('terminated');
  });

  it('does so behind the response to an earlier request on its connection', async () => {
    let finishFirst = () => {};
    const port = await listen((req, res) => {
      if (req.url === '/first') finishFirst = () => res.end('first');
      else {
        res.write('second');
        breakOff(res);
        finishFirst();
      }
    });
    const client = await openRawClient(port);
    await client.send('GET /first HTTP/1.1\r\nhost: a\r\n\r\nGET /second HTTP/1.1\r\nhost: a\r\n\r\n');
    expect(await client.whole()).toMatch(/^HTTP\/1\.1 200 OK\r\n.*first.*second\r\n$/s);
  });
});
