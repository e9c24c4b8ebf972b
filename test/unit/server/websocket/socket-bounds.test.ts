import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { ArrivalBounds, MessageBudget } from '../../../../src/server/websocket/socket-bounds.ts';
import { until } from '../../../support/until.ts';

/** What is counted of all that is not whole, in bytes. */
let held: () => number;
let giveUps: (() => void)[];
let heard: number;
let server: WebSocketServer;
let client: WebSocket;

describe('unfinished messages of a client', () => {
  beforeEach(async () => {
    [heard, giveUps] = [0, []];
    const counts = { held: 0 };
    held = () => counts.held;
    const arrivals = {
      enter(_: string, giveUp: () => void) {
        let own = 0;
        const hold = (bytes: number) => {
          counts.held += bytes - own;
          own = bytes;
        };
        giveUps.push(giveUp);
        return { hold, leave: () => hold(0) };
      },
    };
    server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    server.on('connection', (socket, req) => {
      const bounds = new ArrivalBounds(socket, arrivals, '');
      req.socket.on('data', (chunk) => bounds.count(chunk));
      req.socket.once('close', () => bounds.leave());
      socket.on('message', (data) => bounds.readMessage(data as Buffer));
      for (const event of ['ping', 'pong'] as const) socket.on(event, (data) => bounds.readFrame(data));
      for (const event of ['message', 'ping', 'pong'] as const)
        socket.on(event, () => {
          heard += 1;
        });
    });
    await new Promise((resolve) => server.once('listening', resolve));
    client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await new Promise((resolve) => client.once('open', resolve));
  });
  afterEach(async () => {
    client.terminate();
    await new Promise((resolve) => server.close(resolve));
  });

  it('are no longer counted once they are complete', async () => {
    for (let index = 0; index < 50; index += 1) {
      client.send('x'.repeat(index * 1_000));
      client.ping('p'.repeat(index));
      for (let part = 0; part < 5; part += 1) client.send('y'.repeat(part * 10), { fin: false });
      client.pong();
      client.send('', { fin: true });
    }
    await until(
      () => heard === 200,
      () => `only ${heard} came`,
    );
    await until(
      () => held() === 0,
      () => `${held()} bytes are counted`,
    );
    expect(held()).toBe(0);
  });

  it('are counted until they end or the client leaves', async () => {
    client.send('whole');
    client.send('x'.repeat(300_000), { fin: false });
    await until(() => held() >= 300_000, 'it is counted');
    expect(held()).toBeLessThan(600_000);
    client.ping();
    client.send('x', { fin: true });
    await until(() => heard === 3 && held() === 0, 'it is whole');

    client.send('x'.repeat(300_000), { fin: false });
    await until(() => held() >= 300_000, 'the next one is counted');
    client.terminate();
    await until(() => held() === 0, 'its client has gone');
  });

  it('end the connection if they exceed the memory', async () => {
    const closed = new Promise((resolve) => client.once('close', resolve));
    client.send('x'.repeat(1_000), { fin: false });
    await until(() => held() > 0, 'it is counted');
    giveUps.at(-1)?.();
    expect(await closed).toBe(1013);
  });
});

/** Bytes, more than any client sends besides operations. */
const tooMuch = 300 * 1024;

describe('messages other than operations', () => {
  it('close the connection if there are too many since the last ping', () => {
    const budget = new MessageBudget();
    expect(budget.spend(tooMuch)).toBe(true);
    expect(budget.spend(1)).toBe(false);
    budget.reset();
    expect([budget.spend(tooMuch), budget.spend(1)]).toEqual([true, false]);
  });

  it('close the connection if there are too many small ones', () => {
    const budget = new MessageBudget();
    let count = 0;
    while (count < 100_000 && budget.spend(0)) count += 1;
    expect(count).toBeGreaterThan(1_000);
    expect(count).toBeLessThan(100_000);
  });

  it('do not include operations, except those that the caller must not send now', () => {
    const budget = new MessageBudget();
    for (let count = 0; count < 10; count += 1) {
      expect(budget.spend(tooMuch)).toBe(true);
      budget.refund();
    }
    budget.spend(tooMuch);
    budget.charge(budget.refund());
    expect(budget.spend(1)).toBe(false);
  });
});
