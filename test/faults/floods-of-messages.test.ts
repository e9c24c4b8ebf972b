import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { longestTurn, slowness } from '../support/cpu-time.ts';
import { type FaultyLedger, startFaultyLedger } from '../support/faulty-ledger.ts';
import { openWebSocket } from '../support/open-websocket.ts';
import { openRawClient, type RawClient } from '../support/raw-client.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

let ledger: FaultyLedger;
let gateway: TestGateway;
const clients: RawClient[] = [];

beforeEach(async () => {
  ledger = await startFaultyLedger();
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.vanish('closing');
  await gateway.close();
  await ledger[Symbol.asyncDispose]();
});

const handshake =
  'GET /graphql HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-protocol: graphql-transport-ws\r\n';

/** A masked frame, whose mask is zero. */
function frame(opcode: number, content = ''): Buffer {
  const { length } = content;
  const size = length < 126 ? [0x80 | length] : [0x80 | 126, length >>> 8, length & 0xff];
  return Buffer.concat([Buffer.from([0x80 | opcode, ...size, 0, 0, 0, 0]), Buffer.from(content)]);
}
const ping = frame(0x9);
const init = frame(0x1, '{"type":"connection_init"}');

/** An acknowledged WebSocket of the client at this address. */
async function connect(address: string): Promise<RawClient> {
  const client = await openRawClient(Number(new URL(gateway.url).port));
  clients.push(client);
  await client.send(`${handshake}x-forwarded-for: ${address}\r\n\r\n`);
  await client.receive(/101 Switching/);
  await client.send(init);
  await client.receive(/connection_ack/);
  return client;
}

describe('pings of one address', () => {
  const pings = Buffer.concat(Array.from({ length: 10_000 }, () => ping));

  it.each([1, 40])(
    'on %i WebSockets hold no turn for long, and an operation of another address comes between',
    async (count) => {
      gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, TRUSTED_PROXIES: '127.0.0.1' });
      await gateway.query('{ chainIdentifier }');
      const flooding = await Promise.all(Array.from({ length: count }, () => connect('203.0.113.1')));
      let answered = 0;
      const longest = await longestTurn(async () => {
        for (const client of flooding) void client.send(pings).catch(() => {});
        for (let asked = 0; asked < 20; asked += 1) {
          const { status } = await gateway.query('{ chainIdentifier }', {}, { 'x-forwarded-for': '203.0.113.2' });
          if (status === 200) answered += 1;
        }
      });
      expect(answered).toBe(20);
      expect(longest).toBeLessThan(50 * slowness());
    },
  );

  it('count as attempts beyond the free ones, so that the address is disconnected', async () => {
    gateway = await createTestGateway({
      LEDGER_GRAPHQL_URL: ledger.url,
      TRUSTED_PROXIES: '127.0.0.1',
      RATE_LIMIT_PER_MINUTE: '50',
    });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const idle = await openWebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, from('203.0.113.2'));
    idle.send({ type: 'connection_init' });
    await until(() => idle.messages.length > 0, 'an acknowledgement');
    // 600 cheap requests, and 50 attempts, of which each connection takes two.
    const flooding = await Promise.all(Array.from({ length: 5 }, () => connect('203.0.113.1')));
    const isRefused = async () => (await gateway.query('{ chainIdentifier }', {}, from('203.0.113.1'))).status === 429;
    await until(async () => {
      for (const client of flooding) await client.send(pings.subarray(0, ping.length * 50)).catch(() => {});
      return isRefused();
    }, 'the address has no attempts left');
    await Promise.any(flooding.map((client) => client.receive(/Over the limit of 50 a minute/)));
    expect((await gateway.query('{ chainIdentifier }', {}, from('203.0.113.2'))).status).toBe(200);
    idle.socket.ping();
    await new Promise((resolve) => idle.socket.once('pong', resolve));
    idle.socket.terminate();
  });
});
