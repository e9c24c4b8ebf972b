import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Devnet } from '../../src/devnet/start-devnet.ts';
import { chromiumMissing, launchChromium } from '../support/chromium.ts';
import { eventIds, quickPolls, startTickedDevnet } from '../support/live-network.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

const examples = fileURLToPath(new URL('../../docs/examples/', import.meta.url));

let devnet: Devnet;
let gateway: TestGateway;
/** Chosen at the first start. */
let port = '0';

/** Signs the cursors of gateways started from now on. */
let cursorKey = 'k'.repeat(32);

/** On the same address as before. */
const startAgain = async () => {
  gateway = await createTestGateway({
    PORT: port,
    LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
    LEDGER_RPC_URL: devnet.rpcUrl,
    CURSOR_KEYS: cursorKey,
    ...quickPolls,
  });
  ({ port } = new URL(gateway.url));
};

beforeAll(async () => {
  devnet = await startTickedDevnet();
  await startAgain();
});
afterAll(async () => {
  await gateway?.close();
  await devnet?.close();
});

const bare = 'subscription { liveEvents { ... on LiveEventItem { event { id } } } }';

/** A gateway with another key rejects the client's cursor. The client reports this and continues without the cursor. */
async function expectMoreAfterRejection(
  seen: () => readonly string[] | Promise<readonly string[]>,
  complaints: () => string,
): Promise<void> {
  await gateway.close();
  cursorKey += 'n';
  await startAgain();
  await until(() => complaints().includes('signed with a key'), 'the complaint');
  const { length } = await seen();
  await until(async () => {
    devnet.tick();
    return (await seen()).length > length;
  }, 'an event after the rejected cursor');
}

/** Subscribes across two restarts of the gateway, with events in between. */
async function expectAllThrough(seen: () => readonly string[] | Promise<readonly string[]>): Promise<void> {
  const seesMore = async (than: number) => {
    await until(async () => {
      devnet.tick();
      return (await seen()).length > than;
    }, 'an event');
  };
  await seesMore(0);
  for (let count = 0; count < 2; count += 1) {
    await gateway.close();
    for (let ticks = 0; ticks < 5; ticks += 1) devnet.tick();
    await startAgain();
    await seesMore((await seen()).length);
  }
  await expectAll(seen);
}

async function expectAll(seen: () => readonly string[] | Promise<readonly string[]>): Promise<void> {
  const all = eventIds(devnet);
  await until(async () => (await seen()).at(-1) === all.at(-1), 'the last event');
  const told = await seen();
  expect(told).toEqual(all.slice(all.indexOf(told[0] ?? '')));
}

it('the Node client resumes after the last event whenever the gateway restarts, and drops a rejected cursor', async () => {
  const env = { ...process.env, GATEWAY: `http://127.0.0.1:${port}/graphql` };
  const client: ChildProcess = spawn(process.execPath, ['live-in-node.mjs'], { cwd: examples, env });
  let said = '';
  client.stdout?.on('data', (chunk) => {
    said += chunk;
  });
  let complaints = '';
  client.stderr?.on('data', (chunk) => {
    complaints += chunk;
  });
  const seen = () => said.split('\n').slice(0, -1);
  try {
    await expectAllThrough(seen);
    await expectMoreAfterRejection(seen, () => complaints);
  } finally {
    client.kill();
  }
});

describe.skipIf(chromiumMissing !== null)(`in a real browser ${chromiumMissing ?? ''}`, () => {
  it('the page’s client and a plain EventSource resume after the last event whenever the gateway restarts, and the client drops a rejected cursor', async () => {
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${port}/health/live`);
      const code = readFileSync(`${examples}live-in-browser.mjs`, 'utf8').replace('export function', 'function');
      await page.evaluate(`${code}; window.told = []; follow((event) => window.told.push(event.id));`);
      // A page of another origin that uses only browser APIs.
      const other = await browser.newPage();
      await other.goto(`http://localhost:${port}/health/live`);
      await other.evaluate(`
        window.told = [];
        const source = new EventSource('http://127.0.0.1:${port}/graphql?' + new URLSearchParams({ query: ${JSON.stringify(bare)} }));
        source.addEventListener('next', ({ data }) => {
          const { event } = JSON.parse(data).data.liveEvents;
          if (event) window.told.push(event.id);
        });
      `);
      await until(async () => {
        devnet.tick();
        return (await other.evaluate<string[]>('window.told')).length > 0;
      }, 'an event');
      await expectAllThrough(() => page.evaluate('window.told'));
      await expectAll(() => other.evaluate('window.told'));
      let complaints = '';
      page.on('console', (message) => {
        complaints += message.text();
      });
      await expectMoreAfterRejection(
        () => page.evaluate('window.told'),
        () => complaints,
      );
    } finally {
      await browser.close();
    }
  });
});
