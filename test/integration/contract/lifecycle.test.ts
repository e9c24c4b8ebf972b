import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { type Devnet, startDevnet } from '../../../src/devnet/start-devnet.ts';
import { openWebSocket } from '../../support/open-websocket.ts';
import { openRawClient, toPostText } from '../../support/raw-client.ts';
import { type RecordingUpstream, recordUpstream } from '../../support/recording-upstream.ts';
import { createTestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

const token = 'token-of-the-lifecycle';
let devnet: Devnet;
let sponsor: RecordingUpstream;

beforeAll(async () => {
  devnet = await startDevnet({ sponsorToken: token, checkpointIntervalMs: 0, genesis: { checkpoints: 5 } });
  sponsor = await recordUpstream(devnet.sponsorUrl);
});

afterAll(async () => {
  for (const each of [sponsor, devnet]) await each?.[Symbol.asyncDispose]();
});

afterEach(() => void vi.useRealTimers());

const upstreams = () => ({
  LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
  SPONSOR_URL: sponsor.url,
  SPONSOR_ALLOW_ANONYMOUS: 'true',
  CORS_ORIGINS: 'http://127.0.0.1:4000',
});

const start = (port = '0') => createTestGateway({ ...upstreams(), PORT: port, SPONSOR_TOKEN: token });

/** GET over kept-alive connections. */
function get(url: string, agent: Agent): Promise<{ status: number; connection: string | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    request(url, { agent }, (answer) => {
      let body = '';
      answer.on('data', (chunk) => {
        body += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, connection: answer.headers.connection, body }));
    })
      .on('error', reject)
      .end();
  });
}

/** Does it refuse new connections? */
const isRefused = async (url: string) =>
  String(await get(`${url}/health/live`, new Agent()).catch(String)).includes('ECONNREFUSED');

it('while stopping, it finishes the execution in flight, announces the end on open connections, and frees its port', async () => {
  const gateway = await start();
  const { data } = await gateway.query(
    'mutation { reserveGas(gasBudget: 50000000, reserveDurationSecs: 60) { reservationId sponsorAddress gasCoins { objectId version digest } } }',
  );
  const { reservationId, sponsorAddress, gasCoins } = data.reserveGas;
  const signed = await gateway.query(
    'query ($s: LedgerAddress!, $c: [DevnetGasCoinInput!]!) { devnetSignTransaction(sponsorAddress: $s, gasCoins: $c, gasBudget: 50000000) { txBytes userSig digest } }',
    { s: sponsorAddress, c: gasCoins },
  );
  const { txBytes, userSig, digest } = signed.data.devnetSignTransaction;

  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  expect((await get(`${gateway.url}/health/ready`, agent)).status).toBe(200);

  let goOn = () => {};
  const asked = new Promise<void>((resolve) => {
    sponsor.intercept = ({ headers, body, path }, res) => {
      resolve();
      goOn = () => {
        const passed = request(new URL(path, devnet.sponsorUrl), { method: 'POST', headers }, (answer) =>
          answer.pipe(res),
        );
        passed.end(body);
      };
      return true;
    };
  });
  const execution = gateway.query(
    'mutation ($i: ID!, $t: Base64!, $s: Base64!) { executeTx(reservationId: $i, txBytes: $t, userSig: $s) { digest outcome } }',
    { i: reservationId, t: txBytes, s: userSig },
  );
  await asked;
  // Long enough for a busy machine; an idle connection is closed soon after.
  const closed = gateway.close(1_000);

  const ready = await get(`${gateway.url}/health/ready`, agent);
  expect(ready).toMatchObject({ status: 503, connection: 'close' });
  expect(JSON.parse(ready.body)).toMatchObject({ status: 'draining' });
  await expect.poll(() => get(`${gateway.url}/health/live`, new Agent()).catch(String)).toMatch('ECONNREFUSED');

  goOn();
  const { data: executed, headers } = await execution;
  expect(executed.executeTx).toEqual({ digest, outcome: 'EXECUTED' });
  expect(headers.get('connection')).toBe('close');
  await closed;
  agent.destroy();
  sponsor.intercept = undefined;

  await using next = await start(new URL(gateway.url).port);
  expect(next.url).toBe(gateway.url);
  expect((await next.query('{ chainIdentifier }')).errors).toBeUndefined();
});

it('while stopping, it does not wait for idle connections', async () => {
  const gateway = await start();
  const port = Number(new URL(gateway.url).port);
  const silent = ['', 'POST /graphql HTTP/1.1\r\nhost: localhost\r\n'].map(
    (bytes) =>
      new Promise<{ ended: Promise<void> }>((resolve) => {
        const ended = new Promise<void>((done) => {
          const socket = connect(port, '127.0.0.1', () => socket.write(bytes || '\r\n', () => resolve({ ended })));
          socket.on('error', () => {});
          socket.on('close', () => done());
        });
      }),
  );
  const connections = await Promise.all(silent);
  // A response proves that earlier bytes were read.
  await gateway.query('{ gateway { version } }');
  // Operations in flight take longer than a test may.
  await gateway.close();
  await Promise.all(connections.map(({ ended }) => ended));
  expect(connections).toHaveLength(2);
});

