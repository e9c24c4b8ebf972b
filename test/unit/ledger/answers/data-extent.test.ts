import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DataExtent } from '../../../../src/ledger/answers/data-extent.ts';
import { runs } from '../../../support/runs.ts';

function read(bytes: Buffer, cuts: readonly number[] = []): DataExtent {
  const extent = new DataExtent();
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((one, other) => one - other), bytes.length];
  for (const [index, end] of at.slice(1).entries()) extent.read(bytes.subarray(at[index], end));
  return extent;
}

const text = fc.constantFrom('a', '}', '{"', '"}', '\\', '\\"', '\\\\', 'é€', '\u0000', ']}', ',');
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.array(text, { maxLength: 4 }).map((parts) => parts.join('')),
    fc.constantFrom(null, 1, -0.5e-9, true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3 }),
  ),
}));
const answer = fc.record(
  { data: fc.dictionary(text, value, { maxKeys: 3 }), errors: value, extensions: value },
  { requiredKeys: ['data'] },
);
const spaces = fc.constantFrom('', ' ', '\n\t');

describe('an answer that is followed while it comes', () => {
  it('is whole at its end and nowhere before, and its data are where they are, however it is cut', () => {
    const isTold = (each: { data: unknown }, indent: number, space: string, cuts: readonly number[], at: number) => {
      const whole = Buffer.from(JSON.stringify(each, null, indent) + space);
      const extent = read(whole, cuts);
      expect(extent.isWhole).toBe(true);
      expect(extent.size).toBe(whole.length);
      const data = whole.subarray(0, (extent.dataEnd ?? 0) + 1).toString();
      // By its text: a JSON parser would have a say in what keys with escapes are read as.
      const alone = JSON.stringify({ data: each.data }, null, indent);
      expect([alone.slice(0, data.length), alone.slice(data.length).trim()]).toEqual([data, '}']);
      const cut = whole.subarray(0, at % (whole.length - space.length));
      expect(read(cut, cuts).isWhole).toBe(false);
      expect(read(Buffer.concat([whole, Buffer.from('x')]), cuts).isWhole).toBe(false);
      expect(read(Buffer.concat([whole, Buffer.from('}')]), cuts).isWhole).toBe(false);
    };
    const places = fc.array(fc.nat(), { maxLength: 8 });
    fc.assert(fc.property(answer, fc.constantFrom(0, 1), spaces, places, fc.nat(), isTold), { numRuns: runs(600) });
  });

  it('may be as deep as anything that is read at once, and no deeper', () => {
    const nested = (levels: number) => Buffer.from(`{"data":${'{"a":'.repeat(levels)}1${'}'.repeat(levels + 1)}`);
    expect([read(nested(2_000)).isWhole, read(nested(2_001)).isWhole]).toEqual([true, false]);
  });
});
