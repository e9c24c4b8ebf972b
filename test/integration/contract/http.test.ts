import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { FormattedExecutionResult } from 'graphql';
import { createClient } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { cpuMsSince } from '../../support/cpu-time.ts';
import { type ScriptedLedger, startScriptedLedger } from '../../support/scripted-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

let ledger: ScriptedLedger;
let gateway: TestGateway;

beforeAll(async () => {
  ledger = await startScriptedLedger(
    'scalar JSON type Query { chainIdentifier: String! json: JSON echo(text: String): String nested: Nested } type Nested { nested: Nested value: JSON }',
    {
      Query: {
        chainIdentifier: () => '4c78adac',
        echo: (_: unknown, { text }: { text: string }) => text,
        nested: () => ({}),
      },
      Nested: { nested: () => ({}), value: () => 1 },
    },
  );
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, BATCH_MAX: '3', LOG_LEVEL: 'debug' });
});

afterAll(async () => {
  await gateway?.close();
  await ledger?.close();
});

const body = '{"query":"{chainIdentifier}"}';
const head = (line: string, headers: readonly string[] = []) =>
  [
    line,
    ...headers,
    'content-type: application/json',
    `content-length: ${body.length}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');

/** Sends raw bytes and reads until the connection ends. */
function send(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1', () => socket.write(text, 'latin1'));
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

describe('an unusual request gets a response with version headers and without internals:', () => {
  it.each<[name: string, request: string, status: number]>([
    ['a whole address as its target', head('POST http://elsewhere.example/graphql HTTP/1.1', ['host: localhost']), 200],
    [
      'a whole address with a credential',
      head('POST http://u:p@elsewhere.example/graphql?x HTTP/1.1', ['host: localhost']),
      200,
    ],
    ['a fragment in its target', head('POST /graphql#x HTTP/1.1', ['host: localhost']), 200],
    ['a query string beside its body', head('POST /graphql?query={nope} HTTP/1.1', ['host: localhost']), 200],
    ['two slashes', head('POST //graphql HTTP/1.1', ['host: localhost']), 404],
    ['another authority in its path', head('GET //evil.example/graphql HTTP/1.1', ['host: localhost']), 404],
    ['an encoded slash', head('POST /graphql%2f HTTP/1.1', ['host: localhost']), 404],
    ['dots in its path', head('GET /health/ready/../../graphql HTTP/1.1', ['host: localhost']), 404],
    ['a prototype as its path', head('GET /__proto__ HTTP/1.1', ['host: localhost']), 404],
    ['a Host that is none', head('POST /graphql HTTP/1.1', ['host: [::bad']), 400],
    ['a Host of garbage', head('POST /graphql HTTP/1.1', ['host: a b"<>^`{|}']), 400],
    ['two Hosts', head('POST /graphql HTTP/1.1', ['host: localhost', 'host: localhost']), 400],
    ['an empty Host', head('POST /graphql HTTP/1.1', ['host:']), 200],
    ['no Host', head('POST /graphql HTTP/1.1'), 400],
    ['no Host, by the old protocol', head('POST /graphql HTTP/1.0'), 200],
    ['an unknown expectation', head('POST /graphql HTTP/1.1', ['host: localhost', 'expect: magic']), 417],
    ['TRACE', head('TRACE /graphql HTTP/1.1', ['host: localhost', 'authorization: Bearer traced-token']), 405],
    ['CONNECT', 'CONNECT elsewhere:80 HTTP/1.1\r\nhost: localhost\r\n\r\n', 405],
    ['HEAD', 'HEAD /graphql HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n', 405],
    ['OPTIONS of everything', 'OPTIONS * HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n', 404],
    [
      'two content types, the first no JSON',
      head('POST /graphql HTTP/1.1', ['host: localhost', 'content-type: text/plain']),
      415,
    ],
    ['two lengths', head('POST /graphql HTTP/1.1', ['host: localhost', 'content-length: 3']), 400],
    ['a length and chunks', head('POST /graphql HTTP/1.1', ['host: localhost', 'transfer-encoding: chunked']), 400],
    [
      'chunks of garbage',
      'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n',
      400,
    ],
    [
      'a request id that could break a log',
      head('POST /graphql HTTP/1.1', ['host: localhost', 'x-request-id: a b\tc']),
      200,
    ],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ])('%s', async (_name, request, status) => {
    const answer = await send(request);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain('x-ledger-rpc-version: 2026.11.0-scripted\r\n');
    expect(answer).toMatch(/x-request-id: [\w-]{36}\r\n/);
    expect(answer).not.toMatch(/traced-token|node_modules|node:internal|\bat \w+ \(|TypeError/);
    if (status === 200) expect(answer).toContain('{"chainIdentifier":"4c78adac"}');
  });

  it.each(['h2c', 'foo', 'TLS/1.0, h2c'])(
    'an upgrade offer of %s is declined, and the request served',
    async (offer) => {
      const answer = await send(
        [
          'POST /graphql HTTP/1.1',
          'Host: localhost',
          'Connection: Upgrade, HTTP2-Settings, close',
          `Upgrade: ${offer}`,
          'HTTP2-Settings: AAMAAABkAAQAAP__',
          'content-type: application/json',
          `content-length: ${body.length}`,
          '',
          body,
        ].join('\r\n'),
      );
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(answer).toContain('{"data":{"chainIdentifier":"4c78adac"}}');
    },
  );
});

