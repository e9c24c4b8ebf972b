import { describe, expect, it } from 'vitest';
import { networkProfiles } from '../../../../src/config/network-profile.ts';
import { checkEnd, type SettleErrors } from '../../../../src/ledger/answers/answer-stream.ts';
import { DataExtent } from '../../../../src/ledger/answers/data-extent.ts';
import { parseLedgerAnswer, toGraphqlErrors } from '../../../../src/ledger/answers/ledger-answer.ts';
import { createRpcVersion } from '../../../../src/ledger/rpc-version.ts';

const answer = (body: unknown, status = 200, text: string | null = null, isMutation = false) =>
  parseLedgerAnswer(
    { status, headers: new Map(), body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) },
    text === null ? null : () => text,
    { isMutation },
  );

describe("the ledger's answer", () => {
  it('keeps message, path and extensions of an error, but not what would set our HTTP status, nor where it broke', () => {
    const debug = { file: '/srv/ledger/src/resolver.rs', line: 7 };
    const { errors } = answer({
      data: null,
      errors: [{ message: 'no', path: ['a', 0], extensions: { code: 'X', http: { status: 500 }, debug } }],
    });
    expect(errors?.map((error) => error.toJSON())).toEqual([
      { message: 'no', path: ['a', 0], extensions: { code: 'X', retry: 'never' } },
    ]);
  });

  it.each([
    ['The server is at its concurrent-subscription capacity; retry later', 'backoff'],
    ['Move value exceeded the size limit of 1048576 bytes', 'never'],
  ] as const)('advises by the text of a code that the ledger uses for several errors: %s', (message, retry) => {
    const { transientErrors } = networkProfiles.sui;
    const error = { message, extensions: { code: 'RESOURCE_EXHAUSTED' } };
    expect(toGraphqlErrors([error], null, transientErrors)[0]?.extensions.retry).toBe(retry);
    const end = Buffer.from(`{"data":{"a":1},"errors":[${JSON.stringify(error)}]}`);
    const extent = new DataExtent();
    extent.read(end);
    const settled: unknown[] = [];
    const settle: SettleErrors = (errors) => {
      settled.push(...errors.map(({ extensions }) => extensions.retry));
      return errors;
    };
    const options = { usage: null, readText: null, transient: transientErrors, settle };
    checkEnd({ chunks: [end], size: end.length }, extent, options);
    expect(settled).toEqual([retry]);
  });

  it.each([
    ['an object', [{ a: 1 }]],
    ['null', ['a', null]],
    ['half an index', ['a', 0.5]],
    ['a number beyond any index', '[1e400]'],
    ['a text', '"a"'],
  ])('takes what is no path for none: %s', (_, path) => {
    const text = typeof path === 'string' ? path : JSON.stringify(path);
    const { errors } = answer(`{"data":{"a":null},"errors":[{"message":"no","path":${text}}]}`);
    expect(errors?.map((error) => error.toJSON())).toEqual([
      { message: 'no', extensions: { code: 'LEDGER_ERROR', retry: 'never' } },
    ]);
  });

  it.each([
    [
      { message: 'Query request timed out. Limit: 40s' },
      { code: 'UPSTREAM_TIMEOUT', retry: 'backoff', upstream: 'ledger' },
    ],
    [
      { message: 'Mutation request timed out. Limit: 74s' },
      { code: 'UPSTREAM_TIMEOUT', retry: 'backoff', upstream: 'ledger' },
    ],
    [
      { message: 'Variable "$x" is not used', locations: [{ line: 1, column: 1 }] },
      { code: 'GRAPHQL_VALIDATION_FAILED', retry: 'never' },
    ],
    [{ message: 'Query is too complex.' }, { code: 'LEDGER_ERROR', retry: 'never' }],
    [
      { message: 'Failed to parse "String": Invalid filter', path: ['a'] },
      { code: 'BAD_USER_INPUT', retry: 'never' },
    ],
    [
      { message: 'out of luck', path: ['a'] },
      { code: 'LEDGER_ERROR', retry: 'never' },
    ],
    [
      { message: 'odd', path: ['a'], extensions: { code: 7, more: 1 } },
      { code: 'LEDGER_ERROR', retry: 'never', more: 1 },
    ],
    [
      { message: 'its own', path: ['a'], extensions: { code: 'UNKNOWN' } },
      { code: 'UNKNOWN', retry: 'never' },
    ],
  ])('gives an error advice, and a code if it has none: %j', (error, extensions) => {
    expect(answer({ data: null, errors: [error] }).errors?.[0]?.toJSON().extensions).toEqual(extensions);
  });

  it.each([
    ['LEDGER_ERROR', 'look-up'],
    ['INTERNAL_SERVER_ERROR', 'look-up'],
    ['UNKNOWN', 'look-up'],
    ['BAD_USER_INPUT', 'never'],
  ])('advises to look up a mutation that may have run: %s, %s', (code, retry) => {
    const body = { data: null, errors: [{ message: 'no', path: ['a'], extensions: { code } }] };
    expect(answer(body, 200, null, true).errors?.[0]?.extensions).toEqual({ code, retry });
  });

  it('advises to look up a mutation whose answer cannot be read', () => {
    const extensions = { code: 'UPSTREAM_BAD_RESPONSE', retry: 'look-up', upstream: 'ledger' };
    expect(() => answer('not JSON', 200, null, true)).toThrow(expect.objectContaining({ extensions }));
  });

  it('keeps the places of errors in a text that is the client’s, as far as they are such', () => {
    const text = '{ é\r\n  a }\n';
    const real = [
      { line: 1, column: 3 },
      { line: 2, column: 3 },
    ];
    const none = [
      { line: 0, column: 1 },
      { line: 9, column: 1 },
      { line: 1, column: 90 },
      { line: '1', column: 1 },
      null,
    ];
    const body = {
      data: null,
      errors: [
        { message: 'no', locations: [...real, ...none] },
        { message: 'odd', locations: 'here' },
      ],
    };
    const shown = (asked: string | null) => JSON.parse(JSON.stringify(answer(body, 200, asked).errors));
    const [of, odd] = ['GRAPHQL_VALIDATION_FAILED', 'LEDGER_ERROR'].map((code) => ({
      extensions: { code, retry: 'never' },
    }));
    expect(shown(text)).toEqual([
      { message: 'no', locations: real, ...of },
      { message: 'odd', ...odd },
    ]);
    expect(shown(null)).toEqual([
      { message: 'no', ...of },
      { message: 'odd', ...odd },
    ]);
  });

  it.each([[undefined], [null], [[]]])('has no errors where it says %j of them', (errors) => {
    expect(answer({ data: { a: 1 }, errors })).toEqual({ data: { a: 1 } });
  });

  it.each([
    ['<html>proxy says no</html>', 200],
    ['[]', 200],
    ['{}', 200],
    [{ data: null }, 200],
    [{ data: null, errors: null }, 200],
    [{ data: [] }, 200],
    [{ data: null, errors: 'no' }, 200],
    [{ data: null, errors: [{ text: 'no' }] }, 200],
    [{ data: {} }, 404],
  ])('refuses %j with status %i without showing it', (body, status) => {
    expect(() => answer(body, status)).toThrow(
      expect.objectContaining({ extensions: { code: 'UPSTREAM_BAD_RESPONSE', retry: 'backoff', upstream: 'ledger' } }),
    );
    expect(() => answer(body, status)).not.toThrow(/html|proxy/);
  });

  const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${',"b":1}'.repeat(depth)}`;

  it.each([
    ['data', `{"data":${deep(2_001)}}`],
    ['errors', `{"data":{"a":1},"errors":[{"message":"m","extensions":${deep(2_000)}}]}`],
    ['a path', `{"data":null,"errors":[{"message":"m","path":[${deep(100_000)}]}]}`],
  ])('refuses %s that nothing could write again', (_, body) => {
    expect(() => answer(body)).toThrow(
      expect.objectContaining({
        message: "The ledger's answer is nested over 2000 levels deep.",
        extensions: { code: 'UPSTREAM_BAD_RESPONSE', retry: 'backoff', upstream: 'ledger' },
      }),
    );
  });

  it('takes data as deep as anything has', () => {
    const { data } = answer(`{"data":${deep(2_000)}}`);
    expect(JSON.stringify({ data })).toBe(`{"data":${deep(2_000)}}`);
  });

  it.each([429, 500, 502, 503])('takes status %i for an upstream that is unavailable', (status) => {
    expect(() => answer({ data: {} }, status)).toThrow(
      expect.objectContaining({ extensions: { code: 'UPSTREAM_UNAVAILABLE', retry: 'backoff', upstream: 'ledger' } }),
    );
  });
});

describe('the version seen', () => {
  it('is unknown before the first answer and follows what answers say', () => {
    const seen: string[][] = [];
    const version = createRpcVersion((...change) => seen.push(change));
    expect(version.current).toBe('0.0.0-unknown');
    version.observe('2026.11.0-abc');
    version.observe('2026.11.0-abc');
    version.observe(undefined);
    expect(version.current).toBe('2026.11.0-abc');
    expect(seen).toEqual([['2026.11.0-abc', '0.0.0-unknown']]);
  });

  it.each([['a', 'b'], 'two words', 'x\r\ny', '', 'y'.repeat(101)])(
    'ignores %j, which could not be echoed',
    (header) => {
      const version = createRpcVersion();
      version.observe(header);
      expect(version.current).toBe('0.0.0-unknown');
    },
  );
});
