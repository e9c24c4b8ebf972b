import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Devnet, startDevnet } from '../../src/devnet/start-devnet.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

/** One of the ledger's addresses: a proxy to the node that a test spoils. */
interface NodeProxy extends AsyncDisposable {
  readonly url: string;
  requests: number;
  /** Requests that it answered with 503. */
  refused: number;
  /** Of the next requests. */
  fault: 'none' | 'slow' | 'dark' | 'half' | 'down' | 'pausing';
  /** Checkpoints by which it lags: it reports older ones, and does not know cursors of newer ones. */
  lag: number;
  /** Its transactions have other digests. */
  spoils: boolean;
  /** The chain identifier that it reports; `null` = the node's. */
  network: string | null;
}

const networkIn = /"chainIdentifier":"\w+"/;
const checkpointIn = /"sequenceNumber":(\d+)/;
const slowMs = 300;

async function startProxy(target: string): Promise<NodeProxy> {
  const { hostname, port } = new URL(target);
  const forward = (body: Buffer, path: string | undefined, res: ServerResponse) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const passed = request({ hostname, port, path, method: 'POST', headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const older = text
          .replace(checkpointIn, (_, number) => `"sequenceNumber":${Number(number) - proxy.lag}`)
          .replace(/"transactionBlock":\{"digest":"\w/, (own) => (proxy.spoils ? own.replace(/\w$/, '0') : own))
          .replace(networkIn, (own) => (proxy.network ? `"chainIdentifier":"${proxy.network}"` : own));
        newest = Math.max(newest, Number(checkpointIn.exec(older)?.[1] ?? 0));
        const cursor = JSON.parse(body.toString()).variables?.after;
        const seen = cursor ? JSON.parse(Buffer.from(cursor, 'base64url').toString()).c : 0;
        const isUnknown = proxy.lag > 0 && seen > newest;
        res.writeHead(answer.statusCode ?? 502, { 'content-type': 'application/json' });
        res.end(
          isUnknown ? '{"data":null,"errors":[{"message":"Requested data is outside the available range"}]}' : older,
        );
      });
    });
    passed.on('error', () => res.destroy());
    passed.end(body);
  };
  let newest = 0;
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks);
      const isProbe = body.includes('newest:');
      if (!isProbe) proxy.requests += 1;
      const { fault } = proxy;
      if (fault === 'dark') return;
      if (fault === 'down') req.socket.destroy();
      else if (fault === 'half' && !isProbe && proxy.requests % 2 === 0) {
        proxy.refused += 1;
        res.writeHead(503).end();
      } else if (fault === 'pausing' && !isProbe) res.writeHead(429, { 'retry-after': '30' }).end();
      else setTimeout(() => forward(body, req.url, res), fault === 'slow' ? slowMs : 0);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: NodeProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${new URL(target).pathname}`,
    requests: 0,
    refused: 0,
    fault: 'none',
    lag: 0,
    network: null,
    spoils: false,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  return proxy;
}

let devnet: Devnet;
let proxies: NodeProxy[];
let gateway: TestGateway;

beforeEach(async () => {
  devnet = await startDevnet({ sponsorToken: 'unused', checkpointIntervalMs: 100 });
  proxies = await Promise.all([0, 1, 2].map(() => startProxy(devnet.graphqlUrl)));
  gateway = await createTestGateway({
    LEDGER_GRAPHQL_URL: proxies.map(({ url }) => url).join(),
    REQUEST_TIMEOUT_MS: '8000',
  });
  await until(
    async () => (await valuesOf('ledger_gateway_upstream_behind')).length === 3,
    'every address was compared',
  );
});

afterEach(async () => {
  await gateway.close();
  for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
  await devnet.close();
});

/** The values of a metric, one for each address. */
async function valuesOf(name: string): Promise<number[]> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{upstream="ledger"`));
  return lines.map((line) => Number(line.split(' ').at(-1)));
}

const metric = async (name: string) => (await valuesOf(name)).reduce((sum, value) => sum + value, 0);

interface Outcome {
  errors: number;
  /** Largest number of checkpoints by which an answer was behind an earlier one. */
  behind: number;
  /** Pages that failed, or that repeated an item. */
  badPages: number;
}

