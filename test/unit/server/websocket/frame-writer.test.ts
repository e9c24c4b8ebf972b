import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createCollection, FrameWriter } from '../../../../src/server/websocket/frame-writer.ts';
import { until } from '../../../support/until.ts';

let server: Server;
let client: WebSocket;
let connection: Duplex;
let writer: FrameWriter;
const received: string[] = [];

beforeEach(async () => {
  received.length = 0;
  server = createServer();
  const sockets = new WebSocketServer({ server });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const accepted = once(sockets, 'connection');
  client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  client.on('message', (data) => void received.push(String(data)));
  await once(client, 'open');
  const [socket, request] = await accepted;
  connection = request.socket;
  writer = new FrameWriter(socket, connection, createCollection());
});
afterEach(async () => {
  client.terminate();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const toBytes = (text: string) => Buffer.from(text).toString('latin1');

it('writes messages of every length, in order', async () => {
  const texts = [0, 1, 125, 126, 127, 65_535, 65_536, 100_000].map((length) => 'x'.repeat(length)).concat('ünï ☃ 𝄞');
  for (const text of texts) writer.write(toBytes(text));
  await until(() => received.length === texts.length, 'all messages');
  expect(received).toEqual(texts);
});

it('is not ready while its client does not read, and calls its readers when it does again', async () => {
  let calls = 0;
  writer.readers.add({
    resume: () => {
      calls += 1;
    },
  });
  client.pause();
  let written = 0;
  for (; writer.isReady && written < 100_000; written += 1) {
    writer.write('x'.repeat(32_768));
  }
  expect(writer.isReady).toBe(false);
  expect(connection.writableLength).toBeLessThan(2 * 32_768);
  expect(calls).toBe(0);
  client.resume();
  await until(() => received.length === written && calls > 0, 'the rest');
  expect(writer.isReady).toBe(true);
});

it('lets none of its readers wait for ever behind one that always has more to tell', async () => {
  for (const name of ['a', 'b', 'c']) {
    let left = 600;
    const text = name.repeat(32_768);
    writer.readers.add({
      resume() {
        for (; left > 0 && writer.isReady; left -= 1) writer.write(text);
      },
    });
  }
  client.pause();
  while (writer.isReady) writer.write('x'.repeat(32_768));
  client.resume();
  const names = () => received.map(([name]) => name).filter((name) => name !== 'x');
  await until(() => names().length === 1_800, 'everything');
  for (const name of ['b', 'c']) expect(names().indexOf(name)).toBeLessThan(names().lastIndexOf('a'));
});
