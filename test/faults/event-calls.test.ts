import { Buffer } from 'node:buffer';
import { base58 } from '@scure/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maxSpareCalls } from '../../src/config/event-calls.ts';
import { type Devnet, startDevnet } from '../../src/devnet/start-devnet.ts';
import { keyIdBytes, signatureBytes } from '../../src/events/signed-cursor.ts';
import { recordUpstream } from '../support/recording-upstream.ts';
import { type RpcCall, type ScriptedRpc, startScriptedRpc } from '../support/scripted-rpc.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';

/** Very many events of one millisecond: only a walk from one to the other can order them. */
const crowd = Array.from({ length: 3_000 }, (_, index) => {
  const bytes = Buffer.alloc(32, 1);
  bytes.writeUInt32BE(index, 0);
  return {
    id: { txDigest: base58.encode(bytes), eventSeq: '0' },
    packageId: '0x2',
    transactionModule: 'm',
    sender: '0x1',
    type: '0x2::m::T',
    timestampMs: '1767225600000',
  };
});

function answerCrowd({ params: [, cursor, limit, descending] }: RpcCall): string {
  const order = descending ? crowd.toReversed() : crowd;
  const start = cursor ? order.findIndex(({ id }) => id.txDigest === cursor.txDigest) + 1 : 0;
  const data = order.slice(start, start + Math.min(limit ?? 50, 50));
  return JSON.stringify({
    data,
    nextCursor: data.at(-1)?.id ?? cursor,
    hasNextPage: start + data.length < order.length,
  });
}

let devnet: Devnet;
let rpc: ScriptedRpc;
let gateway: TestGateway;
beforeAll(async () => {
  devnet = await startDevnet({ sponsorToken: 'unused', checkpointIntervalMs: 0, genesis: { checkpoints: 3 } });
  rpc = await startScriptedRpc(answerCrowd);
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: devnet.graphqlUrl, LEDGER_RPC_URL: rpc.url });
});
afterAll(async () => {
  await gateway?.close();
  await rpc?.[Symbol.asyncDispose]();
  await devnet?.close();
});

async function callsOf(query: string, variables: object) {
  const before = rpc.calls.length;
  const { data, errors } = await gateway.query(query, variables);
  return { calls: rpc.calls.length - before, data, errors };
}

async function cursorsOf(bounds: string): Promise<[string, ...string[]]> {
  const { data } = await gateway.query(`{ queryEvents(${bounds}) { edges { cursor } } }`);
  return data.queryEvents.edges.map(({ cursor }: { readonly cursor: string }) => cursor);
}

const mixed =
  'The provided cursors are taken from different checkpoints and cannot be used together in the same query.';

/** `count` pages between two cursors, beside other fields. */
const pages = (count: number, beside = '') =>
  `query ($after: String, $before: String) { ${beside} ${Array.from({ length: count }, (_, index) => `p${index}: queryEvents(after: $after, before: $before, first: 10) { ...F }`).join(' ')} }
   fragment F on RpcEventConnection { nodes { type } }`;

describe('a forged cursor', () => {
  const made = (seq: string, ms: number | null) => JSON.stringify([crowd[9]?.id.txDigest, seq, ms]);
  const head = keyIdBytes + signatureBytes;
  const under = (good: Buffer, bytes: number, text: string) =>
    Buffer.concat([good.subarray(0, bytes), Buffer.alloc(head - bytes), Buffer.from(text)]).toString('base64url');
  test.each<[string, string, (good: Buffer) => string]>([
    ['unsigned', 'CURSOR_KEY_UNKNOWN', () => Buffer.from(made('0', null)).toString('base64url')],
    ['signed with nothing', 'CURSOR_KEY_UNKNOWN', (good) => under(good, 0, made('0', 5))],
    ['under a known key, signed with nothing', 'BAD_USER_INPUT', (good) => under(good, keyIdBytes, made('0', 5))],
    ['under the signature of another', 'BAD_USER_INPUT', (good) => under(good, head, made('0', 1_767_225_600_000))],
  ])('is refused in every page that has it, and asks nobody: %s', async (_, code, forge) => {
    const [good] = await cursorsOf('first: 1');
    const before = forge(Buffer.from(good, 'base64url'));
    const { calls, errors } = await callsOf(pages(20), { after: good, before });
    expect(calls).toBe(0);
    expect(errors).toHaveLength(20);
    for (const error of errors ?? []) {
      expect(error).toMatchObject({ extensions: { code, argument: 'before' } });
      if (code === 'BAD_USER_INPUT') expect(error.message).toBe(mixed);
    }
  });
});

describe('two valid cursors whose order only a walk can tell', () => {
  const plans: readonly (readonly [string, string])[] = [
    ['LOCAL', ''],
    ['SPLIT', 'chainIdentifier'],
    ['STITCHED', '__schema { queryType { name } } chainIdentifier'],
  ];
  test.each(plans)(
    'cost an operation with many pages little more than one with a single page: %s',
    async (plan, beside) => {
      const [after] = await cursorsOf('first: 1');
      const [before] = await cursorsOf('last: 1');
      const one = await callsOf(pages(1, beside), { after, before });
      expect(one.calls).toBe(1 + maxSpareCalls);
      const many = await callsOf(pages(20, beside), { after, before });
      expect(many.calls).toBe(20 + maxSpareCalls);
      expect(many.errors).toHaveLength(20);
      const { data } = await gateway.query('query ($query: String!) { estimate(query: $query) { plan } }', {
        query: pages(1, beside),
      });
      expect(data.estimate.plan).toBe(plan);
    },
  );

  test('do not affect the next operation', async () => {
    const [after] = await cursorsOf('first: 1');
    const [before] = (await cursorsOf('first: 40')).slice(-1);
    const { data, errors } = await callsOf(pages(2), { after, before });
    expect(errors).toBeUndefined();
    expect(data.p1.nodes).toHaveLength(10);
  });
});

