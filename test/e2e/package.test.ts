import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Transaction } from '@mysten/sui-v2/transactions';
import { createServer as createServerOfPages } from 'vite';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { builtProgram } from '../support/built-program.ts';
import { chromiumMissing, launchChromium } from '../support/chromium.ts';
import { eventIds, startLiveNetwork, startTickedDevnet } from '../support/live-network.ts';
import { createTestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const app = mkdtempSync(join(tmpdir(), 'ledger-gateway-app-'));
const archives = join(app, 'archives');
const installed = join(app, 'node_modules', 'ledger-gateway');

afterAll(() => rmSync(app, { recursive: true, force: true }));

// Offline and with an empty cache: nothing but the archives can be installed.
beforeAll(async () => {
  builtProgram();
  const { stdout } = await run(process.execPath, ['.ci/pack.mjs', archives], { cwd: root });
  writeFileSync(join(app, 'package.json'), '{ "type": "module" }');
  const options = ['--offline', '--engine-strict', '--no-audit', '--no-fund', '--cache', join(app, 'cache')];
  const { stderr } = await run('npm', ['install', ...options, ...stdout.trim().split('\n')], { cwd: app });
  expect(stderr).toBe('');
});

test('the archives install without any other package', () => {
  const names = readdirSync(join(app, 'node_modules')).filter((name) => !name.startsWith('.'));
  expect(names.sort()).toEqual(['ledger-gateway', 'ledger-gateway-client']);
  for (const name of names) expect(existsSync(join(app, 'node_modules', name, 'node_modules'))).toBe(false);
});

/** The modules of docs/library.md: a program, a policy and a field. */
const libraryExamples = () =>
  [...readFileSync(join(installed, 'docs', 'library.md'), 'utf8').matchAll(/```ts\n(.*?)```/gs)].map(
    ([, code = '']) => code,
  );

const clientProgram = `import { createClient } from 'ledger-gateway-client';
import * as whole from 'ledger-gateway/client';
import * as alone from 'ledger-gateway-client';
import * as wholeBuild from 'ledger-gateway/client/build';
import * as aloneBuild from 'ledger-gateway-client/build';
const names = (module: object) => Object.keys(module).sort().join();
console.log(typeof createClient, names(whole) === names(alone), names(wholeBuild) === names(aloneBuild));
`;
const pluggedProgram = `import { createLogger, parseConfig, type Plugin, startGateway } from 'ledger-gateway';
import { onePerMinute } from './policy.js';
import { prices } from './prices.js';
const log: Plugin = {
  onOperation: ({ name, errors }) => console.log('operation', name, errors),
  onUpstreamCall: ({ upstream, outcome }) => console.log('call', upstream, outcome),
};
const plugins = [prices, onePerMinute, log];
const config = parseConfig({ env: process.env, readFile: String, plugins });
const gateway = await startGateway({ config, logger: createLogger({ level: 'warn' }), plugins });
console.log(gateway.url + '/graphql');
process.once('SIGTERM', () => void gateway.close());
`;

test('programs over the packages and the examples of docs/library.md compile under strict rules', async () => {
  const [main = '', policy = '', prices = ''] = libraryExamples();
  expect(main).toContain('startGateway');
  const modules = { main, policy, prices, client: clientProgram, plugged: pluggedProgram };
  for (const [name, code] of Object.entries(modules)) writeFileSync(join(app, `${name}.ts`), code);
  const options = ['--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node'];
  const types = ['--typeRoots', join(root, 'node_modules', '@types')];
  const files = Object.keys(modules).map((name) => `${name}.ts`);
  const compiled = run(join(root, 'node_modules', '.bin', 'tsc'), [...options, ...types, ...files], { cwd: app });
  expect(await compiled.catch(({ stdout }: { stdout: string }) => stdout)).toEqual({ stdout: '', stderr: '' });
});

test('the client has an archive of its own, with the same names', async () => {
  const { stdout } = await run(process.execPath, ['client.js'], { cwd: app });
  expect(stdout).toBe('function true true\n');
});

test('the installed program prints its version and the help of a command', async () => {
  const ask = (...args: string[]) => run(process.execPath, [join(installed, 'dist', 'cli.js'), ...args], { cwd: app });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  expect((await ask('--version')).stdout).toBe(`${version}\n`);
  expect((await ask('serve', '--help')).stdout).toContain('--ledger-graphql-url');
});

/** Starts a program that prints the address of its gateway. */
async function startProgram(name: string, env: NodeJS.ProcessEnv = process.env) {
  const program = spawn(process.execPath, [name], { cwd: app, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  program.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const ended = new Promise((resolve) => program.once('exit', (code, signal) => resolve(code ?? signal)));
  await until(() => /^http:\S+graphql\n/m.test(printed), 'the address');
  const [url = ''] = /^http:\S+/m.exec(printed) ?? [];
  return { url, printed: () => printed, stop: () => program.kill('SIGTERM') && ended };
}

test('the example of docs/library.md serves, and stops', async () => {
  const program = await startProgram('main.js');
  const response = await fetch(`${program.url}?query={__typename}`, { headers: { accept: 'application/json' } });
  expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
  expect(await program.stop()).toBe(0);
});

test('the plugins of docs/library.md decide about transactions, add a field, and see operations and calls', async () => {
  await using devnet = await startTickedDevnet();
  const service = createServer((_, response) => response.end('12.5')).listen(0, '127.0.0.1');
  onTestFinished(() => void service.close());
  await once(service, 'listening');
  const { port } = service.address() as AddressInfo;
  const program = await startProgram('plugged.js', {
    PATH: process.env.PATH,
    PORT: '0',
    LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
    SPONSOR_URL: devnet.sponsorUrl,
    SPONSOR_TOKEN: 'unused',
    SPONSOR_ALLOW_ANONYMOUS: 'true',
    CORS_ORIGINS: 'https://app.example.net',
    SPONSORSHIP_JOURNAL: 'false',
    PRICES_URL: `http://127.0.0.1:${port}`,
  });
  const ask = async (query: string, variables = {}) => {
    const body = JSON.stringify({ query, variables });
    const response = await fetch(program.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return (await response.json()) as { data: object; errors?: { message: string; extensions: object }[] };
  };
  expect(await ask('query Price { price(coin: "gold") }')).toEqual({ data: { price: 12.5 } });
  const tx = new Transaction();
  tx.moveCall({ target: '0xd0e::greeter::say_hello', arguments: [tx.pure.string('hi')] });
  const kind = Buffer.from(await tx.build({ onlyTransactionKind: true })).toString('base64');
  const sponsor = () =>
    ask('mutation Sponsor($kind: Base64!) { sponsorTransaction(transactionKind: $kind, sender: "0x5") { digest } }', {
      kind,
    });
  expect((await sponsor()).errors).toBeUndefined();
  const [error] = (await sponsor()).errors ?? [];
  expect(error).toMatchObject({
    message: expect.stringContaining('One transaction a minute'),
    extensions: { code: 'FORBIDDEN' },
  });
  await until(() => program.printed().includes('operation Sponsor 1'), 'the second operation');
  expect(program.printed()).toContain('call prices 200\n');
  expect(program.printed()).toContain('operation Price 0\n');
  expect(await program.stop()).toBe(0);
});

test('the example of a service counts each event once, also over kills', async () => {
  await using network = await startLiveNetwork();
  const folder = join(app, 'event-service');
  cpSync(join(installed, 'docs', 'examples', 'event-service'), folder, { recursive: true });
  const state = (): { last: string | null; counts: Record<string, number> } => {
    const path = join(folder, 'counts.json');
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { last: null, counts: {} };
  };
  const start = () => {
    const env = { ...process.env, GATEWAY: network.address };
    const service = spawn(process.execPath, ['index.js'], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = new Promise((resolve) => service.once('exit', (code, signal) => resolve(code ?? signal)));
    return { stop: (signal: NodeJS.Signals) => service.kill(signal) && ended };
  };
  // How many events happened before the first one that was counted: the same after each run.
  const skipped = new Set<number>();
  for (const signal of ['SIGKILL', 'SIGKILL', 'SIGTERM'] as const) {
    const { last: before } = state();
    const service = start();
    await until(() => {
      network.devnet.tick();
      return state().last !== before;
    }, 'an event');
    expect(await service.stop(signal)).toBe(signal === 'SIGTERM' ? 0 : signal);
    const { last, counts } = state();
    const counted = Object.values(counts).reduce((sum, count) => sum + count, 0);
    skipped.add(eventIds(network.devnet).indexOf(last ?? '') + 1 - counted);
    // This one happens while no service runs.
    network.devnet.tick();
  }
  expect(skipped.size).toBe(1);
});

/** Copies an example from the archive. @param packages what it installs besides the archives */
function copyExample(name: string, packages: readonly string[]): string {
  const folder = join(app, name);
  cpSync(join(installed, 'docs', 'examples', name), folder, { recursive: true });
  for (const each of packages) {
    const link = join(folder, 'node_modules', each);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', each), link);
  }
  return folder;
}

test('the example of a federation composes the graph of each network with a subgraph', async () => {
  const folder = copyExample('federation', ['@theguild/federation-composition', 'graphql']);
  const compose = async (network: string) => {
    const env = { ...process.env, NETWORK_PROFILE: network };
    const cwd = join(folder, network);
    mkdirSync(cwd);
    await run(process.execPath, [join(folder, 'compose.js')], { cwd, env });
    return readFileSync(join(cwd, 'supergraph.graphql'), 'utf8');
  };
  for (const sdl of await Promise.all(['ledger', 'iota', 'sui'].map(compose)))
    expect(sdl).toMatch(/^type Object\b[^{]*graph: CATALOGUE[^{]*graph: LEDGER/m);
});

test.skipIf(chromiumMissing)('the example of a page with a wallet executes a sponsored transaction', async () => {
  const folder = copyExample('page-with-wallet', ['@iota/iota-sdk']);
  await using gateway = await createTestGateway();
  const server = await createServerOfPages({
    root: folder,
    configFile: false,
    logLevel: 'error',
    // The SDK is a link into the checkout.
    server: { host: '127.0.0.1', port: 0, fs: { strict: false } },
  });
  onTestFinished(() => server.close());
  await server.listen();
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`${server.resolvedUrls?.local[0]}?gateway=${gateway.url}/graphql`);
  await page.getByRole('button').click();
  await page.locator('output', { hasText: /^(EXECUTED \w+|[A-Z_]+: .*)$/ }).waitFor();
  expect(await page.locator('output').innerText()).toMatch(/^EXECUTED \w+$/);
});

test('all links between the installed pages lead to files', () => {
  const pages = ['README.md', 'SECURITY.md', 'CHANGELOG.md', 'CONTRIBUTING.md'].concat(
    readdirSync(join(installed, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join('docs', name)),
  );
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(installed, page), 'utf8').matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
      .map(([, link = '']) => join(dirname(page), link))
      .filter((target) => !existsSync(join(installed, target)))
      .map((target) => `${page}: ${target}`),
  );
  expect(pages.length).toBeGreaterThan(30);
  expect(broken).toEqual([]);
});
