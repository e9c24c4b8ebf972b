import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { createLedgerStreams, LedgerStream } from '../../../src/ledger/ledger-streams.ts';
import { createStreamQuota } from '../../../src/live/quota.ts';
import { until } from '../../support/until.ts';

it('counts what is kept until it is read, or the stream is left', async () => {
  const all = { bytes: 0 };
  const streams = [0, 1].map(() => new LedgerStream(all, null, () => {}));
  for (const { sink } of streams) for (let count = 0; count < 3; count += 1) sink.next({ data: { a: 1 } }, 10_000);
  expect(all.bytes).toBe(60_000);
  await streams[0]?.next();
  expect(all.bytes).toBe(50_000);
  for (const stream of streams) await stream.return();
  expect(all.bytes).toBe(0);
});

it('closes all connections when it stops, also that of a caller whose results broke the shared one', async () => {
  await using ledger = await startLedger();
  const streams = createLedgerStreams({
    urls: [ledger.url],
    places: createStreamQuota({ max: 10, maxPerCaller: 10 }),
    graceMs: 2 ** 31 - 1,
    socket: { maxMessageBytes: 1_000 },
  });
  const open = (caller = 'a') =>
    streams.open({ text: 'subscription { a }', isClientsText: true, operationName: null, variables: {}, caller });
  await expect(open().next()).rejects.toThrow('larger');
  await until(() => ledger.clients.size === 0, 'the connection to break');
  for (const caller of ['a', 'b']) {
    open(caller)
      .next()
      .catch(() => {});
  }
  await until(() => ledger.clients.size === 2, 'a connection of its own');
  streams.stop();
  expect(() => open()).toThrow('stopping');
  await until(() => ledger.clients.size === 0, 'no connection');
});

/** Sends a long result to the first subscription, and nothing to others. */
async function startLedger() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'graphql-transport-ws' });
  await once(server, 'listening');
  let isFirst = true;
  server.on('connection', (socket) =>
    socket.on('message', (data) => {
      const { type, id } = JSON.parse(String(data)) as { type: string; id?: string };
      if (type === 'connection_init') socket.send('{"type":"connection_ack"}');
      if (type !== 'subscribe' || !isFirst) return;
      isFirst = false;
      socket.send(JSON.stringify({ type: 'next', id, payload: { data: 'x'.repeat(2_000) } }));
    }),
  );
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clients: server.clients,
    async [Symbol.asyncDispose]() {
      for (const client of server.clients) client.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
