import { buildSchema, getOperationAST, Kind, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { type AnswerEnding, toAnswerEnding } from '../../../../src/ledger/answers/answer-ending.ts';
import { findPlainEnd } from '../../../../src/ledger/answers/find-plain-end.ts';

const toBody = (text: string, ...cuts: readonly number[]) => {
  const bytes = Buffer.from(text);
  const at = [0, ...cuts, bytes.length];
  return { chunks: at.slice(1).map((end, index) => bytes.subarray(at[index], end)), size: bytes.length };
};

const schema = buildSchema('scalar JSON type Query { a: A text: String json: JSON } type A { b: A c: Int }');
const endingOf = (query: string): AnswerEnding => {
  const document = parse(query);
  const operation = getOperationAST(document);
  if (!operation) throw new Error('no operation');
  const fragments = document.definitions.flatMap((each) =>
    each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
  );
  return toAnswerEnding(schema, operation, new Map(fragments));
};

/** Nothing is known of how they end, and all that is known. */
const endings = [[], endingOf('{ a { b { c } } text json }'), endingOf('{ json text a { b { c } } }')];
const filler = 'x'.repeat(6_000);

describe('the end of an answer', () => {
  it.each([
    ['{"data":{"a":{}}}'],
    ['{"data":{"a":{"b":{"c":1}}}}'],
    ['{"data":{"effects":{"errors":null}}}'],
    ['{"data":{"effects":{"errors":"out of gas"}}}'],
    ['{"data":{"text":"\\"extensions\\":{} \\"errors\\":[]"}}'],
    ['{"data":{"text":"}"}}\n'],
    ['{"data":{"json":{"extensions":{"usage":1}}}}'],
    ['{"data":{"json":{"data":{}}}}'],
    [`{"data":{"json":{"extensions":"${filler}"}}}`],
    [`{"data":{"json":["${filler}"],"text":"extensions"}}`],
  ])('is plain, whatever is known of it: %s', (text) => {
    for (const ending of endings) expect(findPlainEnd(toBody(text), ending)).toBe(text.trimEnd().length - 1);
  });

  it.each([
    ['nothing', ''],
    ['no JSON', '<html>}}'],
    ['no data', '{"data":null}'],
    ['data without a member', '{"data":{}}'],
    ['errors last', '{"data":{"a":null},"errors":[{"message":"x"}]}'],
    ['errors first', '{"errors":[{"message":"x"}],"data":{"a":{}}}'],
    ['errors and extensions', '{"data":{"a":null},"errors":[{"message":"x"}],"extensions":{"a":{}}}'],
    ['errors and something else', '{"data":{"a":null},"errors" : [{"message":"x"}],"more":{"a":{}}}'],
    ['errors that are an object', '{"data":{"a":1},"errors":{"a":{}}}'],
    ['extensions', '{"data":{"a":1},"extensions":{"usage":{}}}'],
    ['extensions that are not an object', '{"data":{"a":{}},"extensions":1}'],
    ['large extensions', `{"data":{"a":1},"extensions":{"trace":"${filler}","b":{}}}`],
    ['large extensions that end as data might', `{"data":{"a":1},"extensions":{"trace":"${filler}","text":"x"}}`],
    ['large extensions of spaces', `{"data":{"a":1} , "extensions" : {"trace":"${filler}"\n,"text":null} }\n`],
    ['another large member', `{"data":{"a":1},"more":{"trace":"${filler}","b":{}}}`],
    ['large errors before another member', `{"data":{"a":1},"errors":[{"message":"${filler}"}],"more":{"d":{}}}`],
    ['an end cut off', '{"data":{"a":{"b":1}'],
    ['half of data that ends like all of them', '{"data":{"a":{"b":{"c":1}}'],
    ['half of data that ends like all of them, cut before another', '{"data":{"a":{"b":{"c":{"d":1}},"text":"x"}}'],
    ['half of a text that ends like data', '{"data":{"text":"}}'],
    ['half of plain JSON that ends like data', '{"data":{"json":{"a":{"b":{"x":1}}'],
    ['a text beyond the end', '{"data":{"a":1}}x'],
    ['a bottomless value', `{"data":${'{"a":'.repeat(500)}1${'}'.repeat(501)}`],
  ])('is left to a parser with %s, whatever is known of it', (_, text) => {
    for (const ending of endings) expect(findPlainEnd(toBody(text), ending)).toBeNull();
  });

  it('is told where the name of extensions is cut, wherever that is, in however many pieces', () => {
    const text = `{"data":{"text":"x"},"extensions":{"trace":"${filler}","text":"x"}}`;
    const ending = endingOf('{ text }');
    for (let cut = 10; cut < 45; cut += 1) {
      expect(findPlainEnd(toBody(text, cut), ending)).toBeNull();
      expect(findPlainEnd(toBody(text, cut, cut + 1, cut + 2, cut + 5), ending)).toBeNull();
      expect(findPlainEnd(toBody(text, ...Array.from({ length: 40 }, (_, index) => cut + index)), ending)).toBeNull();
    }
  });
});
