import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import * as apollo from '@apollo/composition';
import { ApolloGateway, RemoteGraphQLDataSource } from '@apollo/gateway';
import { createGatewayRuntime } from '@graphql-hive/gateway';
import * as theguild from '@theguild/federation-composition';
import { parse } from 'graphql';
import { secondSdl, startSecond } from './second-subgraph.mjs';

const cli = new URL('../../dist/cli.js', import.meta.url).pathname;
const network = { transaction: 'TransactionBlock', address: 'LedgerAddress' };
const sponsorToken = 'token-of-the-federation';
const folder = mkdtempSync(join(tmpdir(), 'federation-'));
const keyOf = {};
let devnet;
let ledgerGateway;
let second;
let routers;
let addresses;

/** A process of the gateway's command line, once it says that it is ready. */
async function start(args, env, isReady) {
  const child = spawn(process.execPath, [cli, ...args], { env: { ...process.env, STATE_DIRECTORY: folder, ...env } });
  let out = '';
  await new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`it ended: ${out}`)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        out += chunk;
        if (isReady(out)) resolve();
      });
    }
  });
  return child;
}

async function stop(child) {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function post(url, body, headers = {}) {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
  return (await fetch(url, request)).json();
}

/** Apollo's gateway. The data source sends the client's key to each subgraph. */
async function startApollo(supergraphSdl) {
  const gateway = new ApolloGateway({
    supergraphSdl,
    buildService: ({ url }) =>
      new RemoteGraphQLDataSource({
        url,
        willSendRequest: ({ request, context }) => {
          if (context.key) request.http.headers.set('x-api-key', context.key);
        },
      }),
  });
  const { schema, executor } = await gateway.load();
  const cache = new Map();
  return {
    ask: async (query, variables = {}, key) =>
      JSON.parse(
        JSON.stringify(
          await executor({
            document: parse(query),
            queryHash: query,
            request: { query, variables, http: { headers: new Map() } },
            operationName: null,
            operation: parse(query).definitions[0],
            context: { key },
            schema,
            cache,
            metrics: {},
            logger: console,
          }),
        ),
      ),
    close: () => gateway.stop(),
  };
}

function startHive(supergraph) {
  const runtime = createGatewayRuntime({
    supergraph,
    logging: false,
    propagateHeaders: {
      fromClientToSubgraphs: ({ request }) => {
        const key = request.headers.get('x-api-key');
        return key ? { 'x-api-key': key } : {};
      },
    },
  });
  return {
    async ask(query, variables, key) {
      const headers = { 'content-type': 'application/json', ...(key ? { 'x-api-key': key } : {}) };
      const body = JSON.stringify({ query, variables });
      return (await runtime.fetch('http://router/graphql', { method: 'POST', headers, body })).json();
    },
    close: () => runtime[Symbol.asyncDispose](),
  };
}

before(async () => {
  const clients = ['one', 'other'].map((id) => {
    const { key, client } = JSON.parse(
      execFileSync(process.execPath, [cli, 'keys', 'new', '--id', id, '--scopes', 'read,sponsor'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
    keyOf[id] = key;
    return client;
  });
  const clientsFile = join(folder, 'clients.json');
  writeFileSync(clientsFile, JSON.stringify(clients));
  const [devnetPort, port] = [await freePort(), await freePort()];
  devnet = await start(['devnet', '--port', String(devnetPort), '--sponsor-token', sponsorToken], {}, (out) =>
    out.includes('ledger-gateway serve'),
  );
  const network0 = `http://127.0.0.1:${devnetPort}`;
  ledgerGateway = await start(
    ['serve'],
    {
      PORT: String(port),
      LEDGER_GRAPHQL_URL: `${network0}/graphql`,
      LEDGER_RPC_URL: `${network0}/rpc`,
      SPONSOR_URL: `${network0}/sponsor`,
      SPONSOR_TOKEN: sponsorToken,
      CLIENTS_FILE: clientsFile,
      FEDERATION: 'true',
    },
    (out) => out.includes('"msg":"ready"'),
  );
  const url = `http://127.0.0.1:${port}/graphql`;
  const { data } = await post(url, { query: '{ _service { sdl } objects(first: 50) { nodes { address } } }' });
  addresses = data.objects.nodes.map(({ address }) => address);
  second = await startSecond(network);
  const subgraphs = [
    { name: 'ledger', url, typeDefs: parse(data._service.sdl) },
    { name: 'second', url: second.url, typeDefs: parse(secondSdl(network)) },
  ];
  const [byApollo, byTheguild] = [apollo, theguild].map(
    ({ composeServices }) => composeServices(subgraphs).supergraphSdl,
  );
  routers = {
    'Apollo Gateway': await startApollo(byApollo),
    'Hive Gateway, composed by Apollo': startHive(byApollo),
    'Hive Gateway, composed by theguild': startHive(byTheguild),
  };
});

after(async () => {
  for (const router of Object.values(routers ?? {})) await router.close();
  await second?.close();
  for (const child of [ledgerGateway, devnet]) await stop(child);
  rmSync(folder, { recursive: true });
});

/** The same test through every router. */
function throughEach(name, run) {
  for (const router of ['Apollo Gateway', 'Hive Gateway, composed by Apollo', 'Hive Gateway, composed by theguild'])
    test(`${name}: ${router}`, () => run(routers[router].ask));
}

const listings = `query ($addresses: [LedgerAddress!]!) {
  listings(addresses: $addresses) { pageInfo { hasNextPage } nodes { price item { address version status } } }
}`;

/** Hive Gateway reports the first non-null field of an entity that is null; Apollo Gateway reports nothing. */
function assertOnlyNulls(errors, { listings: { nodes } }) {
  const expected = nodes.flatMap(({ item }, index) =>
    item === null ? [['listings', 'nodes', index, 'item', 'version']] : [],
  );
  if (errors)
    assert.deepEqual(
      errors.map(({ path }) => path),
      expected,
    );
}

const gone = `0x${'dead'.padStart(64, '0')}`;

describe('a federated query', () => {
  throughEach('leads from the second subgraph into the ledger; a deleted object is null', async (ask) => {
    const { data, errors } = await ask(listings, { addresses: [...addresses.slice(0, 3), gone] });
    assertOnlyNulls(errors, data);
    assert.deepEqual(
      data.listings.nodes.map(({ item }) => item?.address ?? null),
      [...addresses.slice(0, 3), null],
    );
    assert.equal(typeof data.listings.nodes[0].item.version, 'number');
  });

  throughEach('leads from the ledger into the second subgraph', async (ask) => {
    const { data, errors } = await ask(`{
      objects(first: 2) { nodes { digest digestLength listing { price item { version } } } pageInfo { hasNextPage } }
      transactionBlocks(last: 1) { nodes { digest note } }
      queryEvents(first: 1) { nodes { id label transactionBlock { note } } }
    }`);
    assert.equal(errors, undefined);
    const [object] = data.objects.nodes;
    assert.equal(object.digestLength, object.digest.length);
    assert.deepEqual([object.listing.price, typeof object.listing.item.version], [7, 'number']);
    const [transaction] = data.transactionBlocks.nodes;
    assert.equal(transaction.note, `about ${transaction.digest}`);
    const [event] = data.queryEvents.nodes;
    assert.equal(event.label, `event ${event.id}`);
    assert.match(event.transactionBlock.note, /^about /);
  });

  throughEach('follows 500 references', async (ask) => {
    const many = Array.from(
      { length: 500 },
      (_, index) => addresses[index] ?? `0x${index.toString(16).padStart(64, '0')}`,
    );
    const { data, errors } = await ask(listings, { addresses: many });
    assertOnlyNulls(errors, data);
    assert.equal(data.listings.nodes.length, 500);
    assert.deepEqual(
      data.listings.nodes.slice(0, 50).map(({ item }) => item.address),
      addresses,
    );
  });

  throughEach('carries the caller through: a reservation is found by its owner alone', async (ask) => {
    const reserve = 'mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 60) { reservationId purpose } }';
    const { data: reserved, errors } = await ask(reserve, {}, keyOf.one);
    assert.equal(errors, undefined);
    assert.equal(reserved.reserveGas.purpose, 'a test');
    const query = 'query ($id: ID!) { viewer { id } reservationNote(reservationId: $id) { about { state purpose } } }';
    const variables = { id: reserved.reserveGas.reservationId };
    const own = await ask(query, variables, keyOf.one);
    assert.deepEqual(own.data, {
      viewer: own.data.viewer,
      reservationNote: { about: { state: 'ACTIVE', purpose: 'a test' } },
    });
    const foreign = await ask(query, variables, keyOf.other);
    assert.equal(foreign.data.reservationNote.about, null);
    assert.notEqual(foreign.data.viewer.id, own.data.viewer.id);
  });
});

describe('without the ledger', () => {
  before(() => stop(devnet));

  throughEach('references are null, each with an error, and the second subgraph is served', async (ask) => {
    const { data, errors } = await ask(listings, { addresses: addresses.slice(0, 2) });
    assert.deepEqual(
      data.listings.nodes,
      [0, 1].map((price) => ({ price, item: null })),
    );
    const codes = errors.map(({ extensions }) => extensions.code);
    assert.deepEqual([...new Set(codes)], ['UPSTREAM_UNAVAILABLE']);
  });
});
