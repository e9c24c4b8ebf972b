import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Devnet, startDevnet } from '../../../src/devnet/start-devnet.ts';
import { overWebSocket } from '../../support/live-clients.ts';
import { type PushingLedger, startPushingLedger } from '../../support/pushing-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

/** A hosted node: serves what is behind it to requests and WebSockets with its key, and 401 to all others. */
async function startHostedNode(target: string, key: { value: string }) {
  const { hostname, port } = new URL(target);
  const seen: string[] = [];
  const isKnown = (req: IncomingMessage) => {
    seen.push(`${req.method} ${req.headers['x-api-key']} ${req.headers.upgrade ?? ''}`.trim());
    return req.headers['x-api-key'] === key.value;
  };
  const server = createServer((req, res) => {
    if (!isKnown(req)) return void res.writeHead(401, { 'content-type': 'text/plain' }).end('who are you?');
    const options = { hostname, port, method: req.method, path: req.url, headers: req.headers };
    const forwarded = request(options, (answer) => {
      res.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(res);
    });
    req.pipe(forwarded);
  });
  server.on('upgrade', (req, socket, head) => {
    if (!isKnown(req)) return void socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
    const behind = connect(Number(port), hostname);
    const fields = req.rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
    behind.write(`${req.method} ${req.url} HTTP/1.1\r\n${fields}\r\n`);
    behind.write(head);
    behind.pipe(socket).pipe(behind);
    for (const each of [behind, socket]) each.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    seen,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

let devnet: Devnet;
let pushing: PushingLedger;
const opened: { close(): unknown }[] = [];
const folder = mkdtempSync(join(tmpdir(), 'upstream-headers-'));
beforeAll(async () => {
  devnet = await startDevnet({ sponsorToken: 'token' });
  pushing = await startPushingLedger();
});
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});
afterAll(async () => {
  await pushing?.[Symbol.asyncDispose]();
  await devnet?.close();
  rmSync(folder, { recursive: true });
});

const open = async (target: string, key: { value: string }) => {
  const node = await startHostedNode(target, key);
  opened.push(node);
  return node;
};
const serve = async (env: Record<string, string>, files: Record<string, string> = {}): Promise<TestGateway> => {
  const gateway = await createTestGateway(env, files);
  opened.push(gateway);
  return gateway;
};

it('sends the configured headers with every request and subscription of the ledger, the node and the sponsor', async () => {
  const key = { value: 'k1' };
  const ledger = await open(pushing.url, key);
  const rpc = await open(devnet.rpcUrl, key);
  const sponsor = await open(devnet.sponsorUrl, key);
  const gateway = await serve({
    LEDGER_GRAPHQL_URL: ledger.url,
    LEDGER_GRAPHQL_HEADERS: 'X-Api-Key: k1',
    LEDGER_RPC_URL: rpc.url,
    LEDGER_RPC_HEADERS: '{ "x-api-key": "k1" }',
    SPONSOR_URL: sponsor.url,
    SPONSOR_HEADERS: 'x-api-key: k1\nx-tenant: 7',
    LIVE_SOURCE: 'graphql',
  });
  const { data, errors } = await gateway.query('{ queryEvents(first: 1) { nodes { id } } sponsor { health } }');
  expect({ data, errors }).toMatchObject({ data: { sponsor: { health: 'OK' } } });
  expect(data.queryEvents.nodes).toHaveLength(1);
  const stream = overWebSocket(`${gateway.url}/graphql`, 'subscription { liveEvents { __typename } }', {});
  await until(() => ledger.seen.some((line) => line.includes('websocket')), 'a WebSocket to the ledger');
  await stream.leave();
  expect([...ledger.seen, ...rpc.seen, ...sponsor.seen].filter((line) => !line.includes('k1'))).toEqual([]);
  expect(JSON.stringify(gateway.log)).not.toContain('k1');
});

it('logs once that a node rejects the credentials, and takes others from the file', async () => {
  const key = { value: 'k1' };
  const node = await open(devnet.graphqlUrl, key);
  const file = join(folder, 'headers');
  const content = 'x-api-key: k1\n';
  writeFileSync(file, content);
  const env = { LEDGER_GRAPHQL_URL: node.url, LEDGER_GRAPHQL_HEADERS_FILE: file };
  const gateway = await serve(env, { [file]: content });
  key.value = 'k2';
  const ask = () => gateway.query('{ chainIdentifier }');
  expect((await ask()).errors?.[0]?.extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
  await ask();
  const warnings = gateway.log.filter(({ status }) => status === 401);
  expect(warnings).toMatchObject([{ upstream: 'ledger', setting: 'LEDGER_GRAPHQL_HEADERS' }]);
  writeFileSync(file, 'x-api-key: k2\n');
  await gateway.reload();
  await until(async () => (await ask()).data?.chainIdentifier, 'an answer with the new key');
  expect(JSON.stringify(gateway.log)).not.toContain('k2');
});
