import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findPlainEnd } from '../../../src/answers/find-plain-end.ts';
import { spliceData } from '../../../src/answers/splice-data.ts';

const usage = { inputNodes: 1, outputNodes: 2, depth: 3, variables: 4, fragments: 5, queryPayload: 6 };

/** Cuts a text at such places, as a network might. */
function chunked(text: string, cuts: readonly number[] = []) {
  const bytes = Buffer.from(text);
  const at = [...new Set([0, ...cuts.map((cut) => cut % bytes.length), bytes.length])].sort((a, b) => a - b);
  const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
  return { chunks, size: bytes.length };
}

function splice(text: string, json: string, isLast: boolean, cuts: readonly number[] = [], shown = false): string {
  const body = chunked(text, cuts);
  const plainEnd = findPlainEnd(body, []);
  if (plainEnd === null) throw new Error('not plain');
  const { chunks, size } = spliceData(body, plainEnd, { json, isLast }, shown ? usage : null);
  const whole = Buffer.concat(chunks as Buffer[]);
  expect(whole.length).toBe(size);
  return whole.toString();
}

it('puts members behind or before those of the answer', () => {
  expect(splice('{"data":{"a":1}}', '{"b":{"c":2}}', true)).toBe('{"data":{"a":1,"b":{"c":2}}}');
  expect(splice('{"data":{"a":1}}', '{"b":2}', false)).toBe('{"data":{"b":2,"a":1}}');
});

it('adds usage behind the data', () => {
  expect(JSON.parse(splice('{"data":{"a":1}}', '{"b":2}', true, [], true))).toEqual({
    data: { a: 1, b: 2 },
    extensions: { usage },
  });
});

it('does not mind how a ledger prints and a network cuts', () => {
  const data = fc.dictionary(
    fc.string().map((key) => `_${key}`),
    fc.jsonValue(),
    { minKeys: 1, maxKeys: 4 },
  );
  const own = fc.dictionary(
    fc.string().map((key) => `$${key}`),
    fc.jsonValue(),
    { minKeys: 1, maxKeys: 3 },
  );
  const spaces = fc.constantFrom('', ' ', '\n  ', '\r\n\t');
  fc.assert(
    fc.property(
      data,
      own,
      fc.boolean(),
      fc.array(fc.nat()),
      spaces,
      fc.boolean(),
      (theirs, ours, isLast, cuts, space, shown) => {
        const text = `{"data":${JSON.stringify(theirs, null, space ? 1 : 0).replace(/^\{\s*/, '{')}${space}}${space}`;
        const { data: joined, extensions } = JSON.parse(splice(text, JSON.stringify(ours), isLast, cuts, shown));
        expect(joined).toEqual(JSON.parse(JSON.stringify(isLast ? { ...theirs, ...ours } : { ...ours, ...theirs })));
        const keys = isLast ? [theirs, ours] : [ours, theirs];
        expect(Object.keys(joined)).toEqual(keys.flatMap((each) => Object.keys(each)));
        expect(extensions).toEqual(shown ? { usage } : undefined);
      },
    ),
    { numRuns: 500, seed: 3 },
  );
});
