import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ExactNumber,
  hasExactNumber,
  parseJson,
  parseRequestJson,
  parseVariables,
  printJson,
} from '../../../src/json/exact-json.ts';
import { cpuMsSince } from '../../support/cpu-time.ts';
import { runs } from '../../support/runs.ts';

const exact = (text: string) => new ExactNumber(text);

describe('JSON with numbers of any size', () => {
  it.each([
    '18446744073709551615',
    '9007199254740993',
    '-9223372036854775809',
    '1.10',
    '1.0',
    '-0',
    '-0.0',
    '1e400',
    '1E2',
    '0.1234567890123456789',
    '1e-400',
    `${'9'.repeat(5_000)}.${'1'.repeat(5_000)}`,
  ])('keeps the digits of %s', (number) => {
    expect(parseJson(number)).toEqual(exact(number));
    for (const text of [number, `[${number},0]`, `{"a":{"b":[${number}]},"c":"${number}"}`]) {
      expect(printJson(parseJson(text))).toBe(text);
      expect(hasExactNumber(parseJson(text))).toBe(true);
    }
  });

  it.each([
    '0',
    '-1',
    '1.5',
    '9007199254740991',
    '123456789012345680',
    '1e+21',
    '5e-324',
    '-1.7976931348623157e+308',
    '-0.0000012345678901234567',
  ])('parses %s as a number', (number) => expect(parseJson(`[${number}]`)).toEqual([Number(number)]));

  it('reveals nothing that would turn the text of others into a number', () => {
    expect(JSON.stringify([exact('1.10')])).toBe('["1.10"]');
    expect(() => printJson([exact('1.10'), 1n])).toThrow(TypeError);
    expect(JSON.stringify([exact('1.10')])).toBe('["1.10"]');
  });

  it('ignores digits in strings', () => {
    for (const text of ['18446744073709551615', '\\"1.10, 1.10', '\\\\', 'a\\\\\\", 1.10: [1.10', '']) {
      const json = `{"${text}":["${text}",1,"${text}"]}`;
      expect(parseJson(json)).toEqual(JSON.parse(json));
    }
  });

  it('prints every JSON text as it was read, except white space', () => {
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.bigInt({ min: 0n }),
        fc.option(fc.stringMatching(/^\d{1,20}$/)),
        fc.option(fc.stringMatching(/^[eE][+-]?\d{1,3}$/)),
      )
      .map(([sign, whole, fraction, exponent]) => `${sign}${whole}${fraction ? `.${fraction}` : ''}${exponent ?? ''}`);
    const text = fc.string({ unit: 'binary' }).map((each) => JSON.stringify(each));
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        number,
        text,
        fc.constantFrom('true', 'false', 'null'),
        fc.array(tie('json') as fc.Arbitrary<string>).map((items) => `[${items.join(',')}]`),
        fc
          .uniqueArray(
            fc.tuple(
              fc.string({ unit: 'binary' }).filter((key) => !/^\d+$/.test(key)),
              tie('json') as fc.Arbitrary<string>,
            ),
            { selector: ([key]) => key },
          )
          .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
      ),
    }));
    fc.assert(
      fc.property(json as fc.Arbitrary<string>, (given) => {
        expect(printJson(parseJson(given))).toBe(given);
      }),
      { numRuns: runs(200) },
    );
  }, 60_000);

  it('rejects invalid JSON as usual', () => {
    for (const text of ['', '01', '1.', '+1', '{"a":1.10', '-', '1e', '.5', 'NaN'])
      for (const parse of [parseJson, parseRequestJson, parseVariables]) expect(() => parse(text)).toThrow(SyntaxError);
  });

  it('reads a number of a megabyte, and a text of quotes, in linear time', () => {
    const took = (length: number) => {
      const [digits, quotes] = ['7'.repeat(length), '\\"'.repeat(length)];
      const before = process.cpuUsage();
      for (let turn = 0; turn < 5; turn += 1)
        expect(printJson(parseJson(`["${quotes}",${digits}]`))).toHaveLength(3 * length + 5);
      return cpuMsSince(before);
    };
    took(100_000);
    expect(took(800_000)).toBeLessThan(80 * Math.max(took(100_000), 1));
  });
});

describe('the body of a request', () => {
  it('keeps the digits of its variables only', () => {
    const body =
      '{"query":"{ a }","variables":{"v":18446744073709551615,"f":[1.10]},"extensions":{"x":18446744073709551615}}';
    expect(parseRequestJson(body)).toEqual({
      query: '{ a }',
      variables: { v: exact('18446744073709551615'), f: [exact('1.10')] },
      extensions: { x: 18446744073709552000 },
    });
    expect(parseRequestJson(`[${body},1e400,{"variables":18446744073709551615}]`)).toEqual([
      parseRequestJson(body),
      Number.POSITIVE_INFINITY,
      { variables: 18446744073709552000 },
    ]);
    expect(parseRequestJson('18446744073709551615')).toBe(18446744073709552000);
  });

  it('takes a safe integer as a number in any notation', () => {
    expect(parseRequestJson('{"variables":{"a":1.0,"b":1e1,"c":9007199254740991.0,"d":1}}')).toEqual({
      variables: { a: 1, b: 10, c: 9007199254740991, d: 1 },
    });
    for (const number of [
      '9007199254740993',
      '1.00000000000000000000001',
      '1e-400',
      '9007199254740993.0',
      '15e-1',
      '0.15e1',
    ])
      expect(parseVariables(`{"a":1.0,"b":${number}}`)).toEqual({ a: 1, b: exact(number) });
    expect(parseVariables('18446744073709551615')).toBe(18446744073709552000);
  });

  it('takes the last of a repeated key', () => {
    expect(parseRequestJson('{"variables":{"v":18446744073709551615},"variables":{"v":1}}')).toEqual({
      variables: { v: 1 },
    });
  });
});
