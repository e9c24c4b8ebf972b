import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { buildClientSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

let ledger: ScriptedLedger;
let gateway: TestGateway;

beforeAll(async () => {
  ledger = await startScriptedLedger('type Query { a: Int }', { Query: { a: () => 1 } });
  const env = { RATE_LIMIT_PER_MINUTE: '12', TRUSTED_PROXIES: '127.0.0.1' };
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, ...env });
});
afterAll(async () => {
  await gateway?.close();
  await ledger?.close();
});

/** The raw bytes: `fetch` would decompress them. */
const get = (path: string, headers: Record<string, string>) =>
  new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    request(`${gateway.url}${path}`, { headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end();
  });

describe('a response to GET', () => {
  it.each([
    '/graphql?query={a}',
    '/graphql?query={',
    '/graphql',
    '/graphql/1999.1?query={a}',
    '/nowhere',
    '/health/ready',
  ])('is not cacheable, and lists everything in Vary: %s', async (path) => {
    const { headers } = await get(path, { 'x-forwarded-for': '203.0.113.1' });
    expect(headers['cache-control']).toBe('private, no-store');
    expect(String(headers.vary).split(', ')).toEqual(
      expect.arrayContaining([
        'accept',
        'authorization',
        'x-api-key',
        'origin',
        'x-ledger-rpc-version',
        'x-ledger-rpc-show-usage',
      ]),
    );
  });
});

describe('the page of GraphiQL', () => {
  const page = (headers: Record<string, string>, address = '203.0.113.2') =>
    get('/graphql', { accept: 'text/html', 'x-forwarded-for': address, ...headers });

  it('is compressed if the browser accepts it, with the same content', async () => {
    const plain = await page({});
    const brotli = await page({ 'accept-encoding': 'gzip, br' });
    const zipped = await page({ 'accept-encoding': 'gzip' });
    expect([plain, brotli, zipped].map(({ headers }) => headers['content-encoding'])).toEqual([
      undefined,
      'br',
      'gzip',
    ]);
    expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
    expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true);
    expect(brotli.body.length * 2).toBeLessThan(plain.body.length);
    expect(new Set([plain, brotli, zipped].map(({ headers }) => headers.etag)).size).toBe(1);
    expect(plain.headers.vary).toMatch(/\baccept-encoding\b/);
  });

  it('is not sent again to a browser that has it', async () => {
    const { headers } = await page({});
    const etag = String(headers.etag);
    for (const known of [etag, etag.slice(2), `"x", ${etag}`, '*']) {
      const again = await page({ 'if-none-match': known });
      expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, etag]);
      expect(again.headers['content-security-policy']).toBe(headers['content-security-policy']);
    }
    expect((await page({ 'if-none-match': 'W/"other"' })).status).toBe(200);
  });

  it('runs only its own script, enforced by its content security policy', async () => {
    const { headers } = await page({}, '203.0.113.4');
    const scripts = /script-src ([^;]*)/.exec(String(headers['content-security-policy']))?.[1];
    expect(scripts).toBe("'self'");
  });

  it('is small, and browsers cache its files until they change', async () => {
    const { body } = await page({}, '203.0.113.5');
    expect(body.length).toBeLessThan(10_000);
    const paths = [...body.toString().matchAll(/"(\/graphiql\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(paths.map((path) => path.replace(/[\w-]{20}(?=[/.])/, 'HASH')).sort()).toEqual([
      '/graphiql/HASH/page.css',
      '/graphiql/HASH/page.js',
      '/graphiql/schema-HASH.json',
    ]);
    for (const path of paths) {
      const asset = await get(path, { 'accept-encoding': 'br', 'x-forwarded-for': '203.0.113.5' });
      expect([asset.status, asset.headers['cache-control'], asset.headers['content-encoding']]).toEqual([
        200,
        'public, max-age=31536000, immutable',
        'br',
      ]);
    }
    const { status } = await get('/graphiql/of-another-version-x/page.js', { 'x-forwarded-for': '203.0.113.5' });
    expect(status).toBe(404);
  });

  it('contains the current schema, as introspection would return it', async () => {
    const address = { 'x-forwarded-for': '203.0.113.6' };
    const { body } = await page({}, address['x-forwarded-for']);
    const [, path = ''] = /"(\/graphiql\/schema-[^"]+)"/.exec(body.toString()) ?? [];
    const { data } = JSON.parse((await get(path, address)).body.toString());
    const schema = buildClientSchema(data);
    expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toEqual(expect.arrayContaining(['a', 'gateway']));
  });

  it('counts against the address, with or without a credential', async () => {
    const statuses = [];
    for (let count = 0; count < 13; count += 1) {
      const { status } = await page({ authorization: `Bearer ${count}`, 'if-none-match': '*' }, '203.0.113.3');
      statuses.push(status);
    }
    expect(statuses).toEqual([...Array(12).fill(304), 429]);
    expect((await page({}, '203.0.113.3')).headers['retry-after']).toMatch(/^\d+$/);
  });
});
