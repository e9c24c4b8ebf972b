import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkEnd } from '../../../../src/ledger/answers/answer-stream.ts';
import { DataExtent } from '../../../../src/ledger/answers/data-extent.ts';
import { parseLedgerAnswer } from '../../../../src/ledger/answers/ledger-answer.ts';
import { runs } from '../../../support/runs.ts';

const usage = { inputNodes: 1, outputNodes: 2, depth: 3, variables: 4, fragments: 5, queryPayload: 6 };

/** What is judged when all but the end of an answer is gone. @param gone as if so much had been sent already */
const judge = (text: string | Buffer, withUsage = false, gone: string | Buffer = toBeginning(String(text))) => {
  const bytes = Buffer.from(text);
  const half = bytes.length >> 1;
  const chunks = [bytes.subarray(0, half), bytes.subarray(half)];
  const extent = new DataExtent();
  for (const chunk of [Buffer.from(gone), ...chunks]) extent.read(chunk);
  const end = checkEnd({ chunks, size: bytes.length }, extent, {
    usage: withUsage ? usage : null,
    readText: () => '{ a }',
  });
  if (!end) return null;
  const body = Buffer.concat(end.body.chunks);
  expect(body.length).toBe(end.body.size);
  return { text: body.toString('latin1'), errorCount: end.errorCount };
};

/** Opens what a text closes: the answer, its data, and what is in them. */
function toBeginning(text: string): string {
  const opened: string[] = [];
  let missing = '';
  for (const [sign] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/gs)) {
    if (sign === '{' || sign === '[') opened.push(sign);
    else if ((sign === '}' || sign === ']') && opened.pop() === undefined)
      missing = (sign === '}' ? '{"k":' : '[') + missing;
  }
  return missing.replace('{"k":', '{"data":');
}

const latin1 = (text: string) => Buffer.from(text).toString('latin1');

