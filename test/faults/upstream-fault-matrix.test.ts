import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { createDevnetAccounts } from '../../src/devnet/genesis/accounts.ts';
import { createDevnetContracts } from '../../src/devnet/genesis/contracts.ts';
import { type Devnet, startDevnet } from '../../src/devnet/start-devnet.ts';
import { createDevnetSigner } from '../../src/devnet/transactions/devnet-signer.ts';
import { readEventStream } from '../support/event-stream-reader.ts';
import { type FaultProxy, type NetworkFault, networkFaults, openFaultProxy } from '../support/fault-proxy.ts';
import { eventIds } from '../support/live-network.ts';
import { type RedisServer, redisMissing, startRedis } from '../support/redis-server.ts';
import { runCli } from '../support/run-cli.ts';
import { createTestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';
import { type FaultCell, type FaultedCallName, faultedCalls } from '../support/upstream-fault-cells.ts';

const shortMs = '2000';
/** A third of it is for lookups in the ledger, while all cells of an upstream are tested at once. */
const lookedUpMs = '12000';
const longMs = '600000';
const seed = 7;
const sponsorToken = 'token-of-the-sponsor';

interface Gateway extends AsyncDisposable {
  readonly url: string;
  /** `msg` of the log lines so far. */
  messages(): readonly string[];
}

/** Connects the gateway and one upstream, and applies the fault. */
type Fault = Pick<FaultProxy, 'heal' | 'connections' | 'spoilt'> & { begin(): void };

let devnet: Devnet;
let redis: RedisServer | null = null;
let sign: ReturnType<typeof createDevnetSigner>;

beforeAll(async () => {
  devnet = await startDevnet({
    sponsorToken,
    seed,
    checkpointIntervalMs: 200,
    activityEveryCheckpoints: 1,
    genesis: { checkpoints: 20, sponsorCoins: 1_000 },
  });
  if (redisMissing === null) redis = await startRedis();
  sign = createDevnetSigner({
    accounts: createDevnetAccounts(seed),
    contracts: createDevnetContracts(seed),
    gasPrice: devnet.ledger.referenceGasPrice,
  });
});
afterAll(async () => {
  await devnet?.close();
  await redis?.[Symbol.asyncDispose]();
});

const upstreamOf = {
  ledger: 'LEDGER_GRAPHQL_URL',
  sponsor: 'SPONSOR_URL',
  reserveGas: 'SPONSOR_URL',
  executeTx: 'SPONSOR_URL',
  events: 'LEDGER_RPC_URL',
  socket: 'LEDGER_RPC_WS_URL',
  redis: 'REDIS_URL',
} as const satisfies Record<FaultedCallName, string>;
type Setting = (typeof upstreamOf)[FaultedCallName];

const urlOf = (setting: Setting): URL =>
  new URL(
    {
      LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
      SPONSOR_URL: devnet.sponsorUrl,
      LEDGER_RPC_URL: devnet.rpcUrl,
      LEDGER_RPC_WS_URL: devnet.rpcWsUrl,
      REDIS_URL: redis?.url ?? '',
    }[setting],
  );

/** All timeouts are long, except that of the setting that ends the call. */
function toEnvironment(name: FaultedCallName, { endedBy }: FaultCell): Record<string, string> {
  const [bound = ''] = /^[A-Z_]{5,}/.exec(endedBy) ?? [];
  return {
    LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
    SPONSOR_URL: devnet.sponsorUrl,
    SPONSOR_TOKEN: sponsorToken,
    SPONSOR_ALLOW_ANONYMOUS: 'true',
    CORS_ORIGINS: 'https://dapp.example',
    LEDGER_RPC_URL: devnet.rpcUrl,
    LEASE_KEYS: 'key1:0123456789abcdef0123456789abcdef',
    REQUEST_TIMEOUT_MS: longMs,
    MUTATION_TIMEOUT_MS: longMs,
    ...(name === 'socket' && { LIVE_SOURCE: 'websocket', LIVE_POLL_MIN_MS: '300', LIVE_POLL_MAX_MS: '300' }),
    ...(bound.endsWith('_TIMEOUT_MS') && { [bound]: endedBy.includes('lookup') ? lookedUpMs : shortMs }),
  };
}

async function startGateway(env: Record<string, string>): Promise<Gateway> {
  const gateway = await createTestGateway(env);
  return {
    url: `${gateway.url}/graphql`,
    messages: () => gateway.log.map(({ msg }) => String(msg)),
    [Symbol.asyncDispose]: () => gateway.close(),
  };
}

/** A gateway that reaches an upstream by name over TLS, in a process that trusts the certificate of the test. */
async function startSecureGateway(env: Record<string, string>, unresolvedFile: string): Promise<Gateway> {
  const support = new URL('../support/', import.meta.url);
  const gateway = runCli(
    ['serve'],
    {
      PORT: '0',
      HOST: '127.0.0.1',
      RATE_LIMIT_PER_MINUTE: '0',
      ...env,
      IMMUTABLE_CACHE_BYTES: '0',
      NODE_EXTRA_CA_CERTS: fileURLToPath(new URL('tls/trusted.pem', support)),
      UNRESOLVED_FILE: unresolvedFile,
    },
    ['--import', new URL('unresolved-names.mjs', support).href],
  );
  const [, url = ''] = await gateway.waitFor(/"url":"(http:[^"]+)"/);
  const lines = () => gateway.out().split('\n').slice(0, -1);
  return {
    url,
    messages: () => lines().map((line) => String(JSON.parse(line).msg)),
    async [Symbol.asyncDispose]() {
      gateway.child.kill('SIGKILL');
      await gateway.ended;
    },
  };
}

