import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

let ledger: ScriptedLedger;
let gateway: TestGateway;

beforeAll(async () => {
  ledger = await startScriptedLedger('type Query { chainIdentifier: String! }', {
    Query: { chainIdentifier: () => '4c78adac' },
  });
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url });
});

afterAll(async () => {
  await gateway?.close();
  await ledger?.close();
});

it('a browser at / gets a page that explains the gateway and links to a first query', async () => {
  const answer = await fetch(gateway.url, { headers: { accept: 'text/html,*/*;q=0.8' } });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
  const page = await answer.text();
  for (const shown of ['ledger', 'sponsor', 'not configured', 'maxQueryDepth', '2026.11.0-scripted'])
    expect(page).toContain(shown);
  const [, link = ''] = /href="(\/graphql\?query=[^"]+)"/.exec(page) ?? [];
  const { data } = (await (await fetch(gateway.url + link.replaceAll('&amp;', '&'))).json()) as { data: unknown };
  expect(data).toMatchObject({ gateway: { upstreams: expect.any(Array) } });
});

it('the page’s curl command uses the requested host, if it is valid', async () => {
  const { host } = new URL(gateway.url);
  const page = await (await fetch(gateway.url, { headers: { accept: 'text/html' } })).text();
  expect(page).toContain(`curl -s http://${host}/graphql`);
});

it('links lead to the schema, the metrics and the documentation', async () => {
  const ask = (path: string, headers = {}) =>
    fetch(gateway.url + path, { headers: { accept: 'text/html', ...headers } });
  const page = await (await ask('/')).text();
  const links = [...page.matchAll(/<a href="(\/(?:graphiql\/|metrics)[^"]*)"/g)].map(([, path = '']) => path);
  expect(links).toEqual(expect.arrayContaining(['/graphiql/schema.graphql', '/metrics', '/graphiql/docs/http.md']));
  for (const link of links) expect([link, (await ask(link)).status]).toEqual([link, 200]);
  expect(await (await ask('/graphiql/schema.graphql')).text()).toContain('type GatewayUpstream {');
  // A proxy's clients are not on this machine.
  expect(await (await ask('/', { 'x-forwarded-for': '192.0.2.1' })).text()).not.toContain('/metrics');
});

it('other clients get the same as JSON', async () => {
  const answer = await fetch(`${gateway.url}/`);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await answer.json()).toMatchObject({
    name: 'ledger-gateway',
    graphql: '/graphql',
    simulated: false,
    rpcVersion: '2026.11.0-scripted',
    upstreams: { ledger: 'up', sponsor: 'not_configured' },
    limits: { maxQueryDepth: expect.any(Number) },
  });
});

it('HEAD gets only the headers, and no other method is allowed', async () => {
  const head = await fetch(gateway.url, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect((await fetch(gateway.url, { method: 'POST', body: '{}' })).status).toBe(404);
});

it('HEAD gets the headers of a GraphiQL file', async () => {
  const page = await (await fetch(`${gateway.url}/graphql`, { headers: { accept: 'text/html' } })).text();
  const [path = ''] = /\/graphiql\/[^"]+page\.js/.exec(page) ?? [];
  const head = await fetch(gateway.url + path, { method: 'HEAD' });
  expect([head.status, head.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
});
