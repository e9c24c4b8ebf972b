import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashApiKey, toApiKey } from '../../src/config/client.ts';
import { builtProgram } from '../support/built-program.ts';
import { chromiumMissing, launchChromium } from '../support/chromium.ts';
import {
  createCodegenProject,
  createPackagedProject,
  type Project,
  removeProjects,
} from '../support/example-projects.ts';
import { eventIds, quickPolls, startTickedDevnet } from '../support/live-network.ts';
import { openTcpGate, type TcpGate } from '../support/tcp-gate.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

let packaged: Project;

beforeAll(async () => {
  // The examples import the client of the package from there.
  builtProgram();
  await using gateway = await createTestGateway();
  packaged = await createPackagedProject(await createCodegenProject(gateway));
});
afterAll(removeProjects);

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
    const main = `import { createClient } from 'ledger-gateway/client';
      export { follow } from './live.ts';
      export const clientOf = (url: string) => createClient({ url });`;
    writeFileSync(join(packaged.folder, 'live-page.ts'), main);
    const page = await browser.newPage();
    await page.goto(origin);
    await page.evaluate(`
      window.seen = [];
      window.reported = [];
      import('/live-page.ts').then(({ clientOf, follow }) =>
        follow(clientOf('${gateway.url()}'), (id) => window.seen.push(id), ({ code }) => window.reported.push(code), localStorage));
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
      import { type Client, createClient } from 'ledger-gateway/client';
      import { useLiveEvents } from './live-in-react.ts';
      function Events({ client }: { client: Client }) {
        return createElement('ul', null, useLiveEvents(client).map((id) => createElement('li', { key: id }, id)));
      }
      export function show(url: string) {
        const mounted = createRoot(document.body);
        mounted.render(createElement(StrictMode, null, createElement(Events, { client: createClient({ url }) })));
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