const readIdentity = (name: string) => {
  const pem = readFileSync(new URL(`../support/tls/${name}.pem`, import.meta.url));
  return { key: pem, cert: pem };
};

interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not programmed against
  readonly data?: any;
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

async function ask({ url }: Gateway, query: string, variables: object = {}): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as Answer;
}

/** Sum of the series with the labels of a metric. */
async function readMetric({ url }: Gateway, metric: string): Promise<number> {
  const [, name = '', labels = ''] = /^(\w+)\{(.*)\}$/.exec(metric) ?? [];
  const page = await (await fetch(new URL('/metrics', url))).text();
  return page
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) && labels.split(',').every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

/** The variables of a call: an execution needs a reservation and a signed transaction. */
async function prepare(gateway: Gateway, name: FaultedCallName): Promise<object> {
  if (name !== 'executeTx') return {};
  const { data } = await ask(gateway, faultedCalls.reserveGas.query);
  // Variables are missing while the sponsor is not reached.
  if (!data.reserveGas) return {};
  const { bytes, signature } = sign({ ...data.reserveGas, gasBudget: 50_000_000n });
  return { id: data.reserveGas.reservationId, tx: Buffer.from(bytes).toString('base64'), sig: signature };
}

/** What the client got: fields of other upstreams must have data. */
function toClient({ data, errors = [] }: Answer): string {
  const { chainIdentifier = 'c', gateway = {}, executeTx } = data ?? {};
  if (chainIdentifier === null || gateway === null) return 'fields of other upstreams have no data';
  const codes = errors.map(({ extensions }) => extensions.code);
  if (codes.length === 0) return executeTx?.outcome === 'RECOVERED' ? 'RECOVERED' : 'data';
  return codes.join();
}

/** Makes a call while its upstream fails, and one afterwards. */
async function observeCall(name: FaultedCallName, gateway: Gateway, fault: Fault): Promise<string> {
  const { query } = faultedCalls[name];
  const isServed = async () => !(await ask(gateway, query, await prepare(gateway, name))).errors;
  await until(isServed, 'the gateway serves');
  const variables = await prepare(gateway, name);
  fault.begin();
  const answer = await ask(gateway, query, variables);
  fault.heal();
  await until(isServed, 'the upstream is used again');
  return toClient(answer);
}

const subscription = 'subscription { liveEvents { __typename ... on LiveEventItem { event { id } } } }';

