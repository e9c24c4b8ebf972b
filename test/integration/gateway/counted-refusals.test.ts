import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const limit = 3;
const json = { 'content-type': 'application/json' };
const upgrade = {
  connection: 'upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await createTestGateway({
    RATE_LIMIT_PER_MINUTE: String(limit),
    TRUSTED_PROXIES: '127.0.0.1',
    BATCH_MAX: '2',
  });
});
afterAll(() => gateway?.close());

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Seen {
  readonly status: number;
  readonly left: string | undefined;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

function ask(from: string, { method = 'GET', path = '/graphql', headers = {}, body }: Asked): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const sent = request(gateway.url + path, { method, headers: { 'x-forwarded-for': from, ...headers } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      answer.on('end', () => {
        const { ratelimit, 'retry-after': retryAfter } = answer.headers;
        const left = /r=(\d+)/.exec(String(ratelimit))?.[1];
        resolve({ status: answer.statusCode ?? 0, left, retryAfter, body: text });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const refused: readonly (readonly [name: string, status: number, asked: Asked])[] = [
  ['an unknown path', 404, { path: '/nope' }],
  ['an unknown path for a POST', 404, { method: 'POST', path: '/nope', headers: json, body: '{}' }],
  ['another method', 405, { method: 'DELETE' }],
  ['nothing that can be sent', 406, { headers: { accept: 'image/png' } }],
  [
    'nothing that can be sent to a POST',
    406,
    { method: 'POST', headers: { ...json, accept: 'image/png' }, body: '{}' },
  ],
  ['a body that is no JSON', 415, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' }],
  ['a compressed body', 415, { method: 'POST', headers: { ...json, 'content-encoding': 'gzip' }, body: '{}' }],
  ['an expectation', 417, { method: 'POST', headers: { ...json, expect: 'wonders' }, body: '{}' }],
  ['another version', 421, { path: '/graphql/1999.1' }],
  ['a malformed version', 400, { headers: { 'x-ledger-rpc-version': 'x y' } }],
  ['a WebSocket elsewhere', 404, { path: '/nope', headers: upgrade }],
  ['a WebSocket of another version', 421, { path: '/graphql/1999.1', headers: upgrade }],
];

describe.each(refused)('%s', (name, status, asked) => {
  const from = `203.0.113.${refused.findIndex((each) => each[0] === name) + 1}`;

  it('is rejected, counts against the address, and gets 429 over the limit', async () => {
    for (let left = limit - 1; left >= 0; left -= 1)
      expect(await ask(from, asked)).toMatchObject({ status, left: String(left) });
    const over = await ask(from, asked);
    expect(over).toMatchObject({ status: 429, left: '0', retryAfter: expect.stringMatching(/^\d+$/) });
    expect(JSON.parse(over.body).errors[0].extensions.code).toBe('RATE_LIMITED');
    const query = { method: 'POST', headers: json, body: '{"query":"{ __typename }"}' };
    expect((await ask(from, query)).status).toBe(429);
  });
});

it('health checks and CORS preflights are not counted', async () => {
  const from = '203.0.113.200';
  for (let count = 0; count < 2 * limit; count += 1) {
    expect((await ask(from, { path: '/health/live' })).status).toBe(200);
    expect((await ask(from, { method: 'OPTIONS' })).status).toBe(204);
  }
});

it.each(['*/*', 'application/json', 'text/event-stream, application/json'])(
  'a subscription in a batch gets its own error, and the rest of the batch is served, for %s',
  async (accept) => {
    const from = `203.0.114.${accept.length}`;
    const entries = [{ query: 'subscription { liveEvents { __typename } }' }, { query: '{ __typename }' }];
    const seen = await ask(from, { method: 'POST', headers: { ...json, accept }, body: JSON.stringify(entries) });
    expect(seen.status).toBe(200);
    expect(JSON.parse(seen.body)).toEqual([
      {
        errors: [
          {
            message: 'A subscription cannot be an entry of a batch: send it in a request of its own.',
            extensions: { code: 'BAD_REQUEST', retry: 'never' },
          },
        ],
      },
      { data: { __typename: 'Query' } },
    ]);
  },
);
