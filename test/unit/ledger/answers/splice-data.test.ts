import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPlainEnd, spliceData, spliceUsage } from '../../../../src/ledger/answers/plain-answer.ts';
import { runs } from '../../../support/runs.ts';

const usage = { inputNodes: 1, outputNodes: 2, depth: 3, variables: 4, fragments: 5, queryPayload: 6 };

const toBody = (text: string, sizes: readonly number[] = []) => {
  const bytes = Buffer.from(text);
  const chunks: Buffer[] = [];
  let from = 0;
  for (const size of sizes) {
    if (from + size >= bytes.length) break;
    chunks.push(bytes.subarray(from, from + size));
    from += size;
  }
  chunks.push(bytes.subarray(from));
  return { chunks, size: bytes.length };
};

const textOf = ({ chunks, size }: { chunks: readonly Buffer[]; size: number }) => {
  const whole = Buffer.concat(chunks);
  expect(whole.length).toBe(size);
  return whole.toString();
};

/** What reading, adding and writing makes of an answer. */
const merged = (text: string) => {
  const { extensions, ...answer } = JSON.parse(text);
  return { ...answer, extensions: { ...extensions, usage } };
};

describe('usage in an answer', () => {
  it('is added behind the data, wherever the pieces of the body end', () => {
    const text = '{"data":{"a":[{"b":"€"}]}}';
    const bytes = Buffer.byteLength(text);
    for (let first = 1; first < bytes; first++) {
      const body = toBody(text, [first, 1, 2]);
      const end = findPlainEnd(body);
      expect(end).toBe(bytes - 1);
      expect(textOf(spliceUsage(body, bytes - 1, usage))).toBe(
        `{"data":{"a":[{"b":"€"}]},"extensions":{"usage":${JSON.stringify(usage)}}}`,
      );
    }
  });

  it('is what reading and writing the answer would have made of it', () => {
    const key = fc.constantFrom('a', 'b', 'data', 'errors', 'extensions', 'é"\\', '}}', ']}', '"extensions":{');
    const { value } = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue({ maxDepth: 1 }),
        tie('object'),
        fc.array(tie('value'), { maxLength: 3 }),
      ),
      object: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    }));
    const data = fc.dictionary(key, value, { maxKeys: 4 });
    const errors = fc.array(fc.record({ message: fc.string(), extensions: data }, { requiredKeys: ['message'] }), {
      maxLength: 2,
    });
    const answer = fc
      .record(
        { data: fc.option(data, { freq: 8 }), errors, extensions: data, more: value },
        { requiredKeys: ['data'], noNullPrototype: true },
      )
      .chain((each) => fc.shuffledSubarray(Object.entries(each), { minLength: Object.keys(each).length }))
      .map((entries) => Object.fromEntries(entries));
    // Chance alone makes few answers that have data and nothing else, and end as such do.
    const dataAlone = data.map((each) => ({ data: { ...each, last: { a: 1 } } }));
    let [plain, others] = [0, 0];
    fc.assert(
      fc.property(
        fc.oneof(answer, dataAlone),
        fc.constantFrom(undefined, 1, '\t'),
        fc.constantFrom('', ' ', '\n', '\r\n'),
        fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 6 }),
        (each, indent, space, sizes) => {
          const text = JSON.stringify(each, null, indent) + space;
          const body = toBody(text, sizes);
          const end = findPlainEnd(body);
          if (end === null) {
            others += 1;
            return;
          }
          plain += 1;
          expect(JSON.parse(text)).not.toHaveProperty('errors');
          expect(JSON.parse(text)).not.toHaveProperty('extensions');
          expect(JSON.parse(textOf(spliceUsage(body, end, usage)))).toEqual(merged(text));
        },
      ),
      { numRuns: runs(300) },
    );
    expect(plain).toBeGreaterThan(0);
    expect(others).toBeGreaterThan(0);
  });

  it('finds the end of a large answer whose last pieces are small', () => {
    const text = `{"data":{"a":"${'x'.repeat(100_000)}","b":{"c":[]}}}`;
    const body = toBody(text, [16_384, 16_384, 65_000, 1, 1, 1, 2_000]);
    const end = findPlainEnd(body);
    expect(end).toBe(text.length - 1);
    expect(JSON.parse(textOf(spliceUsage(body, end ?? 0, usage)))).toEqual(merged(text));
  });
});

/** Cuts a text at such places, as a network might. */
function chunked(text: string, cuts: readonly number[] = []) {
  const bytes = Buffer.from(text);
  const at = [...new Set([0, ...cuts.map((cut) => cut % bytes.length), bytes.length])].sort((a, b) => a - b);
  const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
  return { chunks, size: bytes.length };
}

function splice(text: string, json: string, isLast: boolean, cuts: readonly number[] = [], shown = false): string {
  const body = chunked(text, cuts);
  const plainEnd = findPlainEnd(body);
  if (plainEnd === null) throw new Error('not plain');
  const { chunks, size } = spliceData(
    body,
    plainEnd,
    { members: [Buffer.from(json.slice(1, -1))], isLast },
    shown ? usage : null,
  );
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