const page = `query($after: String) {
  transactionBlocks(first: 2, after: $after) { pageInfo { hasNextPage endCursor } nodes { digest } }
}`;

/** Eight clients read, and half of them page. The fault begins after a quarter of the reads. */
async function load(begin: () => void, readsPerClient = 20): Promise<Outcome> {
  const outcome: Outcome = { errors: 0, behind: 0, badPages: 0 };
  let [newest, reads] = [0, 0];
  const count = () => {
    reads += 1;
    if (reads === 2 * readsPerClient) begin();
  };
  const reader = async () => {
    for (let read = 0; read < readsPerClient; read += 1) {
      const before = newest;
      const { data, errors } = await gateway.query(`{ checkpoint { sequenceNumber } r${read}: __typename }`);
      const seen = Number(data?.checkpoint?.sequenceNumber ?? Number.NaN);
      if (errors) outcome.errors += 1;
      else outcome.behind = Math.max(outcome.behind, before - seen);
      newest = Math.max(newest, seen || 0);
      count();
    }
  };
  const pager = async () => {
    const seen = new Set<string>();
    let after: string | null = null;
    for (let read = 0; read < readsPerClient; read += 1) {
      const { data, errors } = await gateway.query(page, { after });
      count();
      if (errors) {
        outcome.errors += 1;
        continue;
      }
      const { nodes, pageInfo } = data.transactionBlocks;
      for (const { digest } of nodes) {
        if (seen.has(digest)) outcome.badPages += 1;
        seen.add(digest);
      }
      after = pageInfo.endCursor;
    }
  };
  await Promise.all([...[0, 1, 2, 3].map(reader), ...[0, 1, 2, 3].map(pager)]);
  return outcome;
}

const [one, two, three] = [() => proxies[0] as NodeProxy, () => proxies[1] as NodeProxy, () => proxies[2] as NodeProxy];

