import { beforeEach, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { createOutbox } from '../../../../src/server/websocket/outbox.ts';

const mebibyte = 1024 * 1024;
/** A socket whose client reads when a test says so: what waits for it, and what was done to it. */
const client = { waiting: 0, done: [] as string[], read: [] as (() => void)[] };
const socket = {
  get bufferedAmount() {
    return client.waiting;
  },
  send(text: string, sent: () => void) {
    client.waiting += text.length;
    client.read.push(() => {
      client.waiting -= text.length;
      sent();
    });
  },
  pause: () => void client.done.push('pause'),
  resume: () => void client.done.push('resume'),
  terminate: () => void client.done.push('terminate'),
} as unknown as WebSocket;
const readAll = () => {
  for (const read of client.read.splice(0)) read();
};

beforeEach(() => void Object.assign(client, { waiting: 0, done: [], read: [] }));

describe('a client that does not read', () => {
  it('is not heard until it has read, each time anew', async () => {
    const send = createOutbox(socket);
    for (const time of [1, 2, 3]) {
      const sent = [send('x'.repeat(mebibyte)), send('x'), send('x')];
      expect(client.done).toHaveLength(2 * time - 1);
      readAll();
      await Promise.all(sent);
    }
    expect(client.done).toEqual(['pause', 'resume', 'pause', 'resume', 'pause', 'resume']);
  });

  it('is heard while little waits for it', async () => {
    const send = createOutbox(socket);
    const sent = send('x'.repeat(mebibyte));
    readAll();
    await sent;
    expect(client.done).toEqual([]);
  });

  it('is let go of before more waits for it than any answer is large, and nothing waits for that', async () => {
    const send = createOutbox(socket);
    void send('x'.repeat(64 * mebibyte + 1));
    await send('x');
    expect([client.done, client.waiting]).toEqual([['pause', 'terminate'], 64 * mebibyte + 1]);
  });
});
