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

  it('sponsors a greeting with either SDK from another origin, and reads its event', async () => {
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
      // Later output must not match this again.
      await page.locator('output').evaluate((output) => output.replaceChildren());
    }
    expect(new Set(said).size).toBe(2);
    if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });
    expect(complaints).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await page.close();
  });
});
