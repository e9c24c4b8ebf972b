import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cpuMsSince } from '../support/cpu-time.ts';
import { type ScriptedLedger, startScriptedLedger } from '../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';

const limit = 20;
let ledger: ScriptedLedger;
let gateway: TestGateway;
let addresses = 0;

beforeAll(async () => {
  ledger = await startScriptedLedger('type Query { a(f: Filter): Int } input Filter { x: Int }', {
    Query: { a: () => 1 },
  });
  const env = { RATE_LIMIT_PER_MINUTE: String(limit), TRUSTED_PROXIES: '127.0.0.1' };
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, BATCH_MAX: '5', ...env });
});
afterAll(async () => {
  await gateway?.close();
  await ledger?.close();
});

/** Each caller has its own address. */
const newCaller = () => {
  addresses += 1;
  const from = { 'x-forwarded-for': `203.0.113.${addresses}` };
  const ask = async (path: string, init: RequestInit) => {
    const response = await fetch(`${gateway.url}/graphql${path}`, {
      ...init,
      headers: { ...from, ...(init.headers as Record<string, string>) },
    });
    const left = /r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1];
    return { status: response.status, left: left === undefined ? null : Number(left), text: await response.text() };
  };
  return {
    get: (path: string) => ask(path, {}),
    post: (body: string) => ask('', { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
  };
};
type Ask = (caller: ReturnType<typeof newCaller>) => Promise<{ status: number; left: number | null; text: string }>;

const noRequests: [name: string, ask: Ask, status: number][] = [
  ['no JSON', ({ post }) => post('{'), 400],
  ['nothing', ({ post }) => post(''), 400],
  ['null', ({ post }) => post('null'), 400],
  ['text', ({ post }) => post('"{a}"'), 400],
  ['no query', ({ post }) => post('{}'), 400],
  ['a query that is no text', ({ post }) => post('{"query":1}'), 400],
  ['a name that is no text', ({ post }) => post('{"query":"{a}","operationName":1}'), 400],
  ['variables that are no object', ({ post }) => post('{"query":"{a}","variables":[]}'), 400],
  ['an unknown parameter', ({ post }) => post('{"query":"{a}","id":1}'), 400],
  ['a body nested too deep', ({ post }) => post('['.repeat(5_000)), 400],
  ['a body of too many values', ({ post }) => post(`[${'1,'.repeat(30_000)}1]`), 400],
  ['a body over the bound', ({ post }) => post(' '.repeat(1_100_000)), 413],
  ['an empty batch', ({ post }) => post('[]'), 200],
  ['a batch over the bound', ({ post }) => post(JSON.stringify(Array(9).fill({ query: '{a}' }))), 413],
  ['variables in the query string that are no JSON', ({ get }) => get('?query={a}&variables=x'), 400],
  ['a query string without a query', ({ get }) => get(''), 400],
];

describe.each(noRequests)('%s', (_name, ask, status) => {
  it('counts, reports the quota, and is not parsed over the limit', async () => {
    const caller = newCaller();
    for (let left = limit - 1; left >= 0; left -= 1) expect(await ask(caller)).toMatchObject({ status, left });
    const refused = await ask(caller);
    expect([refused.status, refused.left]).toEqual([429, 0]);
    expect(JSON.parse(refused.text).errors[0].extensions.code).toBe('RATE_LIMITED');
  });
});

describe('a batch', () => {
  it.each(['[null]', '[1]', '["{a}"]', '[[]]', '[{}]', '[null, null]', '[{"query":"{a}"}, null, {"query":1}]'])(
    'counts each entry, and rejects invalid ones as bad requests: %s',
    async (body) => {
      const caller = newCaller();
      const entries: unknown[] = JSON.parse(body);
      const { left, text } = await caller.post(body);
      expect(left).toBe(limit - entries.length);
      const answers = [JSON.parse(text)].flat();
      expect(answers).toHaveLength(entries.length);
      for (const [index, { data, errors }] of answers.entries()) {
        const isRequest = JSON.stringify(entries[index]) === '{"query":"{a}"}';
        expect([data, errors?.[0].extensions.code]).toEqual(
          isRequest ? [{ a: 1 }, undefined] : [undefined, 'BAD_REQUEST'],
        );
      }
    },
  );

  it('with rejected entries does not parse them', async () => {
    const caller = newCaller();
    for (let count = 1; count < limit; count += 1) await caller.post('{"query":"{a}"}');
    const { text } = await caller.post(JSON.stringify([{ query: '{a}' }, null, { query: '{' }]));
    const codes = JSON.parse(text).map(
      (each: { errors?: { extensions: { code: string } }[] }) => each.errors?.[0]?.extensions.code,
    );
    expect(codes).toEqual([undefined, 'RATE_LIMITED', 'RATE_LIMITED']);
  });
});

it('a rejected request costs the same, whatever it contains', async () => {
  const caller = newCaller();
  const members = Object.fromEntries(
    Array.from({ length: 19_000 }, (_, index) => [`unknown${'y'.repeat(30)}${index}`, 1]),
  );
  const query = 'query ($f: Filter) { a(f: $f) }';
  const hostile = JSON.stringify({ query, variables: { f: members } });
  const plain = JSON.stringify({ query, variables: {}, extensions: { padding: 'x'.repeat(hostile.length) } });
  // The document is in memory from now on, so variables would be checked.
  for (let count = 0; count <= limit; count += 1) await caller.post(plain);
  const millisecondsOf = async (body: string) => {
    const before = process.cpuUsage();
    for (let count = 0; count < 10; count += 1) expect((await caller.post(body)).status).toBe(429);
    return cpuMsSince(before);
  };
  // The least of several attempts: another one may include a garbage collection.
  const least = { usual: Number.POSITIVE_INFINITY, attacked: Number.POSITIVE_INFINITY };
  for (let round = 0; round < 5; round += 1) {
    least.usual = Math.min(least.usual, await millisecondsOf(plain));
    least.attacked = Math.min(least.attacked, await millisecondsOf(hostile));
  }
  expect(least.attacked / least.usual).toBeLessThan(3);
});