const json = { 'content-type': 'application/json' };
const post = async (payload: string, path = '/graphql') => {
  const response = await fetch(`${gateway.url}${path}`, { method: 'POST', headers: json, body: payload });
  return { status: response.status, text: await response.text() };
};

describe('a hostile request body', () => {
  it.each<[name: string, payload: string, status: number, answer: RegExp]>([
    ['a batch over the bound', JSON.stringify(Array.from({ length: 4 }, () => JSON.parse(body))), 413, /errors/],
    ['a batch of a hundred thousand', `[${'{},'.repeat(100_000)}{}]`, 400, /errors/],
    ['a batch in a batch', `[[${body}]]`, 200, /^\[.*BAD_REQUEST/],
    ['an empty batch', '[]', 200, /^\[\]$/],
    ['null', 'null', 400, /BAD_REQUEST/],
    ['a number', '5', 400, /BAD_REQUEST/],
    ['a string', '"{chainIdentifier}"', 400, /BAD_REQUEST/],
    ['nesting a hundred thousand deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 400, /BAD_REQUEST/],
    ['a query that is an object', '{"query":{"toString":"x"}}', 400, /BAD_REQUEST/],
    ['variables that are a list', '{"query":"{chainIdentifier}","variables":[1]}', 400, /BAD_REQUEST/],
    ['variables that are text', '{"query":"{chainIdentifier}","variables":"{}"}', 400, /BAD_REQUEST/],
    ['an operation name that is an object', '{"query":"{chainIdentifier}","operationName":{}}', 400, /BAD_REQUEST/],
    ['prototype keys', '{"__proto__":{"query":"{nope}"},"query":"{chainIdentifier}"}', 400, /BAD_REQUEST/],
    [
      'prototype keys as extensions',
      '{"query":"{chainIdentifier}","extensions":{"__proto__":{"a":1},"constructor":{}}}',
      200,
      /4c78adac/,
    ],
    [
      'prototype keys as variables',
      '{"query":"query($a:String){echo(text:$a)}","variables":{"__proto__":{"a":"x"},"constructor":1}}',
      200,
      /"echo":null/,
    ],
    [
      'a variable named as the prototype',
      '{"query":"query($__proto__:String){echo(text:$__proto__)}","variables":{"__proto__":"x"}}',
      200,
      /echo|errors/,
    ],
    [
      'an alias named as the prototype',
      '{"query":"{__proto__:chainIdentifier constructor:chainIdentifier chainIdentifier}"}',
      200,
      /4c78adac|errors/,
    ],
    [
      'an operation named as the prototype',
      '{"query":"query __proto__{chainIdentifier}","operationName":"__proto__"}',
      200,
      /4c78adac/,
    ],
    [
      'a fragment named as the prototype',
      '{"query":"{...__proto__} fragment __proto__ on Query{chainIdentifier}"}',
      200,
      /4c78adac|errors/,
    ],
    ['half a surrogate', '{"query":"query($a:String){echo(text:$a)}","variables":{"a":"\\ud800x"}}', 200, /echo/],
    ['a null character', '{"query":"query($a:String){echo(text:$a)}","variables":{"a":"\\u0000"}}', 200, /"\\u0000"/],
    ['a mark of byte order', `\ufeff${body}`, 400, /BAD_REQUEST/],
    ['bidirectional controls', '{"query":"{ \\u202echainIdentifier }"}', 200, /GRAPHQL_PARSE_FAILED/],
    ['a cycle of fragments', '{"query":"{...A} fragment A on Query{...B} fragment B on Query{...A}"}', 200, /errors/],
    [
      'fragments that double forty times',
      JSON.stringify({
        query: `{...F0}${Array.from({ length: 40 }, (_, i) => `fragment F${i} on Query{...F${i + 1} ...F${i + 1}}`).join('')}fragment F40 on Query{chainIdentifier}`,
      }),
      200,
      /errors/,
    ],
    ['a thousand errors', JSON.stringify({ query: `{${'nope '.repeat(2_000)}}` }), 200, /errors/],
    [
      'a thousand aliases',
      JSON.stringify({ query: `{${Array.from({ length: 1_000 }, (_, i) => `a${i}:chainIdentifier`).join(' ')}}` }),
      200,
      /errors/,
    ],
    [
      'a long directive chain',
      JSON.stringify({ query: `{chainIdentifier${' @skip(if:false)'.repeat(5_000)}}` }),
      200,
      /errors/,
    ],
    ['a number beyond every range', '{"query":"{gateway{version}}","variables":{"a":1e999}}', 200, /./],
  ])('%s gets its answer at once', async (_name, payload, status, expected) => {
    const before = process.cpuUsage();
    const { status: got, text } = await post(payload);
    expect(cpuMsSince(before)).toBeLessThan(2_000);
    expect([got, text.slice(0, 200)]).toEqual([status, expect.stringMatching(expected)]);
    expect(text.length).toBeLessThan(200_000);
    expect(text).not.toMatch(/node_modules|node:internal|\bat \w+ \(|Maximum call stack/);
    expect(({} as Record<string, unknown>).a).toBeUndefined();
    expect((await gateway.query('{ chainIdentifier }')).data).toEqual({ chainIdentifier: '4c78adac' });
  });
});

describe('a hostile response of the ledger', () => {
  const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  it.each<[name: string, query: string, answer: string | Buffer, expected: RegExp]>([
    [
      'prototype keys in data',
      '{ json }',
      '{"data":{"__proto__":{"polluted":1},"json":{"__proto__":{"polluted":2},"x":1}}}',
      /"json":\{.*"x":1/,
    ],
    [
      'prototype keys at the top',
      '{ json }',
      '{"__proto__":{"data":{"json":5}},"constructor":{},"data":{"json":1}}',
      /"json":1/,
    ],
    [
      'prototype keys in extensions',
      '{ json }',
      '{"data":{"json":null},"errors":[{"message":"m","path":["json"],"extensions":{"__proto__":{"polluted":1},"code":"X"}}]}',
      /"m"/,
    ],
    [
      'a path into the prototype',
      '{ nested { value } }',
      '{"data":{"nested":null},"errors":[{"message":"m","path":["__proto__","__proto__"]}]}',
      /errors/,
    ],
    [
      'a path of objects',
      '{ nested { value } json }',
      '{"data":{"nested":null,"json":1},"errors":[{"message":"m","path":[{"a":1},null,true]}]}',
      /errors/,
    ],
    [
      'a path that is not there',
      '{ chainIdentifier json }',
      '{"data":{"chainIdentifier":"x","json":1},"errors":[{"message":"m","path":["nowhere",5]}]}',
      /errors/,
    ],
    ['two of a key', '{ json }', '{"data":{"json":1,"json":2}}', /"json":2/],
    ['keys nobody asked for', '{ chainIdentifier json }', '{"data":{"chainIdentifier":"x","other":1}}', /"other":1/],
    ['an object in place of a list', '{ nested { nested { value } } }', '{"data":{"nested":[1,2]}}', /./],
    ['text in place of an object', '{ nested { nested { value } } }', '{"data":{"nested":"text"}}', /./],
    ['data that are a list', '{ json }', '{"data":[1]}', /UPSTREAM_BAD_RESPONSE/],
    ['errors that are an object', '{ json }', '{"data":{"json":1},"errors":{"a":1}}', /UPSTREAM_BAD_RESPONSE/],
    ['errors without a message', '{ json }', '{"data":{"json":1},"errors":[{}]}', /UPSTREAM_BAD_RESPONSE/],
    ['JSON that breaks off', '{ json }', '{"data":{"json":', /UPSTREAM_BAD_RESPONSE/],
    ['nothing', '{ json }', '', /UPSTREAM_BAD_RESPONSE/],
    ['bytes that are no text', '{ json }', Buffer.from([0xff, 0xfe, 0x00, 0x80]), /UPSTREAM_BAD_RESPONSE/],
    ['a value nested a thousand deep', '{ json }', `{"data":{"json":${deep(1_000)}}}`, /^\{"data":\{"json":\{"a"/],
    ['a value nested six thousand deep', '{ json }', `{"data":{"json":${deep(6_000)}}}`, /UPSTREAM_BAD_RESPONSE/],
    [
      'a value nested a hundred and fifty thousand deep',
      '{ json }',
      `{"data":{"json":${deep(150_000)}}}`,
      /UPSTREAM_BAD_RESPONSE/,
    ],
    [
      'an error nested six thousand deep',
      '{ json }',
      `{"data":{"json":1},"errors":[{"message":"m","extensions":${deep(6_000)}}]}`,
      /UPSTREAM_BAD_RESPONSE/,
    ],
    [
      'a stack in its error',
      '{ json }',
      '{"data":{"json":null},"errors":[{"message":"m","path":["json"],"stack":"at x (/secret.js)","stacktrace":["at y"]}]}',
      /"m"/,
    ],
    [
      'a status in its error',
      '{ json }',
      '{"data":{"json":null},"errors":[{"message":"m","path":["json"],"extensions":{"http":{"status":599,"headers":{"x-evil":"1"}}}}]}',
      /"m"/,
    ],
  ])('%s harms nobody', async (_name, query, answer, expected) => {
    ledger.override = () => ({ status: 200, body: answer as string });
    const before = process.cpuUsage();
    const { status, text } = await post(JSON.stringify({ query }));
    ledger.override = undefined;
    expect(cpuMsSince(before)).toBeLessThan(2_000);
    expect([status, text.slice(0, 300)]).toEqual([200, expect.stringMatching(expected)]);
    expect(text).not.toMatch(
      /node_modules|node:internal|secret\.js|Maximum call stack|correctly prefixed|127\.0\.0\.1/,
    );
    for (const key of ['polluted', 'x-evil']) expect(({} as Record<string, unknown>)[key]).toBeUndefined();
    expect((await gateway.query('{ chainIdentifier }')).data).toEqual({ chainIdentifier: '4c78adac' });
  });
});

describe('an endlessly nested value of the ledger', () => {
  const nested = (depth: number) => `{"data":{"json":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}}`;
  const refused: unknown = expect.objectContaining({
    message: "The ledger's answer is nested over 2000 levels deep.",
    path: ['json'],
    extensions: { code: 'UPSTREAM_BAD_RESPONSE', retry: 'backoff', upstream: 'ledger' },
  });
  const answers = (depth: number) => {
    ledger.override = () => ({ status: 200, body: nested(depth) });
  };
  afterEach(() => {
    ledger.override = undefined;
  });

  it.each([
    ['forwarded', 'json', {}],
    ['beside fields of our own', 'json gateway { networkProfile }', { gateway: { networkProfile: 'ledger' } }],
    [
      'between fields of our own',
      'gateway { networkProfile } json sponsor { health }',
      { gateway: { networkProfile: 'ledger' }, sponsor: { health: null } },
    ],
  ])('costs its own field, at first sight and later, over HTTP and WebSocket: %s', async (name, selection, own) => {
    answers(6_000);
    const query = `query bottomless { ${selection} } # ${name}`;
    const expected = { json: null, ...own };
    for (const _sight of ['first', 'second']) {
      const { status, data, errors } = await gateway.query(query);
      expect([status, data, errors?.filter(({ path }) => path?.[0] === 'json')]).toEqual([200, expected, [refused]]);
    }
    const socket = createClient({
      url: `${gateway.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
    });
    const results: Pick<FormattedExecutionResult, 'data' | 'errors'>[] = [];
    for await (const { data, errors = [] } of socket.iterate({ query })) results.push({ data: data ?? null, errors });
    await socket.dispose();
    expect(results.map(({ data }) => data)).toEqual([expected]);
    expect(results[0]?.errors?.filter(({ path }) => path?.[0] === 'json')).toEqual([refused]);
    expect(gateway.log.filter(({ msg }) => msg === 'an unexpected error was masked')).toEqual([]);
  });

  it('is rejected where the response is collected, of any size; a forwarded response breaks off', async () => {
    const payload = JSON.stringify({ query: '{ json }' });
    const expected = [200, { data: { json: null }, errors: [refused] }];
    answers(200_000);
    const whole = await post(payload);
    expect([whole.status, JSON.parse(whole.text)]).toMatchObject(expected);
    answers(400_000);
    // Both parts of a split operation are collected.
    const collected = await post(JSON.stringify({ query: '{ json viewer { __typename } }' }));
    expect([collected.status, JSON.parse(collected.text)]).toMatchObject(expected);
    // A part of it is sent before its end is known.
    await expect(post(payload)).rejects.toThrow('terminated');
    await expect
      .poll(() => gateway.log.filter(({ msg }) => msg === 'request').at(-1))
      .toMatchObject({ status: 200, lane: true, operations: [{ errors: 1 }] });
    ledger.override = undefined;
    expect((await gateway.query('{ chainIdentifier }')).data).toEqual({ chainIdentifier: '4c78adac' });
  });
});

describe('idle connections', () => {
  it('delay no other client, and are served when they continue', async () => {
    const body = '{"query":"{ chainIdentifier }"}';
    const head = `POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    const idle = Array.from({ length: 200 }, (_, index) => {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
      let said = '';
      socket.on('error', () => {});
      socket.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      const isHalfway = index % 2 === 1;
      if (isHalfway) socket.write(`${head}{`);
      return { socket, goOn: () => socket.write(isHalfway ? body.slice(1) : head + body), said: () => said };
    });
    expect((await gateway.query('{ chainIdentifier }')).data).toEqual({ chainIdentifier: '4c78adac' });
    expect(idle.map(({ said }) => said()).join('')).toBe('');
    for (const { goOn } of idle) goOn();
    const answered = () => idle.filter(({ said }) => said().endsWith('{"data":{"chainIdentifier":"4c78adac"}}')).length;
    await expect.poll(answered, { timeout: 10_000 }).toBe(200);
    for (const { socket } of idle) socket.destroy();
  });
});

describe('an upstream whose response', () => {
  const ok = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
  it.each<[name: string, answer: (socket: Socket) => void, code: string]>([
    [
      'comes a byte at a time',
      (socket) => {
        socket.write(`${ok}content-length: 100000\r\n\r\n`);
        const drip = setInterval(() => socket.write(' '), 20);
        socket.on('close', () => clearInterval(drip));
      },
      'UPSTREAM_TIMEOUT',
    ],
    ['never comes', () => {}, 'UPSTREAM_TIMEOUT'],
    [
      'has headers without end',
      (socket) => {
        socket.write(ok);
        const drip = setInterval(() => socket.write(`x-${'a'.repeat(1_000)}: b\r\n`), 5);
        socket.on('close', () => clearInterval(drip));
      },
      'UPSTREAM_UNAVAILABLE',
    ],
    [
      'is shorter than it says',
      (socket) => socket.end(`${ok}content-length: 100\r\n\r\n{"data":{}}`),
      'UPSTREAM_UNAVAILABLE',
    ],
    [
      'is chunked garbage',
      (socket) => socket.end(`${ok}transfer-encoding: chunked\r\n\r\nzz\r\n`),
      'UPSTREAM_UNAVAILABLE',
    ],
    ['is no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'), 'UPSTREAM_UNAVAILABLE'],
    [
      'is a redirect to elsewhere',
      (socket) => socket.end('HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n'),
      'UPSTREAM_BAD_RESPONSE',
    ],
    [
      'is larger than anything useful',
      (socket) => {
        socket.write(`${ok}\r\n{"result":"`);
        const chunk = Buffer.alloc(4 * 1024 * 1024, 97);
        const pour = () => {
          while (socket.writable && socket.write(chunk));
        };
        socket.on('drain', pour);
        pour();
      },
      'UPSTREAM_BAD_RESPONSE',
    ],
  ])('%s costs its own fields, in time', async (_name, answer, code) => {
    const open = new Set<Socket>();
    const server = createServer((socket) => {
      open.add(socket);
      socket.on('error', () => {});
      socket.once('data', () => answer(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await using victim = await createTestGateway({
      LEDGER_GRAPHQL_URL: ledger.url,
      LEDGER_RPC_URL: url,
      REQUEST_TIMEOUT_MS: code === 'UPSTREAM_TIMEOUT' ? '2000' : '30000',
    });
    const { data, errors, text } = await victim.query('{ chainIdentifier queryEvents { nodes { type } } }');
    expect(data).toEqual({ chainIdentifier: '4c78adac', queryEvents: null });
    expect(errors?.map(({ extensions }) => extensions)).toEqual([{ code, retry: 'backoff', upstream: 'events' }]);
    expect(text).not.toMatch(/127\.0\.0\.1|169\.254|UND_ERR|HPE_|SSH/);
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
});
