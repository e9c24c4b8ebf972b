import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashApiKey, toApiKey } from '../../src/config/client.ts';
import { type Devnet, startDevnet } from '../../src/devnet/start-devnet.ts';
import { builtProgram } from '../support/built-program.ts';
import { chromiumMissing, launchChromium } from '../support/chromium.ts';
import { eventIds, quickPolls, startTickedDevnet } from '../support/live-network.ts';
import { openTcpGate, type TcpGate } from '../support/tcp-gate.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

const examples = fileURLToPath(new URL('../../docs/examples/', import.meta.url));
const commands = fileURLToPath(new URL('../../node_modules/.bin/', import.meta.url));
const execute = promisify(execFile);

let devnet: Devnet;
/** A ledger without new checkpoints, so that pages do not move. */
let reader: TestGateway;
/** Also has a sponsor. */
let payer: TestGateway;

/** Runs a command from the page with the gateway's address replaced. Rejects if it fails. */
const run = async (command: string, args: readonly string[] = [], gateway = reader): Promise<string> => {
  const env = { ...process.env, GATEWAY: `${gateway.url}/graphql` };
  return (await execute(command, args, { cwd: examples, env })).stdout;
};
const runExample = async (name: string, args: readonly string[] = [], gateway = reader): Promise<string[]> =>
  (await run(process.execPath, [`generated/js/${name}.js`, ...args], gateway)).trim().split('\n');

beforeAll(async () => {
  // The examples import the client of the package from there.
  builtProgram();
  devnet = await startDevnet({ sponsorToken: 'unused', checkpointIntervalMs: 0, genesis: { checkpoints: 40 } });
  reader = await createTestGateway({ LEDGER_GRAPHQL_URL: devnet.graphqlUrl, LEDGER_RPC_URL: devnet.rpcUrl });
  payer = await createTestGateway();
  await run(`${commands}graphql-codegen`);
  await Promise.all([run(`${commands}relay-compiler`), run(process.execPath, ['tada-output.mjs'])]);
  await run(`${commands}tsc`).catch((error: { stdout?: string }) => {
    throw new Error(`the examples are not what their types say:\n${error.stdout}`);
  });
});
afterAll(async () => {
  await payer?.close();
  await reader?.close();
  await devnet?.close();
});

const idsOf = (count: number) =>
  devnet.ledger.events.slice(-count).map(({ txDigest, eventSeq }) => `${txDigest}:${eventSeq}`);

