import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { startDevnet } from '../../../src/devnet/start-devnet.ts';
import { type GraphqlDevnet, startGraphqlDevnet, toAnswer } from '../../support/start-graphql-devnet.ts';

let net: GraphqlDevnet;
let served: string;

beforeAll(async () => {
  net = await startGraphqlDevnet();
  served = net.devnet.ledger.buildVersion.split('.').slice(0, 2).join('.');
});

afterAll(async () => {
  await net[Symbol.asyncDispose]();
});

const post = async (
  path: string,
  body: unknown = { query: '{ chainIdentifier }' },
  headers: Record<string, string> = {},
) =>
  toAnswer(
    await fetch(`${net.devnet.graphqlUrl}${path}`, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  );

describe('a version in the path', () => {
  test('is served if it is the running version or an alias', async () => {
    for (const path of ['', '/', '/stable', '/beta', '/legacy', `/${served}`, `/${served}?query=ignored`]) {
      const { status, data, headers } = await post(path);
      expect(status, path).toBe(200);
      expect(data).toEqual({ chainIdentifier: net.devnet.ledger.chainIdentifier });
      expect(headers.get('x-ledger-rpc-version')).toBe(net.devnet.ledger.buildVersion);
    }
  });

  test('gets 421 if it is another version', async () => {
    const [year = '', month = ''] = served.split('.');
    for (const version of ['2024.1', `${year}.0${month}`, `0${served}`]) {
      const { status, text, headers } = await post(`/${version}`);
      expect(status).toBe(421);
      expect(JSON.parse(text)).toEqual({
        data: null,
        errors: [{ message: `Version '${version}' not supported.`, extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
      });
      expect(headers.get('x-ledger-rpc-version')).toBe(net.devnet.ledger.buildVersion);
    }
  });

  test('gets 400 if it is malformed', async () => {
    for (const version of ['latest', '2024', '2024.1.0', 'Stable']) {
      const { status, text } = await post(`/${version}`);
      expect(status).toBe(400);
      expect(JSON.parse(text)).toEqual({
        data: null,
        errors: [
          {
            message: `Failed to parse version path: ${version}. Expected either a \`beta | legacy | stable\` version or <YEAR>.<MONTH> version.`,
            extensions: { code: 'BAD_REQUEST' },
          },
        ],
      });
    }
  });

  test('must be unique', async () => {
    const { status, headers } = await post(`/${served}/more`);
    expect(status).toBe(404);
    expect(headers.get('x-ledger-rpc-version')).toBeNull();
  });
});

describe('a body', () => {
  test('that is not one request gets a plain-text error', async () => {
    for (const body of [
      '',
      'null',
      '[]',
      '[{"query":"{ chainIdentifier }"}]',
      '{"query"',
      '{"query":1}',
      '{"query":"{a}","variables":[]}',
      '{"query":"{a}","operationName":1}',
    ]) {
      const { status, headers, text } = await post('', body);
      expect(status, body).toBe(400);
      expect(headers.get('content-type')).toMatch(/^text\/plain/);
      expect(text).toMatch(/^Invalid request: /);
    }
  });

  test('without a query is an empty document', async () => {
    const { status, errors, data } = await post('', {
      extensions: { persistedQuery: { version: 1, sha256Hash: 'ab' } },
    });
    expect(status).toBe(200);
    expect(data).toBeNull();
    expect(errors![0]!.message).toMatch(/^Syntax Error/);
    expect(errors![0]!.extensions).toBeUndefined();
  });

  test('may have null and unknown members', async () => {
    expect(
      (await post('', { query: '{ chainIdentifier }', variables: null, operationName: null, id: 7 })).errors,
    ).toBeUndefined();
  });

  test('over the limit is rejected before its end', async () => {
    const { status } = await post('', {
      query: '{ chainIdentifier }',
      variables: { padding: 'x'.repeat(1024 * 1024) },
    });
    expect(status).toBe(413);
  });

  test('must be sent by POST', async () => {
    const response = await fetch(net.devnet.graphqlUrl);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });

  test('gets JSON with data before errors', async () => {
    const { headers, text } = await post('', { query: '{ object(address: "x") { digest } }' });
    expect(headers.get('content-type')).toBe('application/json');
    expect(text).toMatch(/^\{"data":\{"object":null\},"errors":\[/);
  });
});

describe('a simulated network', () => {
  const options = { sponsorToken: 'secret', checkpointIntervalMs: 0, genesis: { checkpoints: 5, sponsorCoins: 3 } };

  test('serves its three interfaces on one port', async () => {
    await using devnet = await startDevnet({ ...options, port: 0 });
    const { origin } = new URL(devnet.graphqlUrl);
    expect([devnet.graphqlUrl, devnet.sponsorUrl, devnet.rpcUrl]).toEqual([
      `${origin}/graphql`,
      `${origin}/sponsor`,
      `${origin}/rpc`,
    ]);
    await expectFaces(devnet);
    expect(
      (await fetch(`${devnet.graphqlUrl}/stable`, { method: 'POST', body: '{"query":"{ chainIdentifier }"}' })).status,
    ).toBe(200);
    for (const path of ['/', '/graphqlx', '/rpcx', '/elsewhere']) {
      const response = await fetch(`${origin}${path}`, { method: 'POST', body: '{}' });
      expect(response.status, path).toBe(404);
      expect(await response.text()).toBe('Not found');
    }
  });

  test('serves each interface on its own port', async () => {
    await using devnet = await startDevnet(options);
    const ports = [devnet.graphqlUrl, devnet.sponsorUrl, devnet.rpcUrl].map((url) => new URL(url).port);
    expect(new Set(ports).size).toBe(3);
    for (const url of [devnet.graphqlUrl, devnet.sponsorUrl, devnet.rpcUrl])
      expect(new URL(url).hostname).toBe('127.0.0.1');
    await expectFaces(devnet);
  });

  async function expectFaces(devnet: { graphqlUrl: string; sponsorUrl: string; rpcUrl: string; rpcWsUrl: string }) {
    expect(await (await fetch(`${devnet.sponsorUrl}/`)).text()).toBe('OK');
    const graphql = await fetch(devnet.graphqlUrl, {
      method: 'POST',
      body: '{"query":"{ checkpoint { sequenceNumber } }"}',
    });
    expect(await graphql.json()).toEqual({ data: { checkpoint: { sequenceNumber: 4 } } });
    const call = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'ledgerx_queryEvents',
      params: [{ All: [] }, null, 1, false],
    });
    const rpc = await fetch(devnet.rpcUrl, { method: 'POST', body: call });
    expect(((await rpc.json()) as { result: { data: unknown[] } }).result.data).toHaveLength(1);
    const socket = new WebSocket(devnet.rpcWsUrl);
    await once(socket, 'open');
    socket.send(call);
    const [message] = await once(socket, 'message');
    expect(JSON.parse(String(message)).result.data).toHaveLength(1);
    socket.terminate();
  }

  test('closes immediately, with connections open and idle', async () => {
    const devnet = await startDevnet({ ...options, port: 0 });
    const { port } = new URL(devnet.graphqlUrl);
    const idle = connect(Number(port), '127.0.0.1');
    await once(idle, 'connect');
    const socket = new WebSocket(devnet.rpcWsUrl);
    await once(socket, 'open');
    const gone = Promise.all([once(idle, 'close'), once(socket, 'close')]);
    idle.resume();
    await devnet.close();
    await gone;
    await expect(fetch(devnet.graphqlUrl, { method: 'POST', body: '{}' })).rejects.toThrow();
  });

  test('rejects a WebSocket at other paths', async () => {
    await using devnet = await startDevnet({ ...options, port: 0 });
    const socket = new WebSocket(devnet.graphqlUrl.replace('http', 'ws'));
    const [error] = await once(socket, 'error');
    expect((error as Error).message).toMatch(/404/);
  });

  test('does not start on a port in use', async () => {
    await using devnet = await startDevnet({ ...options, port: 0 });
    await expect(startDevnet({ ...options, port: Number(new URL(devnet.graphqlUrl).port) })).rejects.toThrow(
      /EADDRINUSE/,
    );
  });

  test('closes checkpoints at its interval', async () => {
    await using devnet = await startDevnet({ ...options, checkpointIntervalMs: 5, activityEveryCheckpoints: 1 });
    const before = devnet.ledger.events.length;
    await new Promise<void>((resolve) => {
      const stop = devnet.ledger.onCheckpoint(() => {
        if (devnet.ledger.events.length === before) return;
        stop();
        resolve();
      });
    });
    const answer = await fetch(devnet.graphqlUrl, {
      method: 'POST',
      body: '{"query":"{ checkpoint { sequenceNumber } }"}',
    });
    expect(
      ((await answer.json()) as { data: { checkpoint: { sequenceNumber: number } } }).data.checkpoint.sequenceNumber,
    ).toBeGreaterThan(4);
  });

  test('has the same history for the same seed and clock', async () => {
    const digestOf = async (seed: number) => {
      await using devnet = await startDevnet({ ...options, seed, clock: () => 1_800_000_000_000 });
      return devnet.ledger.latestCheckpoint().digest;
    };
    expect(await digestOf(3)).toBe(await digestOf(3));
    expect(await digestOf(3)).not.toBe(await digestOf(4));
  });
});