describe('cursor keys', () => {
  const env = () => ({ LEDGER_GRAPHQL_URL: devnet.graphqlUrl, LEDGER_RPC_URL: rpc.url });
  const follow = async (reader: TestGateway, after: string) => {
    const query = 'query ($after: String) { queryEvents(first: 1, after: $after) { nodes { txDigest } } }';
    const { data, errors } = await reader.query(query, { after });
    return errors?.[0]?.message ?? data.queryEvents.nodes[0].txDigest;
  };
  const cursorOf = async (maker: TestGateway): Promise<string> =>
    (await maker.query('{ queryEvents(first: 1) { pageInfo { endCursor } } }')).data.queryEvents.pageInfo.endCursor;
  const [one, two] = ['the-first-key-of-'.repeat(2), 'the-second-key-of-'.repeat(2)] as const;

  test('shared by instances let them read each other’s cursors, also during a key rotation', async () => {
    await using instance = await createTestGateway({ ...env(), CURSOR_KEYS: one });
    await using next = await createTestGateway({ ...env(), CURSOR_KEYS: `${two},${one}` });
    await using last = await createTestGateway({ ...env(), CURSOR_KEYS_FILE: '/keys' }, { '/keys': `${two}\n` });
    const second = crowd[1]?.id.txDigest;
    expect(await follow(next, await cursorOf(instance))).toBe(second);
    expect(await follow(last, await cursorOf(next))).toBe(second);
    expect(await follow(instance, await cursorOf(next))).toMatch(/signed with a key that this gateway does not have/);
    expect(await follow(gateway, await cursorOf(instance))).toMatch(
      /signed with a key that this gateway does not have/,
    );
  });

  test('derived from lease keys outlive a restart', async () => {
    const keys = { LEASE_KEYS: one };
    let cursor = '';
    {
      await using before = await createTestGateway({ ...env(), ...keys });
      cursor = await cursorOf(before);
    }
    await using after = await createTestGateway({ ...env(), ...keys });
    expect(await follow(after, cursor)).toBe(crowd[1]?.id.txDigest);
  });

  test('are never shown', async () => {
    await using instance = await createTestGateway({ ...env(), CURSOR_KEYS: one, LOG_LEVEL: 'trace' });
    await follow(instance, 'WyJ4Il0');
    expect(JSON.stringify(instance.log)).not.toContain(one);
  });
});

describe('an operation whose pages may need more calls than allowed', () => {
  const largePages = (count: number) =>
    `query ($size: Int = 1000) { chainIdentifier ${Array.from({ length: count }, (_, index) => `p${index}: queryEvents(first: $size) { ...F }`).join(' ')} }
     fragment F on RpcEventConnection { nodes { type } }`;

  test('is rejected without an upstream call, and estimated as rejected', async () => {
    const ledger = await recordUpstream(devnet.graphqlUrl);
    await using instance = await createTestGateway({
      LEDGER_GRAPHQL_URL: ledger.url,
      LEDGER_RPC_URL: rpc.url,
      LIMIT_MAX_PAGE_SIZE: '1000',
      SCHEMA_POLL_MS: '0',
    });
    const asked = [rpc.calls.length, ledger.requests.length];
    const estimate = async (query: string, variables = {}) => {
      const text =
        'query ($query: String!, $variables: JSON) { estimate(query: $query, variables: $variables) { refused reasons upstreamCalls limits { name max used exceeded } } }';
      const { upstreamCalls, refused, reasons, limits } = (await instance.query(text, { query, variables })).data
        .estimate;
      return { upstreamCalls, refused, reasons, limit: limits.at(-1) };
    };
    const message = 'Pages of events and transactions may take 140 calls, which exceeds max of 120';
    expect(await estimate(largePages(6))).toEqual({
      upstreamCalls: null,
      refused: true,
      reasons: [message],
      limit: { name: 'maxEventCalls', max: 120, used: 140, exceeded: true },
    });
    const answer = await instance.query(largePages(6));
    expect(answer.data).toBeUndefined();
    expect(answer.errors).toEqual([
      {
        message,
        extensions: { code: 'BAD_USER_INPUT', retry: 'never', limit: { name: 'maxEventCalls', max: 120, actual: 140 } },
      },
    ]);
    expect([rpc.calls.length, ledger.requests.length]).toEqual(asked);

    expect(await estimate(largePages(5))).toMatchObject({
      upstreamCalls: 101,
      refused: false,
      limit: { used: 120, exceeded: false },
    });
    const { data } = await instance.query(largePages(5));
    expect(data.p4.nodes).toHaveLength(1_000);
    expect(rpc.calls.length - (asked[0] ?? 0)).toBe(100);
    expect(await estimate(largePages(6), { size: 10 })).toMatchObject({ refused: false, limit: { used: 26 } });
    await ledger[Symbol.asyncDispose]();
  });

  test('is served within the limit, however many pages it has, by default', async () => {
    const { data, calls } = await callsOf(largePages(74), { size: 1 });
    expect(data.p73.nodes).toHaveLength(1);
    expect(calls).toBe(74);
  });
});
