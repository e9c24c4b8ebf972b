import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultyLedger, startFaultyLedger } from '../support/faulty-ledger.ts';
import { inTurns } from '../support/in-turns.ts';
import { type NginxServer, nginxMissing, startNginx } from '../support/nginx-server.ts';
import { askOften, attacker, memoryOf, openFrom, readAll } from '../support/one-address.ts';
import { openWebSocket } from '../support/open-websocket.ts';
import { toPostText } from '../support/raw-client.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { until } from '../support/until.ts';

const large = '{ events(first: 6000) { json } }';
const close = { connection: 'close' };

/** One hostile address behind nginx as documented, which sends all requests from its own address. */
describe.skipIf(nginxMissing !== null).each(['1', '2'])(
  `behind nginx, with WORKERS=%s, one address ${nginxMissing ?? ''}`,
  (workers) => {
    let ledger: FaultyLedger;
    let gateway: SpawnedGateway;
    let nginx: NginxServer;
    const opened: Socket[] = [];

    beforeAll(async () => {
      ledger = await startFaultyLedger();
      gateway = await spawnGateway(
        { LEDGER_GRAPHQL_URL: ledger.url, SCHEMA_POLL_MS: '0', TRUSTED_PROXIES: '127.0.0.1', WORKERS: workers },
        ['--max-old-space-size=512'],
      );
      nginx = await startNginx([gateway.port]);
    });
    afterAll(async () => {
      for (const socket of opened) socket.destroy();
      await nginx?.[Symbol.asyncDispose]();
      expect(gateway.complaints()).toEqual([]);
      await gateway?.[Symbol.asyncDispose]();
      await ledger?.[Symbol.asyncDispose]();
    });

    async function send(text: string): Promise<Socket> {
      const socket = await openFrom(attacker, nginx.port);
      opened.push(socket);
      socket.write(text);
      return socket;
    }

    /** What the attack costs a client at another address. */
    async function attackedBy(attack: () => Promise<void>): Promise<void> {
      const before = memoryOf(gateway).now;
      const other = askOften({ ...gateway, port: nginx.port });
      try {
        await attack();
        await until(() => other.asked() > 20, 'twenty answers', 60_000);
      } finally {
        await other.end();
      }
      const { failures, p99Ms } = await other.end();
      expect(failures).toEqual([]);
      // CPU time of one process; the limit is 100 ms.
      expect(p99Ms).toBeLessThanOrEqual(200);
      expect(memoryOf(gateway).peak - before).toBeLessThan(300);
      expect(gateway.cli.child.exitCode).toBeNull();
    }

    it('reads one large response thirty times on one WebSocket', () =>
      attackedBy(async () => {
        const url = `ws://127.0.0.1:${nginx.port}/graphql`;
        const client = await openWebSocket(url, { host: 'localhost' }, { localAddress: attacker });
        client.send({ type: 'connection_init' });
        await until(() => client.messages.length > 0, 'an acknowledgement');
        for (let id = 0; id < 30; id += 1)
          client.send({ id: String(id), type: 'subscribe', payload: { query: large } });
        const complete = () => client.messages.filter(({ type }) => type === 'complete').length;
        await until(
          () => complete() === 30,
          () => `${complete()} complete`,
          60_000,
        );
        client.socket.terminate();
      }));

    it('reads one large response a hundred times at once, and gets all of it', () =>
      attackedBy(async () => {
        const text = toPostText({ query: large }, close);
        const received = await inTurns(100, 100, async () => readAll(await send(text)));
        expect(received.filter(({ size }) => size > 5_900_000)).toHaveLength(100);
      }));

    it('sends two thousand requests on four hundred connections', () =>
      attackedBy(async () => {
        const text = toPostText({ query: '{ __typename }' }).repeat(4) + toPostText({ query: '{ __typename }' }, close);
        const sent = await inTurns(400, 50, async () => readAll(await send(text)));
        expect(sent.filter(({ head }) => head.startsWith('HTTP/1.1 200 '))).toHaveLength(400);
      }));

    it('leaves unread what it asks for', () =>
      attackedBy(async () => {
        for (let index = 0; index < 30; index += 1)
          await send(toPostText({ query: large.replace(')', `, after: ${index})`) }, close));
      }));
  },
);