describe('the clients in docs/clients.md', () => {
  it('the client of the package reads, pages and reports errors by their code', async () => {
    const lines = await runExample('client');
    const sold = devnet.ledger.events.filter(({ type }) => type.endsWith('::ItemSold')).slice(-3);
    expect(lines).toEqual([
      ...sold.map(({ txDigest, eventSeq, type }) => `${txDigest}:${eventSeq} ${type}`),
      `${devnet.ledger.events.length} events`,
      'BAD_USER_INPUT never',
    ]);
  });

  it.each(['apollo', 'urql', 'relay'])(
    '%s caches six events separately, and prepends the previous page',
    async (name) => {
      expect(await runExample(name)).toEqual(['6 events', ...idsOf(12)]);
    },
  );

  it('Relay ignores node_modules in its own folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'relay-recipe-'));
    try {
      for (const name of ['relay.config.json', 'relay-events.ts', 'generated/schema.graphql'])
        cpSync(join(examples, name), join(folder, name));
      // As in the compiler's own package: it fits no schema.
      mkdirSync(join(folder, 'node_modules/some-package'), { recursive: true });
      writeFileSync(join(folder, 'node_modules/some-package/extensions.graphql'), 'type Query { other: String }\n');
      const { stdout, stderr } = await execute(`${commands}relay-compiler`, [], { cwd: folder });
      expect(stdout + stderr).toMatch(/Compilation completed/);
      expect(stdout + stderr).not.toMatch(/WARN|node_modules/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 60_000);

  it('graphql-request is typed, with a @oneOf input as a union', async () => {
    const lines = await runExample('graphql-request');
    const sold = devnet.ledger.events.filter(({ type }) => type.endsWith('::ItemSold')).slice(-3);
    expect(lines).toEqual(sold.map(({ txDigest, eventSeq, type }) => `${txDigest}:${eventSeq} ${type}`));
  });

  it('gql.tada passes one address variable to fields of the gateway and of the ledger', async () => {
    const [of, ...ids] = await runExample('gql-tada');
    const { sender = '' } = devnet.ledger.events.at(-1) ?? {};
    expect(of).toMatch(new RegExp(`^${sender} [1-9][0-9]* balances$`));
    const theirs = devnet.ledger.events.filter((event) => event.sender === sender).slice(-3);
    expect(ids).toEqual(theirs.map(({ txDigest, eventSeq }) => `${txDigest}:${eventSeq}`));
  });

  it.each(['iota', 'sui'])('a transaction of the %s SDK is sponsored and executed', async (sdk) => {
    const shown = (await runExample('sponsor', [sdk], payer)).join('\n');
    expect(shown).toContain("outcome: 'EXECUTED'");
    expect(shown).toContain("status: 'SUCCESS'");
    const digest = /digest: '(\w+)'/.exec(shown)?.[1];
    const { data } = await payer.query('query ($d: String!) { transactionBlock(digest: $d) { digest } }', {
      d: digest,
    });
    expect(data.transactionBlock).toEqual({ digest });
  });

  it('all share one copy of graphql', () => {
    const require = createRequire(import.meta.url);
    const own = require.resolve('graphql');
    for (const name of ['@apollo/client', 'graphql-request', '@graphql-codegen/client-preset', '@gql.tada/internal'])
      expect(createRequire(require.resolve(name)).resolve('graphql'), name).toBe(own);
  });
});

/** A network and a gateway that restarts on the same port. */
async function startRestartable() {
  const network = await startTickedDevnet();
  let gateway: TestGateway;
  let port = '0';
  const restart = async (cursorKey: string) => {
    const before = gateway;
    await before?.close();
    // These happen while no gateway runs.
    for (let ticks = 0; ticks < 5; ticks += 1) network.tick();
    gateway = await createTestGateway({
      PORT: port,
      LEDGER_GRAPHQL_URL: network.graphqlUrl,
      LEDGER_RPC_URL: network.rpcUrl,
      CURSOR_KEYS: cursorKey.repeat(32),
      ...quickPolls,
    });
    ({ port } = new URL(gateway.url));
  };
  await restart('k');
  return {
    network,
    restart,
    url: () => `http://127.0.0.1:${port}/graphql`,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await network.close();
    },
  };
}

type Restartable = Awaited<ReturnType<typeof startRestartable>>;
type Seen = () => readonly string[] | Promise<readonly string[]>;

async function expectMore({ network }: Restartable, seen: Seen): Promise<void> {
  const { length } = await seen();
  await until(async () => {
    network.tick();
    return (await seen()).length > length;
  }, 'an event');
}

async function expectAll({ network }: Restartable, seen: Seen): Promise<void> {
  const all = eventIds(network);
  await until(async () => (await seen()).at(-1) === all.at(-1), 'the last event');
  const ids = await seen();
  expect(ids).toEqual(all.slice(all.indexOf(ids[0] ?? '')));
}

/** Two restarts with the same key lose and double no event. After one with another key, the app reports it and goes on. */
async function expectToFollow(gateway: Restartable, seen: Seen, reported: Seen): Promise<void> {
  await expectMore(gateway, seen);
  for (let count = 0; count < 2; count += 1) {
    await gateway.restart('k');
    await expectMore(gateway, seen);
  }
  await expectAll(gateway, seen);
  expect(await reported()).not.toContain('CURSOR_KEY_UNKNOWN');
  await gateway.restart('n');
  await until(async () => (await reported()).includes('CURSOR_KEY_UNKNOWN'), 'the report of the rejected cursor');
  await expectMore(gateway, seen);
}

it('the live example in Node loses no event through restarts, and reports a rejected cursor', async () => {
  await using gateway = await startRestartable();
  const env = { ...process.env, GATEWAY: gateway.url() };
  const program = spawn(process.execPath, ['generated/js/live-in-node.js'], { cwd: examples, env });
  const said = { out: '', error: '' };
  program.stdout.on('data', (chunk) => {
    said.out += chunk;
  });
  program.stderr.on('data', (chunk) => {
    said.error += chunk;
  });
  const linesOf = (text: string) => text.split('\n').slice(0, -1);
  try {
    await expectToFollow(
      gateway,
      () => linesOf(said.out),
      () => linesOf(said.error),
    );
  } finally {
    program.kill();
  }
});

describe.skipIf(chromiumMissing !== null)(`the examples in a real browser ${chromiumMissing ?? ''}`, () => {
  let server: ViteDevServer;
  let browser: Browser;
  let origin: string;
  /** Serves only callers with the key, which only pages of the origin may use. */
  let keyed: TestGateway;
  let gate: TcpGate;
  const key = toApiKey('web', new Uint8Array(32).fill(7)).reveal();

  beforeAll(async () => {
    server = await createServer({
      root: examples,
      configFile: false,
      cacheDir: 'generated/vite',
      logLevel: 'error',
      server: { host: '127.0.0.1', port: 0 },
    });
    await server.listen();
    origin = new URL(server.resolvedUrls?.local[0] ?? '').origin;
    keyed = await createTestGateway(
      { CLIENTS_FILE: 'clients.yaml', SPONSOR_ALLOW_ANONYMOUS: 'false' },
      { 'clients.yaml': `- { id: web, hash: ${hashApiKey(key)}, scopes: [read, sponsor], origins: ['${origin}'] }` },
    );
    gate = await openTcpGate(Number(new URL(keyed.url).port));
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await gate?.[Symbol.asyncDispose]();
    await keyed?.close();
    await server?.close();
  });

  const open = async (from: string, withKey: string) => {
    const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
    page.setDefaultTimeout(120_000);
    await page.goto(`${from}?gateway=http://127.0.0.1:${gate.port}/graphql&key=${withKey}`);
    return page;
  };
  const click = (page: Page, name: string) => page.getByRole('button', { name: `with the ${name} SDK` }).click();
  const output = async (page: Page, text: RegExp) => {
    await page.locator('output', { hasText: text }).waitFor();
    return page.locator('output').innerText();
  };
  const dispatched = () => keyed.log.filter(({ event }) => event === 'dispatched').length;

  it('the page sponsors a greeting with either SDK and a key for its origin, and reads its event', async () => {
    const page = await open(origin, key);
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    const said: string[] = [];
    for (const name of ['IOTA', 'Sui']) {
      await click(page, name);
      const [, digest] = (await output(page, /^EXECUTED \w+$/)).split(' ');
      await page.locator('li', { hasText: `${digest}:0` }).waitFor();
      said.push(`${digest}`);
      // Later output must not match this again.
      await page.locator('output').evaluate((element) => element.replaceChildren());
    }
    expect(new Set(said).size).toBe(2);
    if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });
    expect(complaints).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await page.close();
  });

  it('the page executes once although the response is lost and the page is reloaded', async () => {
    const page = await open(origin, key);
    const before = dispatched();
    const lost = gate.loseResponse('executeTx(');
    await click(page, 'IOTA');
    await lost;
    // Until then, the page repeats in vain.
    gate.cut();
    await page.reload();
    gate.heal();
    await output(page, /^EXECUTED \w+$/);
    expect(dispatched()).toBe(before + 1);
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    await page.close();
  });

  it('the page shows the code of a failure: without a key, and with a key for another origin', async () => {
    for (const [from, withKey] of [
      [origin, ''],
      [origin.replace('127.0.0.1', 'localhost'), key],
    ] as const) {
      const page = await open(from, withKey);
      await click(page, 'IOTA');
      expect(await output(page, /^[A-Z_]+: /)).toMatch(/^(UNAUTHENTICATED|FORBIDDEN): /);
      await page.close();
    }
  });

  it('the live example and a plain EventSource lose no event through restarts', async () => {
    await using gateway = await startRestartable();
    const page = await browser.newPage();
    await page.goto(origin);
    await page.evaluate(`
      window.seen = [];
      window.reported = [];
      import('/live.ts').then(({ follow }) =>
        follow('${gateway.url()}', (id) => window.seen.push(id), ({ code }) => window.reported.push(code)));
      window.plain = [];
      const query = 'subscription { liveEvents { ... on LiveEventItem { event { id } } } }';
      const source = new EventSource('${gateway.url()}?' + new URLSearchParams({ query }));
      source.addEventListener('next', ({ data }) => {
        const event = JSON.parse(data).data?.liveEvents.event;
        if (event) window.plain.push(event.id);
      });
    `);
    const plain = () => page.evaluate<string[]>('window.plain');
    await expectMore(gateway, plain);
    await gateway.restart('k');
    await expectMore(gateway, plain);
    await expectAll(gateway, plain);
    await expectToFollow(
      gateway,
      () => page.evaluate('window.seen'),
      () => page.evaluate('window.reported'),
    );
    await page.close();
  });
});
