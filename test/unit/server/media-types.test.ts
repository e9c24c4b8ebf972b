import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptsPage, chooseEncoding, isEncoded, isJsonType, readAccept } from '../../../src/server/request-head.ts';

const json = 'application/json';
const strict = 'application/graphql-response+json';
const everything = `${json}, ${strict}, text/event-stream, multipart/mixed`;

describe('the Accept header', () => {
  it.each([
    [undefined, everything, json],
    ['', everything, json],
    ['*/*', everything, json],
    [json, json, json],
    ['Application/JSON', json, json],
    ['application/*', `${json}, ${strict}`, json],
    [strict, strict, strict],
    [`${strict}; charset=utf-8, application/json;q=0.9`, `${strict}, ${json}`, strict],
    [`${strict} ; Charset="UTF-8" , application/json`, `${strict}, ${json}`, strict],
    [`${json}, ${strict}`, `${json}, ${strict}`, json],
    [`${json};q=0.1, ${strict}`, `${strict}, ${json}`, strict],
    [`${strict};charset=latin1, ${json}`, json, json],
    [`${json};q=0, */*`, `${strict}, text/event-stream, multipart/mixed`, strict],
    [`text/event-stream, ${strict}`, `text/event-stream, ${strict}`, strict],
    ['text/html, */*', everything, json],
    ['TEXT/EVENT-STREAM', 'text/event-stream', null],
    ['multipart/mixed;deferSpec=20220824', 'multipart/mixed', null],
    ['text/*', 'text/event-stream', null],
    [`x/y;a="${json}, */*", ${strict}`, strict, strict],
    [`no type, ;;, ${json}`, json, json],
    ['application/json, '.repeat(5_000), json, json],
  ])('%.60s allows %s, and %s for a complete response', (header, served, plain) => {
    expect(readAccept(header)).toEqual({ header: served, plain });
  });

  it.each([
    'image/png',
    'text/html',
    'application/json;q=0',
    'application/json;q=0.000',
    'application/json ; Q=0',
    'application/json;charset=utf-16',
    'application/jsonx',
    'json',
    `${'text/x, '.repeat(5_000)}application/json`,
  ])('%.60s allows nothing', (header) => {
    expect(readAccept(header)).toBeNull();
  });

  const range = fc.constantFrom('*/*', 'application/*', json, strict, 'text/event-stream', 'text/html', 'image/png');
  const space = fc.constantFrom('', ' ', '\t', '  ');
  const entry = fc.record({ range, quality: fc.constantFrom('', '0', '0.1', '0.5', '1'), space, upper: fc.boolean() });

  it('means the same in every spelling', () => {
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 6 }), (entries) => {
        const write = (spelt: boolean) =>
          entries
            .map(({ range: name, quality, space: gap, upper }) => {
              const q = quality && (spelt ? `${gap};${gap}${upper ? 'Q' : 'q'}=${quality}` : `;q=${quality}`);
              return spelt ? `${gap}${upper ? name.toUpperCase() : name}${q}${gap}` : `${name}${q}`;
            })
            .join(',');
        expect(readAccept(write(true))).toEqual(readAccept(write(false)));
      }),
    );
  });

  it('formatted and parsed again means the same', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(fc.oneof(range, fc.string())).map((all) => all.join(',')),
        ),
        (header) => {
          const read = readAccept(header);
          if (read) expect(readAccept(read.header)).toEqual(read);
        },
      ),
    );
  });

  it('of the maximum length is parsed in linear time', () => {
    for (const piece of ['a/b;', 'a/b;"', '\\"', ' ', 'a/b;c="\\', ';', '"'])
      expect(readAccept(`a/b;c="${piece.repeat(16_000)}`)).toBeNull();
  });
});

describe('a page', () => {
  it.each([
    ['text/html', true],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
    ['application/json, TEXT/HTML;q=0.1', true],
    ['text/html;q=0, */*', false],
    ['text/html-sandboxed', false],
    ['x/y;a="text/html"', false],
    ['*/*', false],
    [undefined, false],
  ])('is requested by %s: %s', (header, asked) => {
    expect(acceptsPage(header)).toBe(asked);
  });
});

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
  ])('%s does not announce JSON', (header) => {
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
  ])('%s is compressed: %s', (header, encoded) => {
    expect(isEncoded(header)).toBe(encoded);
  });
});

describe('the compression of a response', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['*', 'br'],
    ['br; q=0.0, *', 'gzip'],
    ['identity', null],
    ['gzip;q=0', null],
    ['xgzip, brotli', null],
    ['', null],
    [undefined, null],
  ])('for %s is %s', (header, encoding) => {
    expect(chooseEncoding(header)).toBe(encoding);
  });
});
