import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEventStream } from '../../support/event-stream-reader.ts';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const long = 'a'.repeat(9_000);
/** Above the size at which the gateway forwards a response while it arrives. */
const huge = 'b'.repeat(2_000_000);

let ledger: ScriptedLedger;
let gateway: TestGateway;
/** Without the setting. */
let plain: TestGateway;

beforeAll(async () => {
  ledger = await startScriptedLedger(
    'type Query { short: String long: String huge: String } type Mutation { long: String }',
    {
      Query: { short: () => 'a', long: () => long, huge: () => huge },
      Mutation: { long: () => long },
    },
  );
  const env = { LEDGER_GRAPHQL_URL: ledger.url, BATCH_MAX: '3', CORS_ORIGINS: 'https://app.example' };
  gateway = await createTestGateway({ ...env, COMPRESSION: 'br,gzip' });
  plain = await createTestGateway(env);
});

afterAll(async () => {
  await gateway?.close();
  await plain?.close();
  await ledger?.close();
});

interface Answer {
  readonly encoding: string | undefined;
  readonly vary: readonly string[];
  readonly bytes: number;
  readonly value: unknown;
}

interface Asking {
  readonly to?: TestGateway;
  readonly accepts?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const decode = { br: brotliDecompressSync, gzip: gunzipSync, none: (body: Buffer) => body } as const;

/** Without a client that decompresses by itself. */
function ask(
  body: object | null,
  { to = gateway, accepts = 'gzip, br', path = '/graphql', headers = {} }: Asking = {},
) {
  return new Promise<Answer>((resolve, reject) => {
    const sent = { 'content-type': 'application/json', 'accept-encoding': accepts, ...headers };
    const asking = request(to.url + path, { method: body ? 'POST' : 'GET', headers: sent }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        const whole = Buffer.concat(chunks);
        const encoding = res.headers['content-encoding'];
        const vary = String(res.headers.vary ?? '').split(', ');
        const text = decode[(encoding ?? 'none') as keyof typeof decode](whole).toString();
        resolve({ encoding, vary, bytes: whole.length, value: JSON.parse(text) });
      });
    });
    asking.on('error', reject);
    asking.end(body ? JSON.stringify(body) : undefined);
  });
}

const query = (text: string) => ({ query: text });
const get = (text: string) => `/graphql?query=${encodeURIComponent(text)}`;

describe('a long response to a query', () => {
  it.each<[name: string, body: object | null, path: string]>([
    ['by the lane', query('{ long }'), '/graphql'],
    ['by Yoga', query('{ long }'), '/graphql?by=yoga'],
    ['by GET', null, get('{ long }')],
  ])('is compressed as the client prefers, %s', async (_name, body, path) => {
    for (const [accepts, encoding] of [
      ['gzip, br', 'br'],
      ['gzip', 'gzip'],
    ] as const) {
      const answer = await ask(body, { accepts, path });
      expect(answer).toMatchObject({ encoding, value: { data: { long } } });
      expect(answer.bytes).toBeLessThan(1_000);
      expect(answer.vary).toEqual(expect.arrayContaining(['origin', 'accept-encoding']));
    }
    const refused = await ask(body, { accepts: 'br;q=0, deflate', path });
    expect(refused).toMatchObject({ encoding: undefined, value: { data: { long } } });
    expect(refused.vary).toContain('accept-encoding');
  });

  it('is compressed in a batch, and where the gateway would forward it while it arrives', async () => {
    expect(await ask([query('{ short }'), query('{ long }')])).toMatchObject({
      encoding: 'br',
      value: [{ data: { short: 'a' } }, { data: { long } }],
    });
    expect(await ask(query('{ huge }'))).toMatchObject({ encoding: 'br', value: { data: { huge } } });
    expect(await ask(query('{ huge }'), { accepts: 'identity' })).toMatchObject({ value: { data: { huge } } });
  });

  it('is compressed if the gateway executes the query', async () => {
    const { encoding, value } = await ask(
      query('{ __schema { types { name description fields { name description } } } }'),
    );
    expect(encoding).toBe('br');
    expect(value).toHaveProperty('data.__schema.types');
  });

  it('survives many requests at once, compressed or not', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => ask(query('{ long }'))));
    for (const { value } of answers) expect(value).toEqual({ data: { long } });
    expect(answers.some(({ encoding }) => encoding === 'br')).toBe(true);
  });
});

describe('not compressed', () => {
  it.each<[name: string, body: object | null, asking: Asking]>([
    ['a short response', query('{ short }'), {}],
    ['a mutation', query('mutation { long }'), {}],
    ['a batch with a mutation', [query('{ long }'), query('mutation { long }')], {}],
    ['a rejected request', query(`{ ${'a'.repeat(4_000)} ${'b'.repeat(900)} }`), {}],
  ])('is %s, which does not vary either', async (_name, body, asking) => {
    const { encoding, vary } = await ask(body, asking);
    expect([encoding, vary.includes('accept-encoding')]).toEqual([undefined, false]);
  });

  it('is anything without the setting, and Vary does not list the header', async () => {
    for (const [body, path] of [
      [query('{ long }'), '/graphql'],
      [null, get('{ long }')],
    ] as const) {
      const { encoding, vary } = await ask(body, { to: plain, path });
      expect([encoding, vary.includes('accept-encoding')]).toEqual([undefined, false]);
    }
  });

  it('is an event stream', async () => {
    const reader = await readEventStream(`${gateway.url}${get('{ long }')}`, { headers: { 'accept-encoding': 'br' } });
    expect(reader.headers.get('content-encoding')).toBeNull();
    expect(reader.headers.get('cache-control')).toContain('no-transform');
    await reader.leave();
  });
});
