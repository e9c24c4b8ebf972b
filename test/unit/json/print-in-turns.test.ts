import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson, printJson } from '../../../src/json/exact-json.ts';
import { printInTurns } from '../../../src/json/print-in-turns.ts';

const now = <Result>(work: () => Result) => work();

async function print(value: unknown): Promise<{ readonly text: string; readonly pieces: number }> {
  const printed = await printInTurns(value, now);
  if (typeof printed === 'string') return { text: printed, pieces: 0 };
  expect(printed.size).toBe(printed.chunks.reduce((sum, { length }) => sum + length, 0));
  return { text: Buffer.concat(printed.chunks).toString(), pieces: printed.chunks.length };
}

it('prints a short value as a text, now', () => {
  expect(printInTurns({ data: { a: 1, b: undefined } }, () => expect.unreachable())).toBe('{"data":{"a":1}}');
});

it('prints long values as printJson does, in pieces', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), fc.integer({ min: 1, max: 40 }), async (small, count) => {
      const long = { text: 'é"'.repeat(20_000), small, none: undefined, ['__proto__']: small };
      const value = {
        7: small,
        data: {
          list: Array(count).fill([small, undefined, long]),
          members: Object.fromEntries([...Array(count).fill(long).entries()]),
        },
        errors: [],
      };
      const { text } = await print(value);
      expect(text).toBe(printJson(value));
    }),
    { numRuns: 30 },
  );
});

it('keeps exact numbers, and divides a wide list and an object with a member named toJSON', async () => {
  const numbers = parseJson(`[${Array(200_000).fill('18446744073709551615').join()}]`);
  const value = { toJSON: 'text', wide: numbers, flat: Array(500_000).fill(1) };
  const { text, pieces } = await print(value);
  expect(text).toBe(printJson(value));
  expect(pieces).toBeGreaterThan(15);
});

it('takes a turn for each piece', async () => {
  let turns = 0;
  const takeTurn = async <Result>(work: () => Result) => {
    turns += 1;
    return work();
  };
  await printInTurns(Array(100).fill('x'.repeat(100_000)), takeTurn);
  expect(turns).toBeGreaterThan(30);
});
