import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Devnet, startDevnet } from '../../src/devnet/start-devnet.ts';
import { chromiumMissing, launchChromium } from '../support/chromium.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';

const examples = fileURLToPath(new URL('../../docs/examples/', import.meta.url));
const commands = fileURLToPath(new URL('../../node_modules/.bin/', import.meta.url));
const execute = promisify(execFile);

let devnet: Devnet;
/** Reads a ledger that stands still, so that pages do not move. */
let reader: TestGateway;
/** Has a sponsor as well. */
let payer: TestGateway;

/** Runs a command as a reader of the page would, but for the address of the gateway. Rejects when it fails. */
const run = async (command: string, args: readonly string[] = [], gateway = reader): Promise<string> => {
  const env = { ...process.env, GATEWAY: `${gateway.url}/graphql` };
  return (await execute(command, args, { cwd: examples, env })).stdout;
};
const runExample = async (name: string, args: readonly string[] = [], gateway = reader): Promise<string[]> =>
  (await run(process.execPath, [`generated/js/${name}.js`, ...args], gateway)).trim().split('\n');

beforeAll(async () => {
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

describe('the clients of the page about them', () => {
  it.each(['apollo', 'urql', 'relay'])(
    '%s keeps six events apart, and puts the page before them in its place',
    async (name) => {
      expect(await runExample(name)).toEqual(['6 events', ...idsOf(12)]);
    },
  );

  it('Relay reads nothing of node_modules in a folder of its own', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'relay-recipe-'));
    try {
      for (const name of ['relay.config.json', 'relay-events.ts', 'generated/schema.graphql'])
        cpSync(join(examples, name), join(folder, name));
      // As the compiler's own package has one; it fits no schema.
      mkdirSync(join(folder, 'node_modules/some-package'), { recursive: true });
      writeFileSync(join(folder, 'node_modules/some-package/extensions.graphql'), 'type Query { other: String }\n');
      const { stdout, stderr } = await execute(`${commands}relay-compiler`, [], { cwd: folder });
      expect(stdout + stderr).toMatch(/Compilation completed/);
      expect(stdout + stderr).not.toMatch(/WARN|node_modules/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 60_000);

  it('graphql-request reads with types, those of a choice of one among them', async () => {
    const lines = await runExample('graphql-request');
    const sold = devnet.ledger.events.filter(({ type }) => type.endsWith('::ItemSold')).slice(-3);
    expect(lines).toEqual(sold.map(({ txDigest, eventSeq, type }) => `${txDigest}:${eventSeq} ${type}`));
  });

  it('gql.tada takes one variable for an address through fields of the gateway and of the ledger', async () => {
    const [of, ...ids] = await runExample('gql-tada');
    const { sender = '' } = devnet.ledger.events.at(-1) ?? {};
    expect(of).toMatch(new RegExp(`^${sender} [1-9][0-9]* balances$`));
    const theirs = devnet.ledger.events.filter((event) => event.sender === sender).slice(-3);
    expect(ids).toEqual(theirs.map(({ txDigest, eventSeq }) => `${txDigest}:${eventSeq}`));
  });

  it.each(['iota', 'sui'])('a transaction of the SDK of %s is sponsored and executed', async (sdk) => {
    const shown = (await runExample('sponsor', [sdk], payer)).join('\n');
    expect(shown).toContain("outcome: 'EXECUTED'");
    expect(shown).toContain("status: 'SUCCESS'");
    const digest = /digest: '(\w+)'/.exec(shown)?.[1];
    const { data } = await payer.query('query ($d: String!) { transactionBlock(digest: $d) { digest } }', {
      d: digest,
    });
    expect(data.transactionBlock).toEqual({ digest });
  });

  it('there is one copy of graphql for all of them', () => {
    const require = createRequire(import.meta.url);
    const own = require.resolve('graphql');
    for (const name of ['@apollo/client', 'graphql-request', '@graphql-codegen/client-preset', '@gql.tada/internal'])
      expect(createRequire(require.resolve(name)).resolve('graphql'), name).toBe(own);
  });
});

describe.skipIf(chromiumMissing !== null)(`the example page in a real browser ${chromiumMissing ?? ''}`, () => {
  let server: ViteDevServer;
  let browser: Browser;

  beforeAll(async () => {
    server = await createServer({
      root: examples,
      configFile: false,
      cacheDir: 'generated/vite',
      logLevel: 'error',
      server: { host: '127.0.0.1', port: 0 },
    });
    await server.listen();
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  it('says hello with either SDK, from another origin than the gateway’s, and reads what was said', async () => {
    const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${server.resolvedUrls?.local[0]}?gateway=${payer.url}/graphql`);
    const said: string[] = [];
    for (const name of ['IOTA', 'Sui']) {
      await page.getByRole('button', { name: `with the ${name} SDK` }).click();
      await page.locator('output', { hasText: /^EXECUTED \w+$/ }).waitFor();
      const digest = (await page.locator('output').innerText()).split(' ')[1];
      await page.locator('li', { hasText: `${digest}:0` }).waitFor();
      said.push(`${digest}`);
      // What comes next must not be taken for this.
      await page.locator('output').evaluate((output) => output.replaceChildren());
    }
    expect(new Set(said).size).toBe(2);
    if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });
    expect(complaints).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await page.close();
  });
});
