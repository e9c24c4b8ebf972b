import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashApiKey } from '../../../src/config/client.ts';
import { connectAs } from '../../support/asking-shells.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const key = 'key-of-a-poor-client';
const clients = `- { id: poor, hash: ${hashApiKey(key)}, scopes: [read, sponsor], gas: { perDay: 1000000 }, visitors: one }`;
const reserve = (alias: string) =>
  `${alias}: reserveGas(gasBudget: 2000000, reserveDurationSecs: 60) { reservationId }`;
const refused = `mutation { ${reserve('a')} ${reserve('b')} }`;
const ways = [
  ['the lane', ''],
  ['Yoga', '?by=yoga'],
] as const;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await createTestGateway({ CLIENTS_FILE: '/clients' }, { '/clients': clients });
});
afterAll(() => gateway?.close());

const post = (path: string, query: string, accept = 'application/json') =>
  fetch(`${gateway.url}/graphql${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key, accept },
    body: JSON.stringify({ query }),
  });

describe.each(ways)('an operation rejected for its gas budget, over %s', (_, path) => {
  it.each(['application/json', 'application/graphql-response+json'])(
    'gets 429 with Retry-After as %s',
    async (accept) => {
      const response = await post(path, refused, accept);
      expect(response.status).toBe(429);
      const { data, errors } = (await response.json()) as {
        data: object;
        errors: { path: string[]; extensions: { code: string; retryAfterMs: number } }[];
      };
      expect(data).toEqual({ a: null, b: null });
      expect(errors.map(({ path: [alias], extensions: { code } }) => [alias, code])).toEqual([
        ['a', 'RATE_LIMITED'],
        ['b', 'RATE_LIMITED'],
      ]);
      const seconds = Math.max(...errors.map(({ extensions }) => extensions.retryAfterMs)) / 1_000;
      expect(response.headers.get('retry-after')).toBe(String(seconds));
    },
  );

  it('gets 200 if anything was served, or rejected for another reason', async () => {
    for (const other of ['__typename', 'c: reserveGas(gasBudget: 0, reserveDurationSecs: 60) { reservationId }']) {
      const response = await post(path, `mutation { ${reserve('a')} ${other} }`);
      expect([response.status, response.headers.get('retry-after')]).toEqual([200, null]);
    }
  });
});

it('an operation rejected for its gas budget over a WebSocket has retryAfterMs in its error', async () => {
  await using socket = await connectAs(gateway.url, { headers: { 'x-api-key': key } });
  expect(await socket.ask(refused)).toMatchObject({
    data: { a: null },
    errors: [{ extensions: { code: 'RATE_LIMITED', retryAfterMs: expect.any(Number) } }, {}],
  });
});
