import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ts } from '@ts-morph/common';
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

const root = fileURLToPath(new URL('../../', import.meta.url));
const examples = join(root, 'docs/examples');
const page = readFileSync(join(root, 'docs/clients.md'), 'utf8');
const projects = mkdtempSync(join(tmpdir(), 'clients-'));
const execute = promisify(execFile);

/** A project outside the checkout. */
interface Project {
  readonly folder: string;
  /** Runs a command of an installed package. Rejects if it fails. */
  readonly command: (name: string, gateway?: TestGateway) => Promise<string>;
  readonly compile: () => Promise<unknown>;
  /** The lines that a compiled example prints. */
  readonly run: (name: string, args?: readonly string[], gateway?: TestGateway) => Promise<string[]>;
}

interface ProjectFiles {
  /** Examples that the page does not show. */
  readonly files?: readonly string[];
  readonly packages?: readonly string[];
  /** Folders and files that an earlier project generated. */
  readonly generated?: readonly string[];
}

/** Makes a project of a section of docs/clients.md: its files, and no packages but those that it installs. */
function createProject(heading: string, { files = [], packages = [], generated = [] }: ProjectFiles = {}): Project {
  const folder = mkdtempSync(join(projects, 'project-'));
  const [, section = ''] = new RegExp(`\n## ${heading}\n(.*?)(?=\n## |$)`, 's').exec(page) ?? [];
  const shown = [...section.matchAll(/<!-- generated (\S+) begin -->/g)].map(([, name = '']) => name);
  const installed = [...section.matchAll(/^npm install (?:--save-dev )?(.*)$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  );
  for (const name of ['tsconfig.json', ...shown, ...files]) cpSync(join(examples, name), join(folder, name));
  for (const path of generated)
    cpSync(join(codegen.folder, 'generated', path), join(folder, 'generated', path), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  for (const name of new Set(['@types/node', ...installed, ...packages])) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(name === 'ledger-gateway' ? root : join(root, 'node_modules', name), link);
  }
  const start = async (file: string, args: readonly string[], gateway = reader) => {
    const env = { ...process.env, GATEWAY: `${gateway.url}/graphql` };
    return (await execute(file, args, { cwd: folder, env })).stdout;
  };
  const binaries = join(root, 'node_modules/.bin');
  return {
    folder,
    command: (name, gateway) => start(join(binaries, name), [], gateway),
    compile: () =>
      start(join(binaries, 'tsc'), []).catch(({ stdout }: { stdout?: string }) => {
        throw new Error(`the example is not what its types say:\n${stdout}`);
      }),
    run: async (name, args = [], gateway = reader) => {
      const flags = ['--experimental-websocket', '--experimental-eventsource', '--no-warnings'];
      const out = await start(process.execPath, [...flags, `generated/js/${name}.js`, ...args], gateway);
      return out.trim().split('\n');
    },
  };
}

let devnet: Devnet;
/** A ledger without new checkpoints, so that pages do not move. Its manifest gives other texts for ids than the apps have. */
let reader: TestGateway;
/** On the embedded network, whose checkpoints follow each other. */
let payer: TestGateway;
let codegen: Project;
let relay: Project;
let packaged: Project;

const packageFiles = ['live.ts', 'live-in-node.ts', 'live-in-react.ts', 'index.html'];

beforeAll(async () => {
  // The examples import the client of the package from there.
  builtProgram();
  const token = 'token-of-the-sponsor';
  devnet = await startDevnet({ sponsorToken: token, checkpointIntervalMs: 0, genesis: { checkpoints: 40 } });
  payer = await createTestGateway();
  codegen = createProject('GraphQL Code Generator', { files: ['texts.ts'] });
  await codegen.command('graphql-codegen', payer);
  relay = createProject('Relay', { generated: ['schema.graphql'] });
  writeFileSync(join(relay.folder, 'generated/relay-documents.json'), '{}');
  await relay.command('relay-compiler', payer);
  const read = ({ folder }: Project, path: string) => readFileSync(join(folder, 'generated', path), 'utf8');
  const manifests = [read(codegen, 'documents/persisted-documents.json'), read(relay, 'relay-documents.json')];
  const documents = Object.assign({ Chain: '{ chainIdentifier }' }, ...manifests.map((text) => JSON.parse(text)));
  // A text of the app would get another answer. Ids that are hashes must fit their text.
  for (const [id, text] of Object.entries<string>(documents))
    if (!id.startsWith('sha256:')) documents[id] = text.replace('chainIdentifier', 'chainIdentifier: __typename');
  reader = await createTestGateway(
    {
      LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
      LEDGER_RPC_URL: devnet.rpcUrl,
      SPONSOR_URL: devnet.sponsorUrl,
      SPONSOR_TOKEN: token,
      SPONSOR_ALLOW_ANONYMOUS: 'true',
      CORS_ORIGINS: 'http://127.0.0.1',
      TRUSTED_DOCUMENTS_FILE: 'manifest.json',
    },
    { 'manifest.json': JSON.stringify(documents) },
  );
  packaged = createProject('The client of this package', {
    files: packageFiles,
    packages: ['react', 'react-dom', '@types/react', '@types/react-dom'],
    generated: ['texts'],
  });
  await packaged.compile();
});
afterAll(async () => {
  await payer?.close();
  await reader?.close();
  await devnet?.close();
  rmSync(projects, { recursive: true, force: true });
});

const idsOf = (count: number) =>
  devnet.ledger.events.slice(-count).map(({ txDigest, eventSeq }) => `${txDigest}:${eventSeq}`);

/** What each example prints. @param chain the answer to the document id */
const report = (chain = 'Query') => [
  'query 6',
  `page ${idsOf(12).join(' ')}`,
  'error BAD_USER_INPUT',
  'mutation ACTIVE',
  `document id ${chain}`,
  `subscription ${idsOf(5)[0]}`,
];

describe('a project of each client in docs/clients.md queries, pages, mutates, subscribes and sends document ids', () => {
  it.each([
    ['Apollo Client', 'apollo'],
    ['urql', 'urql'],
    ['graphql-request', 'graphql-request'],
  ])('%s', async (heading, name) => {
    const project = createProject(heading, { files: ['operations.ts'], generated: ['documents'] });
    await project.compile();
    const { data } = await reader.query('{ chainIdentifier }');
    const { length } = reader.log;
    expect(await project.run(name)).toEqual(report(data.chainIdentifier));
    // No client sent a text after an id that the gateway did not find.
    expect(reader.log.slice(length).flatMap(({ codes }) => codes)).not.toContain('PERSISTED_QUERY_NOT_FOUND');
  });

  it('Relay, whose compiler ignores node_modules in its own folder', async () => {
    // As in the compiler's own package: it fits no schema.
    mkdirSync(join(relay.folder, 'node_modules/some-package'), { recursive: true });
    writeFileSync(join(relay.folder, 'node_modules/some-package/extensions.graphql'), 'type Query { other: String }\n');
    const out = await relay.command('relay-compiler');
    expect(out).toMatch(/Compilation completed/);
    expect(out).not.toMatch(/WARN|node_modules/);
    await relay.compile();
    expect(await relay.run('relay')).toEqual(report());
  });

  it('gql.tada, with the types of its own command, and one address variable for both owners of fields', async () => {
    const packages = ['@gql.tada/cli-utils', '@gql.tada/internal', '@0no-co/graphql.web', '@0no-co/graphqlsp'];
    const tada = createProject('gql\\.tada', { packages, generated: ['schema.graphql'] });
    // The command needs the API of TypeScript 6, which TypeScript 7 does not have.
    const typescript = join(tada.folder, 'node_modules/typescript');
    mkdirSync(typescript);
    writeFileSync(join(typescript, 'package.json'), JSON.stringify({ version: ts.version, main: 'index.cjs' }));
    const path = JSON.stringify(join(root, 'node_modules/@ts-morph/common'));
    writeFileSync(join(typescript, 'index.cjs'), `module.exports = require(${path}).ts;\n`);
    const preserve = ['--preserve-symlinks', '--preserve-symlinks-main'];
    const options = [...preserve, 'node_modules/gql.tada/bin/cli.js', 'generate-output'];
    await execute(process.execPath, options, { cwd: tada.folder });
    await tada.compile();
    const lines = await tada.run('gql-tada');
    const { sender = '' } = devnet.ledger.events.at(-1) ?? {};
    const theirs = devnet.ledger.events.filter((event) => event.sender === sender).slice(-3);
    const activity = ['activity', sender, true, ...theirs.map(({ txDigest, eventSeq }) => `${txDigest}:${eventSeq}`)];
    expect(lines).toEqual(report().toSpliced(2, 0, activity.join(' ')));
  });

  it('graphql-ws and graphql-sse', async () => {
    const project = createProject('graphql-ws and graphql-sse');
    await project.compile();
    for (const transport of ['ws', 'sse']) expect(await project.run('streaming', [transport])).toEqual(report());
  });

  it('fetch and EventSource', async () => {
    const project = createProject('fetch and EventSource');
    await project.compile();
    expect(await project.run('fetch')).toEqual(report());
  });

  it('the client of the package, which also reports errors by their code', async () => {
    const lines = await packaged.run('client');
    const sold = devnet.ledger.events.filter(({ type }) => type.endsWith('::ItemSold')).slice(-3);
    expect(lines).toEqual([
      ...sold.map(({ txDigest, eventSeq, type }) => `${txDigest}:${eventSeq} ${type}`),
      `${devnet.ledger.events.length} events`,
      'BAD_USER_INPUT never',
    ]);
  });

  it.each(['iota', 'sui'])('a transaction of the %s SDK is sponsored and executed', async (sdk) => {
    const shown = (await packaged.run('sponsor', [sdk], payer)).join('\n');
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
  const program = spawn(process.execPath, ['generated/js/live-in-node.js'], { cwd: packaged.folder, env });
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
      root: packaged.folder,
      configFile: false,
      cacheDir: 'generated/vite',
      logLevel: 'error',
      optimizeDeps: { include: ['react', 'react-dom/client'] },
      // The packages are links into the checkout.
      server: { host: '127.0.0.1', port: 0, fs: { strict: false } },
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
        follow('${gateway.url()}', (id) => window.seen.push(id), ({ code }) => window.reported.push(code), localStorage));
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

  it('the React hook shows each event once, in strict mode, and stops when it is unmounted', async () => {
    await using gateway = await startRestartable();
    const main = `import { createElement, StrictMode } from 'react';
      import { createRoot } from 'react-dom/client';
      import { useLiveEvents } from './live-in-react.ts';
      function Events({ url }: { url: string }) {
        return createElement('ul', null, useLiveEvents(url).map((id) => createElement('li', { key: id }, id)));
      }
      export function show(url: string) {
        const mounted = createRoot(document.body);
        mounted.render(createElement(StrictMode, null, createElement(Events, { url })));
        return () => mounted.unmount();
      }`;
    writeFileSync(join(packaged.folder, 'react-page.ts'), main);
    const page = await browser.newPage();
    await page.goto(origin);
    await page.evaluate(`import('/react-page.ts').then(({ show }) => { window.leave = show('${gateway.url()}'); })`);
    const shown = () => page.locator('li').allInnerTexts();
    await expectMore(gateway, shown);
    await gateway.restart('k');
    await expectMore(gateway, shown);
    await expectAll(gateway, shown);
    await page.evaluate('window.leave()');
    expect(await shown()).toEqual([]);
    const metrics = async () => (await fetch(new URL('/metrics', gateway.url()))).text();
    await until(
      async () => !/^ledger_gateway_live_streams\{.*\} [1-9]/m.test(await metrics()),
      'the end of the stream',
    );
    await page.close();
  });
});