/** Follows events while the WebSocket that announces them fails, and until it is back. */
async function observeStream(gateway: Gateway, fault: Fault, log: string | null): Promise<string> {
  const stream = await readEventStream(gateway.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: subscription }),
  });
  const moreEvents = async () => {
    const before = stream.results.length;
    await until(() => stream.results.length > before + 1, 'more events');
  };
  await moreEvents();
  await until(() => fault.connections > 0, 'the WebSocket is open');
  await moreEvents();
  fault.begin();
  await until(() => fault.spoilt > 0 || gateway.messages().includes(String(log)), 'the fault');
  await moreEvents();
  if (log !== null) await until(() => gateway.messages().includes(log), 'the warning');
  fault.heal();
  await moreEvents();
  if (log !== null)
    await until(
      () => gateway.messages().includes("the upstream's subscriptions are back"),
      'the WebSocket is used again',
    );
  await stream.leave();
  const ids = stream.results.map(({ data }) => String(data?.liveEvents?.event?.id));
  const all = eventIds(devnet);
  const first = all.indexOf(ids[0] ?? '');
  return all.slice(first, first + ids.length).join() === ids.join() ? 'every event, in order' : ids.join();
}

async function observe(name: FaultedCallName, cell: FaultCell, gateway: Gateway, fault: Fault): Promise<FaultCell> {
  const before = await readMetric(gateway, cell.metric);
  const client = await (name === 'socket'
    ? observeStream(gateway, fault, cell.log)
    : observeCall(name, gateway, fault));
  const counted = (await readMetric(gateway, cell.metric)) - before;
  const { log } = cell;
  // The call of an execution ends after its response.
  if (log !== null) await until(() => gateway.messages().includes(log), log);
  const isLogged = log !== null;
  const warnings = Object.values(faultedCalls).flatMap(({ cells }) => Object.values(cells).map(({ log }) => log));
  const unexpected = gateway.messages().find((message) => warnings.includes(message));
  return {
    client: client as FaultCell['client'],
    endedBy: cell.endedBy,
    log: isLogged ? cell.log : (unexpected ?? null),
    metric: counted > 0 ? cell.metric : `${cell.metric} did not grow`,
  };
}

async function observeNetworkFault(name: FaultedCallName, kind: NetworkFault, cell: FaultCell): Promise<FaultCell> {
  const setting = upstreamOf[name];
  const url = urlOf(setting);
  await using proxy = await openFaultProxy(Number(url.port));
  url.port = String(proxy.port);
  await using gateway = await startGateway({ ...toEnvironment(name, cell), [setting]: url.href });
  return await observe(name, cell, gateway, {
    begin: () => proxy.begin(kind),
    heal: proxy.heal,
    get connections() {
      return proxy.connections;
    },
    get spoilt() {
      return proxy.spoilt;
    },
  });
}

async function observeSecureFault(name: FaultedCallName, kind: NetworkFault, cell: FaultCell): Promise<FaultCell> {
  const setting = upstreamOf[name];
  const url = urlOf(setting);
  const identities = { trusted: readIdentity('trusted'), untrusted: readIdentity('untrusted') };
  await using proxy = await openFaultProxy(Number(url.port), identities);
  const folder = mkdtempSync(join(tmpdir(), 'unresolved-'));
  const unresolvedFile = join(folder, 'names');
  const secure = `${url.protocol.slice(0, -1)}s://one.upstream.test:${proxy.port}${url.pathname}`;
  await using gateway = await startSecureGateway({ ...toEnvironment(name, cell), [setting]: secure }, unresolvedFile);
  const observed = await observe(name, cell, gateway, {
    begin() {
      if (kind === 'DNS failure') writeFileSync(unresolvedFile, '');
      proxy.begin(kind);
    },
    heal() {
      rmSync(unresolvedFile, { force: true });
      proxy.heal();
    },
    get connections() {
      return proxy.connections;
    },
    get spoilt() {
      return proxy.spoilt;
    },
  });
  rmSync(folder, { recursive: true });
  return observed;
}

const isSecure = (kind: NetworkFault) => kind === 'TLS failure' || kind === 'DNS failure';
const names = Object.keys(faultedCalls) as FaultedCallName[];

describe.each(names.filter((name) => name !== 'redis' || redisMissing === null))('%s:', (name) => {
  const cells: Readonly<Partial<Record<NetworkFault, FaultCell>>> = faultedCalls[name].cells;
  const rows = networkFaults.flatMap((kind) => (cells[kind] ? [[kind, cells[kind]] as const] : []));

  test.concurrent.for(rows)('%s', async ([kind, cell], { expect }) => {
    const observed = await (isSecure(kind) ? observeSecureFault : observeNetworkFault)(name, kind, cell);
    expect(observed).toEqual(cell);
  });
});
