import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from '../../../src/json/exact-json.ts';
import { parseInPieces } from '../../../src/json/parse-in-pieces.ts';

function parse(text: string, pieceLength: number) {
  const steps = parseInPieces(text, pieceLength);
  for (let pieces = 1; ; pieces += 1) {
    const step = steps.next();
    if (step.done) return { ...step.value, pieces };
  }
}

function outcomeOf(parseText: () => unknown): unknown {
  try {
    return { value: parseText() };
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return 'not JSON';
  }
}

const key = fc.oneof(fc.constantFrom('a', 'b', '', '1', '0', '__proto__', 'a"\\', 'k,['), fc.string());
const value = fc.letrec((tie) => ({
  any: fc.oneof({ depthSize: 'small' }, fc.jsonValue({ maxDepth: 0 }), tie('list'), tie('object')),
  list: fc.array(tie('any'), { maxLength: 6 }),
  // Keys may repeat, as in texts of others.
  object: fc.array(fc.tuple(key, tie('any')), { maxLength: 6 }).map((members) => ({ members })),
})).any;
const number = fc.constantFrom('18446744073709551615', '1.10', '-0', '1e400');

function toText(given: unknown, numbers: Iterator<string>): string {
  if (Array.isArray(given)) return `[${given.map((each) => toText(each, numbers)).join(' ,')}]`;
  if (typeof given === 'object' && given !== null && 'members' in given) {
    const members = given.members as [string, unknown][];
    return `{${members.map(([name, each]) => `${JSON.stringify(name)}: ${toText(each, numbers)}`).join(',\n')} }`;
  }
  return typeof given === 'number' ? (numbers.next().value ?? '0') : JSON.stringify(given);
}
const text = fc.tuple(value, fc.array(number)).map(([given, numbers]) => toText(given, numbers.values()));

it('gives what the whole text gives, whatever the length of a piece', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 40 }), (json, pieceLength) => {
      const whole = parseJson(json);
      const { value } = parse(json, pieceLength);
      expect(value).toEqual(whole);
      expect(JSON.stringify(value)).toBe(JSON.stringify(whole));
    }),
    { numRuns: 1_000 },
  );
});

it('rejects exactly the texts that are not JSON', () => {
  const change = fc.tuple(
    fc.nat(),
    fc.nat({ max: 2 }),
    fc.constantFrom('', ',', ']', '}', '[', '{', '"', ':', '1', ' '),
  );
  fc.assert(
    fc.property(
      text,
      fc.array(change, { minLength: 1, maxLength: 2 }),
      fc.nat({ max: 20 }),
      (json, changes, length) => {
        let changed = json;
        for (const [at, removed, added] of changes) {
          const from = at % (changed.length + 1);
          changed = changed.slice(0, from) + added + changed.slice(from + removed);
        }
        expect(outcomeOf(() => parse(changed, length).value)).toEqual(outcomeOf(() => parseJson(changed)));
      },
    ),
    { numRuns: 3_000 },
  );
});

it('reads a long list and long objects in it piece by piece, and tells how deep they are', () => {
  const json = JSON.stringify({
    data: { a: [{ b: Array(1_000).fill('x'.repeat(50)) }, 1], c: { d: Array(500).fill([7]) } },
  });
  const parsed = parse(json, 1_000);
  expect(parsed.value).toEqual(JSON.parse(json));
  expect(parsed.pieces).toBeGreaterThan(50);
  expect(parsed.depth).toBe(5);
});

it('repeats no bracket of a text without a bottom', () => {
  const json = `${'[1,'.repeat(2_000)}1${']'.repeat(2_000)}`;
  expect(parse(json, 10)).toMatchObject({ value: parseJson(json), depth: 2_000 });
  expect(parse(json, 10).pieces).toBeLessThan(70);
});
