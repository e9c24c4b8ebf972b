import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Duplex, PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { SocketWriter, type WriterOwner } from '../../../../src/server/websocket/socket-writer.ts';
import { until } from '../../../support/until.ts';

let server: Server;
let client: WebSocket;
let connection: Duplex;
let socket: WebSocket;
let writer: SocketWriter;
const nobody = { resume() {} };
const received: string[] = [];
/** Changes of the number of writers with messages that wait. */
let waiting: number[] = [];
const owner: WriterOwner = {
  takeTurn: (work) => setImmediate(work),
  onWaiting: (change) => void waiting.push(change),
};

describe('a writer', () => {
  beforeEach(async () => {
    received.length = 0;
    server = createServer();
    const sockets = new WebSocketServer({ server });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const accepted = once(sockets, 'connection');
    client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    client.on('message', (data) => void received.push(String(data)));
    client.on('ping', () => void received.push('a ping'));
    await once(client, 'open');
    const [opened, request] = await accepted;
    socket = opened;
    connection = request.socket;
    waiting = [];
    writer = new SocketWriter(socket, connection, owner);
    connection.once('close', () => writer.drop());
  });
  afterEach(async () => {
    client.terminate();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('writes a long message in fragments, which pings pass and other messages follow', async () => {
    const part = Buffer.alloc(3_000_000, 'y');
    client.pause();
    const sent = [
      writer.sendBytes([Buffer.from('<'), part, part, Buffer.from('>')], Buffer.from('short')),
      writer.send('x'.repeat(1_000_000)),
    ];
    expect(writer.isReadyFor(nobody)).toBe(false);
    expect(writer.unwritten).toMatchObject([{ memory: part.buffer }, { bytes: 5, memory: null }, { bytes: 1_000_000 }]);
    expect(connection.writableLength).toBeLessThan(300_000);
    writer.push('pushed');
    socket.ping();
    let resumed = 0;
    writer.isReadyFor({
      resume() {
        resumed += 1;
      },
    });
    client.resume();
    await Promise.all(sent);
    await until(() => received.length === 5, 'all of them');
    expect(received).toEqual(['a ping', `<${'y'.repeat(6_000_000)}>`, 'short', 'x'.repeat(1_000_000), 'pushed']);
    await until(() => resumed > 0, 'the readers go on');
    expect(writer.isReadyFor(nobody)).toBe(true);
    expect(waiting).toEqual([1, -1]);
    expect([writer.takeProgress(), writer.takeProgress()]).toEqual([true, false]);
  });

  it('drops long messages whose client leaves', async () => {
    client.pause();
    const sent = writer.sendBytes([Buffer.alloc(20_000_000)], Buffer.from('its end'));
    const behind = writer.send('behind');
    client.terminate();
    await Promise.all([sent, behind]);
    expect(writer.unwritten).toEqual([]);
    expect(waiting).toEqual([1, -1]);
  });

  it('counts what messages share once', async () => {
    const part = Buffer.alloc(6_000_000, 'y');
    client.pause();
    const sent = Array.from({ length: 20 }, () => writer.sendBytes([part], Buffer.from('end')));
    client.resume();
    await Promise.all(sent);
    await until(() => received.length === 40, 'all of them');
    expect(received.filter((text) => text === 'end')).toHaveLength(20);
    expect(received.filter(({ length }) => length === part.length)).toHaveLength(20);
  });

  it.each([0, 125, 20_000, 200_000])('writes a message of %i bytes, and the one behind it', async (length) => {
    const half = Buffer.alloc(length / 2, 'x');
    await writer.sendBytes([half, half], Buffer.from('ünï'));
    await until(() => received.length === 2, 'both');
    expect(received).toEqual(['x'.repeat(half.length * 2), 'ünï']);
  });

  const toBytes = (text: string) => Buffer.from(text).toString('latin1');

  it('writes messages of every length, in order', async () => {
    const texts = [0, 1, 125, 126, 127, 65_535, 65_536, 100_000].map((length) => 'x'.repeat(length)).concat('ünï ☃ 𝄞');
    for (const text of texts) writer.push(toBytes(text));
    await until(() => received.length === texts.length, 'all messages');
    expect(received).toEqual(texts);
  });

  it('is not ready while its client does not read, and calls its readers afterwards', async () => {
    let calls = 0;
    const reader = {
      resume: () => {
        calls += 1;
      },
    };
    client.pause();
    let written = 0;
    for (; writer.isReadyFor(reader) && written < 100_000; written += 1) {
      writer.push('x'.repeat(32_768));
    }
    expect(writer.isReadyFor(reader)).toBe(false);
    expect(connection.writableLength).toBeLessThan(2 * 32_768);
    expect(calls).toBe(0);
    client.resume();
    await until(() => received.length === written && calls > 0, 'the rest');
    expect(writer.isReadyFor(nobody)).toBe(true);
  });

  it('serves every reader, even beside one that always has more to send', async () => {
    client.pause();
    while (writer.isReadyFor(nobody)) writer.push('x'.repeat(32_768));
    for (const name of ['a', 'b', 'c']) {
      let left = 600;
      const text = name.repeat(32_768);
      const reader = {
        resume() {
          for (; left > 0 && writer.isReadyFor(reader); left -= 1) writer.push(text);
        },
      };
      writer.isReadyFor(reader);
    }
    client.resume();
    const names = () => received.map(([name]) => name).filter((name) => name !== 'x');
    await until(() => names().length === 1_800, 'everything');
    for (const name of ['b', 'c']) expect(names().indexOf(name)).toBeLessThan(names().lastIndexOf('a'));
  });
});

const mebibyte = 1024 * 1024;
/** A socket whose client reads when a test says so: what waits for it, and what was done to it. */
const reader = { waiting: 0, done: [] as string[], read: [] as (() => void)[] };
const unreadSocket = {
  get bufferedAmount() {
    return reader.waiting;
  },
  send(text: string, sent: () => void) {
    reader.waiting += text.length;
    reader.read.push(() => {
      reader.waiting -= text.length;
      sent();
    });
  },
  pause: () => void reader.done.push('pause'),
  resume: () => void reader.done.push('resume'),
  terminate: () => void reader.done.push('terminate'),
} as unknown as WebSocket;
const createSend = () => {
  const writer = new SocketWriter(unreadSocket, new PassThrough(), owner);
  return (text: string) => writer.send(text);
};
/** Of 256 KiB each: a longer one would be written in fragments. */
const send4 = (send: ReturnType<typeof createSend>, texts = 4) =>
  Array.from({ length: texts }, () => send('x'.repeat(mebibyte / 4)));
const readAll = () => {
  for (const read of reader.read.splice(0)) read();
};

describe('a client that does not read', () => {
  beforeEach(() => void Object.assign(reader, { waiting: 0, done: [], read: [] }));

  it('is not read from until it has read, each time anew', async () => {
    const send = createSend();
    for (const time of [1, 2, 3]) {
      const sent = [...send4(send), send('x'), send('x')];
      expect(reader.done).toHaveLength(2 * time - 1);
      readAll();
      await Promise.all(sent);
    }
    expect(reader.done).toEqual(['pause', 'resume', 'pause', 'resume', 'pause', 'resume']);
  });

  it('is read from while few bytes wait for it', async () => {
    const send = createSend();
    const sent = send4(send);
    readAll();
    await Promise.all(sent);
    expect(reader.done).toEqual([]);
  });

  it('is disconnected before more bytes wait for it than the largest response has', async () => {
    const send = createSend();
    void send4(send, 256);
    void send('x');
    await send('x');
    expect([reader.done, reader.waiting]).toEqual([['pause', 'terminate'], 64 * mebibyte + 1]);
  });
});
