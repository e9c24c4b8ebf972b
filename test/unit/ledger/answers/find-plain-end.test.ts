import { describe, expect, it } from 'vitest';
import { findPlainEnd } from '../../../../src/ledger/answers/plain-answer.ts';

const toBody = (text: string, ...cuts: readonly number[]) => {
  const bytes = Buffer.from(text);
  const at = [0, ...cuts, bytes.length];
  return { chunks: at.slice(1).map((end, index) => bytes.subarray(at[index], end)), size: bytes.length };
};

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
  ])('is plain: %s', (text) => {
    expect(findPlainEnd(toBody(text))).toBe(text.trimEnd().length - 1);
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
    ['an end cut off', '{"data":{"a":{"b":1}'],
    ['a text beyond the end', '{"data":{"a":1}}x'],
    ['a bottomless value', `{"data":${'{"a":'.repeat(500)}1${'}'.repeat(501)}`],
  ])('is left to a parser with %s', (_, text) => {
    expect(findPlainEnd(toBody(text))).toBeNull();
  });

  it('is told where the name of extensions is cut, wherever that is, in however many pieces', () => {
    const text = `{"data":{"text":"x"},"extensions":{"trace":"${filler}","text":"x"}}`;
    for (let cut = 10; cut < 45; cut += 1) {
      expect(findPlainEnd(toBody(text, cut))).toBeNull();
      expect(findPlainEnd(toBody(text, cut, cut + 1, cut + 2, cut + 5))).toBeNull();
      expect(findPlainEnd(toBody(text, ...Array.from({ length: 40 }, (_, index) => cut + index)))).toBeNull();
    }
  });
});
