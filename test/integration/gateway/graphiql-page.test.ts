import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { afterEach, expect, test } from 'vitest';
import { createGraphiqlPage } from '../../../src/server/pages/graphiql-page.ts';

const first = buildSchema('type Query { first: Int }');
const second = buildSchema('type Query { second: Int }');
const opened: Server[] = [];

afterEach(() => {
  for (const server of opened.splice(0)) server.close();
});

/** One process that serves the page. */
async function serve(schema: () => GraphQLSchema, introspection = true): Promise<string> {
  const page = createGraphiqlPage({
    schema,
    introspection,
    sources: () => ({ events: null, hasSponsor: false }),
    usage: () => ({ usageHeader: 'x-show', limits: { depth: 7 } }),
  });
  const server = createServer(async (req, res) => {
    if (req.url === '/') await page.send(req, res);
    else if (!(await page.sendAsset(req.url ?? '', req, res))) res.writeHead(404).end();
  });
  opened.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const schemaPathOn = async (url: string) => {
  const html = await (await fetch(url)).text();
  return /"introspection":(?:"([^"]*)"|null)/.exec(html)?.[1] ?? null;
};

test('a process that has not sent the page serves the file with the schema', { timeout: 30_000 }, async () => {
  const [one, other] = await Promise.all([serve(() => first), serve(() => first)]);
  const path = await schemaPathOn(one);
  const response = await fetch(other + path);
  expect(response.status).toBe(200);
  expect(JSON.stringify(await response.json())).toContain('"first"');
});

test('the page asks for usage with the header of the network, and knows the limits', async () => {
  const html = await (await fetch(await serve(() => first))).text();
  expect(html).toContain('"usageHeader":"x-show","limits":{"depth":7}');
});

test('the file of the previous schema is served beside the current one', { timeout: 30_000 }, async () => {
  let schema = first;
  const url = await serve(() => schema);
  const before = await schemaPathOn(url);
  schema = second;
  const now = await schemaPathOn(url);
  expect(now).not.toBe(before);
  expect((await fetch(url + before)).status).toBe(200);
  expect(JSON.stringify(await (await fetch(url + now)).json())).toContain('"second"');
  expect((await fetch(`${url}/graphiql/schema-of-nothing.json`)).status).toBe(404);
});

test('the schema in SDL is that in force, and the documentation is beside it', { timeout: 30_000 }, async () => {
  let schema = first;
  const url = await serve(() => schema);
  const read = async (path: string) => {
    const response = await fetch(url + path);
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    return response.text();
  };
  expect(await read('/graphiql/schema.graphql')).toContain('first: Int');
  schema = second;
  expect(await read('/graphiql/schema.graphql')).toContain('second: Int');
  expect(await read('/graphiql/docs/devnet.md')).toMatch(/^# The simulated network/);
  for (const path of ['README.md', '../README.md', '%2e%2e/README.md', 'examples/page.ts', ''])
    expect((await fetch(`${url}/graphiql/docs/${path}`)).status).toBe(404);
});

test('with introspection off, no process has a file with the schema', { timeout: 30_000 }, async () => {
  const [open, closed] = await Promise.all([serve(() => first), serve(() => first, false)]);
  expect((await fetch(`${closed}/graphiql/schema.graphql`)).status).toBe(404);
  expect(await schemaPathOn(closed)).toBeNull();
  expect((await fetch(closed + (await schemaPathOn(open)))).status).toBe(404);
});

test('a page that could not be made is made for the next request', async () => {
  let attempts = 0;
  const page = createGraphiqlPage({
    schema: () => first,
    introspection: true,
    sources: () => ({ events: null, hasSponsor: false }),
    usage: () => {
      attempts += 1;
      if (attempts === 1) throw new Error('not yet');
      return { usageHeader: 'x-show', limits: {} };
    },
  });
  const server = createServer((req, res) => {
    page.send(req, res).catch(() => res.writeHead(500).end());
  });
  opened.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ask = async () => (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).status;
  expect([await ask(), await ask(), await ask(), attempts]).toEqual([500, 200, 200, 2]);
});
