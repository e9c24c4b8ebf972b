import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEncoded, isJsonType } from '../../../src/http/content-type.ts';

describe('the Content-Type of a body', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json ; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; Charset=utf8',
    'application/json;',
    'application/json; profile="a;charset=latin1"',
    'application/graphql+json',
  ])('%s announces JSON', (header) => {
    expect(isJsonType(header)).toBe(true);
  });

  it.each([
    undefined,
    '',
    'text/plain',
    'application/jsonp',
    'application/json+x',
    'application/graphql',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'application/json; charset="latin1"',
    'application/json; charset=utf-16; charset=utf-8',
    'application/json, text/plain',
    'text/plain, application/json',
    'application/json text/plain',
    'application / json',
  ])('%s does not', (header) => {
    expect(isJsonType(header)).toBe(false);
  });

  it('means the same in any case and with spaces around its parameters', () => {
    const gap = fc.constantFrom('', ' ', '\t', '   ');
    const charset = fc.constantFrom('utf-8', 'UTF-8', '"utf-8"', 'latin1', '"utf-16"');
    const upper = fc.boolean();
    fc.assert(
      fc.property(gap, gap, charset, upper, (before, after, value, isUpper) => {
        const text = `${before}application/json${before};${after}charset=${value}${after}`;
        expect(isJsonType(isUpper ? text.toUpperCase() : text)).toBe(/utf-8/i.test(value));
      }),
    );
  });
});

describe('the Content-Encoding of a body', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['identity', false],
    [' Identity ', false],
    ['gzip', true],
    ['identity, gzip', true],
  ])('%s says that it does not read as it is: %s', (header, encoded) => {
    expect(isEncoded(header)).toBe(encoded);
  });
});