it('while stopping, it serves the first request of a connection that it has accepted, even a mutation', async () => {
  const gateway = await start();
  const client = await openRawClient(Number(new URL(gateway.url).port));
  // A response proves that earlier connections were accepted.
  await gateway.query('{ gateway { version } }');
  const closed = gateway.close();
  await until(() => isRefused(gateway.url), 'refused connections');
  await client.send(
    toPostText({ query: 'mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 60) { reservationId } }' }),
  );
  expect(await client.whole()).toMatch(/^HTTP\/1\.1 200 .*connection: close.*"reserveGas":\{"reservationId":"/is);
  await closed;
});

it('while stopping, it refuses new connections before it ends streams, since their clients connect again at once', async () => {
  const gateway = await start();
  const url = `${gateway.url.replace('http', 'ws')}/graphql`;
  const clients = await Promise.all([1, 2, 3, 4].map(() => openWebSocket(url)));
  const again = clients.map(async ({ socket }) => {
    await new Promise((resolve) => socket.once('close', resolve));
    return isRefused(gateway.url);
  });
  await gateway.close();
  expect(await Promise.all(again)).toEqual([true, true, true, true]);
});

it('a reload reads every watched file again, and a closed gateway leaves no interval behind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lifecycle-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [clients, documents, secret] = ['clients', 'documents', 'token'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const files = {
    [clients]: JSON.stringify([{ id: 'app', hash: 'a'.repeat(64), scopes: ['read'] }]),
    [documents]: '{ "a": "{ chainIdentifier }" }',
    [secret]: token,
  };
  for (const [path, text] of Object.entries(files)) await writeFile(path, text);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const env = { CLIENTS_FILE: clients, TRUSTED_DOCUMENTS_FILE: documents, SPONSOR_TOKEN_FILE: secret };
  const gateway = await createTestGateway({ ...upstreams(), ...env }, files);
  await gateway.reload();
  const reloaded = gateway.log.map(({ msg }) => String(msg)).filter((msg) => msg.endsWith('reloaded'));
  expect(reloaded.sort()).toEqual(['clients file reloaded', 'secret file reloaded', 'trusted documents reloaded']);
  expect(vi.getTimerCount()).toBeGreaterThan(3);
  await gateway.close();
  expect(vi.getTimerCount()).toBe(0);
});

it('a second close waits for the first', async () => {
  const gateway = await start();
  const closed = gateway.close();
  expect(gateway.close()).toBe(closed);
  await closed;
  expect(gateway.close()).toBe(closed);
});

it('while draining, it reports 503 to new connections too, and serves them until it stops listening', async () => {
  const gateway = await start();
  const closed = gateway.close(400);
  const ready = await get(`${gateway.url}/health/ready`, new Agent());
  expect(ready).toMatchObject({ status: 503, connection: 'close' });
  expect(JSON.parse(ready.body)).toMatchObject({ status: 'draining' });
  const { data, headers } = await gateway.query(
    'mutation { reserveGas(gasBudget: 50000000, reserveDurationSecs: 60) { reservationId } }',
  );
  expect([data.reserveGas.reservationId, headers.get('connection')]).toEqual([expect.any(String), 'close']);
  await closed;
  await expect(get(`${gateway.url}/health/live`, new Agent())).rejects.toThrow('ECONNREFUSED');
});

it('while stopping, it begins no mutation, and reports this', async () => {
  const gateway = await start();
  const { port } = new URL(gateway.url);
  const client = await openRawClient(Number(port));
  const held: ServerResponse[] = [];
  sponsor.intercept = (_request, res) => held.push(res) > 0;
  const body = {
    query: 'mutation { reserveGas(gasBudget: 50000000, reserveDurationSecs: 60) { reservationId } }',
  };
  await client.send(toPostText(body));
  await until(() => held.length === 1, 'the sponsor to be asked');
  const { socket } = await openWebSocket(`${gateway.url.replace('http', 'ws')}/graphql`);
  const isSocketClosed = once(socket, 'close');
  const closed = gateway.close();
  // Until then a balancer may send new requests, so all of them are served.
  await isSocketClosed;
  await client.send(toPostText(body));
  await client.send(toPostText({ query: '{ gateway { version } }' }));
  held[0]?.destroy();
  sponsor.intercept = undefined;
  const text = await client.whole();
  const answers = text.split('HTTP/1.1 ').slice(1);
  expect(answers.map((each) => [each.slice(0, 3), /connection: close/i.test(each)])).toEqual([
    ['200', false],
    ['200', false],
    ['200', true],
  ]);
  expect(answers[1]).toContain('"code":"UNAVAILABLE"');
  await closed;
});