describe('the end of a large answer', () => {
  it.each([
    ['plain', '1}]}}', '1}]}}', 0],
    [
      'one error',
      'null}},"errors":[{"message":"é","extensions":{"code":"C","retry":"never"}}]}',
      'null}},"errors":[{"message":"é","extensions":{"code":"C","retry":"never"}}]}',
      1,
    ],
    [
      'what errors lose and keep',
      '1}},"errors":[{"message":"m","path":["a",0],"locations":[{"line":1,"column":2}],"extensions":{"code":"X","http":{"status":500},"debug":"/srv/a.rs:7"},"more":1}]}',
      '1}},"errors":[{"message":"m","locations":[{"line":1,"column":2}],"path":["a",0],"extensions":{"code":"X","retry":"never"}}]}',
      1,
    ],
    ['such names in the data', '"extensions":{"errors":[{"a":"]}"}]}}}', '"extensions":{"errors":[{"a":"]}"}]}}}', 0],
    ['quotes and backslashes', '"a\\"},\\\\","errors":[{}]},"}\\\\"]}}', '"a\\"},\\\\","errors":[{}]},"}\\\\"]}}', 0],
    ['no errors written out', '1}},"errors":null}', '1}}}', 0],
    ['a list of none', '1}},"errors":[]}', '1}}}', 0],
    ['extensions, which are dropped', '1}},"extensions":{"usage":{"a":{}}}}', '1}}}', 0],
    [
      'both',
      '1}},"errors":[{"message":"m","extensions":{"code":"C","retry":"never"}}],"extensions":{"a":{}}}',
      '1}},"errors":[{"message":"m","extensions":{"code":"C","retry":"never"}}]}',
      1,
    ],
    [
      'both the other way round',
      '1}},"extensions":{"a":{}},"errors":[{"message":"m","extensions":{"code":"C","retry":"never"}}]}',
      '1}},"errors":[{"message":"m","extensions":{"code":"C","retry":"never"}}]}',
      1,
    ],
    [
      'another member',
      '1}},"errors":[{"message":"m","extensions":{"code":"C","retry":"never"}}],"more":1}',
      '1}},"errors":[{"message":"m","extensions":{"code":"C","retry":"never"}}]}',
      1,
    ],
    [
      'spaces between',
      '1}} ,\n "errors" : [ { "message" : "m", "extensions": { "code": "C", "retry": "never" } } ] }\n',
      '1}},"errors":[{"message":"m","extensions":{"code":"C","retry":"never"}}]}',
      1,
    ],
    [
      'errors with members of the same names',
      '1}},"errors":[{"message":"m","extensions":{"code":"C","retry":"never","a":{},"errors":[{}],"extensions":{"b":{}}}}]}',
      '1}},"errors":[{"message":"m","extensions":{"code":"C","retry":"never","a":{},"errors":[{}],"extensions":{"b":{}}}}]}',
      1,
    ],
    [
      'data with members of the same names',
      '{}},"errors":[1]},"x":{"a":{},"errors":[{"message":"no"}]}}},"errors":[{"message":"m","extensions":{"code":"C","retry":"never"}}]}',
      '{}},"errors":[1]},"x":{"a":{},"errors":[{"message":"no"}]}}},"errors":[{"message":"m","extensions":{"code":"C","retry":"never"}}]}',
      1,
    ],
  ])('is sent as it is shown elsewhere: %s', (name, tail, sent, errorCount) => {
    const expected =
      name.includes('none') || name.includes('no errors') || name.startsWith('extensions') ? '1}}}' : sent;
    expect(judge(tail)).toEqual({ text: latin1(expected), errorCount });
  });

  it.each([
    ['plain', '1}}}', '1}}', ''],
    [
      'with errors',
      '1}},"errors":[{"message":"m","extensions":{"code":"C","retry":"never"}}]}',
      '1}}',
      ',"errors":[{"message":"m","extensions":{"code":"C","retry":"never"}}]',
    ],
    ['with extensions', '1}},"extensions":{"usage":{"upstream":1}}}', '1}}', ''],
  ])('gets usage: %s', (_, tail, data, errors) => {
    expect(judge(tail, true)?.text).toBe(`${data}${errors},"extensions":{"usage":${JSON.stringify(usage)}}}`);
  });

  it('is found where the held bytes begin within a character', () => {
    const whole = Buffer.from(
      '{"data":{"a":{"b":"€ä"}},"errors":[{"message":"é","extensions":{"code":"C","retry":"never"}}]}',
    );
    const [gone, bytes] = [whole.subarray(0, 20), whole.subarray(20)];
    expect(judge(bytes, false, gone)).toEqual({ text: bytes.toString('latin1'), errorCount: 1 });
  });

  it.each<[string, string, string?]>([
    ['cut off', '1}},"errors":[{"message":"m","extensions":{"code":"C","retry":"never"}}'],
    [
      'errors whose beginning is gone',
      '{"message":"m","extensions":{"code":"C","retry":"never"}},{"message":"n"}]}',
      '{"data":{},"errors":[',
    ],
    ['errors whose beginning is gone, with extensions', '{"message":"n"}],"extensions":{}}', '{"data":{},"errors":['],
    [
      'errors whose beginning is gone within a text',
      'a,"message":"n"}],"extensions":{}}',
      '{"data":{},"errors":[{"a":"\\"}',
    ],
    ['half of an answer that ends like all of it', '"b":{"c":1}}', '{"data":{"a":{'],
    ['half of a text that ends like all of it', 'x}}', '{"data":{"a":"'],
    ['one whose last text is never closed', '1}}', '{"data":{"a":"\\'],
    ['data behind the errors', '1}},"errors":[{"message":"m","extensions":{"code":"C","retry":"never"}}],"data":{}}'],
    ['an error without a message', '1}},"errors":[{"text":"m"}]}'],
    ['errors that are no list', '1}},"errors":"m"}'],
    ['something behind the end', '1}},"errors":[{"message":"m","extensions":{"code":"C","retry":"never"}}]}x'],
    ['the name in a text alone', '1}},\\"errors\\":[{\\"message\\":\\"m\\"}]"]}', '{"data":{"a":["'],
    [
      'a bottomless value',
      `1${'}'.repeat(2_002)},"errors":[{"message":"m","extensions":{"code":"C","retry":"never"}}]}`,
    ],
    [
      'a bottomless error',
      `1}},"errors":[{"message":"m","extensions":${'{"a":'.repeat(9_999)}1${'}'.repeat(9_999)}}]}`,
    ],
    ['no JSON', '<html>'],
    ['nothing', ''],
  ])('is not made sense of: %s', (_, tail, gone) => {
    expect(judge(tail, false, gone)).toBeNull();
    expect(judge(tail, true, gone)).toBeNull();
  });

  it('says of any answer what reading the whole of it says', () => {
    const text = fc.constantFrom('a', '},"errors":[', '"},\\"errors\\":[{"', 'é€', ']}', '"extensions":{', '\\');
    const key = fc.constantFrom('a', 'data', 'errors', 'extensions', 'path', 'é"');
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        text,
        fc.constantFrom(null, 1, true),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 3 }),
      ),
    }));
    const error = fc.record(
      { message: text, path: fc.array(key, { maxLength: 2 }), extensions: fc.dictionary(key, value, { maxKeys: 2 }) },
      { requiredKeys: ['message'] },
    );
    const members = fc.record(
      { errors: fc.array(error, { maxLength: 3 }), extensions: fc.dictionary(key, value, { maxKeys: 2 }) },
      { requiredKeys: [] },
    );
    const space = fc.constantFrom(undefined, 1);
    fc.assert(
      fc.property(
        fc.dictionary(key, value, { maxKeys: 3 }),
        members,
        fc.boolean(),
        space,
        (data, rest, swap, indent) => {
          const { errors, extensions } = rest;
          const behind = swap ? { ...(extensions ? { extensions } : {}), ...(errors ? { errors } : {}) } : rest;
          const whole = JSON.stringify({ data, ...behind }, null, indent);
          const judged = judge(whole, false, '');
          const options = { isMutation: false };
          const { status, headers } = { status: 200, headers: new Map<string, string>() };
          const read = parseLedgerAnswer({ status, headers, body: Buffer.from(whole) }, null, options);
          if (!judged) return expect(Object.keys(data)).toHaveLength(0);
          expect(JSON.parse(Buffer.from(judged.text, 'latin1').toString())).toEqual(JSON.parse(JSON.stringify(read)));
          expect(judged?.errorCount).toBe(read.errors?.length ?? 0);
        },
      ),
      { numRuns: runs(600) },
    );
  });
});