describe('three addresses of the ledger', () => {
  it('share the reads', async () => {
    expect(await load(() => {})).toMatchObject({ errors: 0, badPages: 0 });
    await until(async () => {
      await load(() => {}, 5);
      return proxies.every(({ requests }) => requests > 0);
    }, 'every address served reads');
  });

  it.each(['slow', 'dark', 'down'] as const)('hide that one is %s', async (fault) => {
    const { errors, badPages } = await load(() => {
      one().fault = fault;
      one().requests = 0;
    });
    expect([errors, badPages]).toEqual([0, 0]);
    expect(one().requests).toBeLessThan(two().requests + three().requests);
  });

  it('hide one that fails half of its calls, within the retries that the tokens allow', async () => {
    const { errors, badPages } = await load(() => {
      one().fault = 'half';
    }, 40);
    expect([errors, badPages]).toEqual([0, 0]);
    // A slow machine may have preferred the other addresses so far.
    await until(async () => {
      expect((await gateway.query('{ chainIdentifier }')).errors ?? []).toEqual([]);
      return one().refused > 0;
    }, 'it was chosen while it failed');
    expect(await metric('ledger_gateway_upstream_retries_total')).toBeGreaterThanOrEqual(one().refused);
  });

  it('give no stale answer if one is 300 checkpoints behind', async () => {
    one().lag = 300;
    await until(async () => (await metric('ledger_gateway_upstream_behind')) >= 300, 'the lag was seen');
    one().requests = 0;
    const { errors, behind, badPages } = await load(() => {});
    expect([errors, badPages]).toEqual([0, 0]);
    expect(behind).toBeLessThanOrEqual(20);
    expect(one().requests).toBe(0);
  });

  it('never mix networks: one that serves another network is not used, and used again if all serve it', async () => {
    const told = () =>
      gateway.log.filter(({ msg }) => msg === 'an address of an upstream serves another network and is not used');
    const { chainIdentifier: expected } = (await gateway.query('{ chainIdentifier }')).data;
    three().network = 'feedc0de';
    await until(() => told().length > 0, 'the other network was reported');
    three().requests = 0;
    expect(await load(() => {})).toMatchObject({ errors: 0, badPages: 0 });
    expect(three().requests).toBe(0);
    expect(told()).toMatchObject([{ upstream: 'ledger', address: '3', chainIdentifier: 'feedc0de', expected }]);
    for (const proxy of proxies) proxy.network = 'feedc0de';
    await until(async () => {
      await load(() => {}, 5);
      return three().requests > 0;
    }, 'it was used again');
  });

  it('leave no answers of an address that moves to another network in memory', async () => {
    await using cached = await createTestGateway({
      LEDGER_GRAPHQL_URL: proxies.map(({ url }) => url).join(),
      IMMUTABLE_CACHE_BYTES: '1000000',
    });
    const told = () => cached.log.filter(({ msg }) => /serves another network/.test(String(msg))).length;
    const { nodes } = (await cached.query('{ transactionBlocks(first: 20) { nodes { digest } } }')).data
      .transactionBlocks;
    const read = async (index: number) => {
      const query = 'query ($d: String!) { transactionBlock(digest: $d) { digest effects { timestamp } } }';
      const { data } = await cached.query(query, { d: nodes[index].digest });
      return data.transactionBlock.digest === nodes[index].digest;
    };
    // The address answers as the other network, and is found out at most a second later.
    three().spoils = true;
    three().network = 'feedc0de';
    while (told() === 0) for (let index = 0; index < nodes.length; index += 1) await read(index);
    for (let index = 0; index < nodes.length; index += 1) expect([index, await read(index)]).toEqual([index, true]);
  });

  it('serve the page after a cursor at an address that knows it', async () => {
    one().lag = 8;
    await until(async () => (await metric('ledger_gateway_upstream_behind')) >= 8, 'the lag was seen');
    const { errors, badPages } = await load(() => {
      two().lag = 5;
    });
    expect([errors, badPages]).toEqual([0, 0]);
  });

  it('give an address the pause that it asks for', async () => {
    one().fault = 'pausing';
    one().requests = 0;
    const { errors } = await load(() => {});
    expect(errors).toBe(0);
    expect(one().requests).toBeLessThanOrEqual(8);
  });

  it('refuse reads at once while every address fails, and recover', async () => {
    for (const proxy of proxies) proxy.fault = 'down';
    const read = async () => (await gateway.query('{ chainIdentifier }')).errors?.[0];
    await until(async () => (await read())?.message.includes('nothing was sent') === true, 'reads are refused');
    expect(await metric('ledger_gateway_upstream_breaker_open')).toBe(3);
    expect(await metric('ledger_gateway_upstream_refused_total')).toBeGreaterThan(0);
    for (const proxy of proxies) proxy.fault = 'none';
    await until(async () => (await read()) === undefined, 'reads are served again');
    await until(async () => {
      await read();
      return (await metric('ledger_gateway_upstream_breaker_open')) === 0;
    }, 'every address is used again');
  });
});

const events = `query($after: String) {
  queryEvents(filter: { all: true }, first: 3, after: $after) {
    pageInfo { hasNextPage endCursor } nodes { id }
  }
}`;

describe('two addresses of the JSON-RPC', () => {
  it('serve pages and hide that one is down', async () => {
    await using first = await startProxy(devnet.rpcUrl);
    await using second = await startProxy(devnet.rpcUrl);
    await using other = await createTestGateway({
      LEDGER_GRAPHQL_URL: devnet.graphqlUrl,
      LEDGER_RPC_URL: `${first.url}, ${second.url}`,
      NETWORK_PROFILE: 'ledger',
    });
    const seen = new Set<string>();
    let after: string | null = null;
    for (let read = 0; read < 30; read += 1) {
      const { data, errors } = await other.query(events, { after });
      expect(errors).toBeUndefined();
      for (const { id } of data.queryEvents.nodes) {
        expect(seen).not.toContain(id);
        seen.add(id);
      }
      after = data.queryEvents.pageInfo.endCursor;
      if (read === 10) first.fault = 'down';
      if (read === 20) [first.fault, second.fault] = ['none', 'down'];
    }
    expect(seen.size).toBe(90);
  });
});
