import { parseValue } from 'graphql';
import { describe, expect, it } from 'vitest';
import { sharedScalars } from '../../../src/graph/scalars.ts';

const cases: [scalar: string, accepted: unknown[], refused: unknown[]][] = [
  ['UInt53', [0, 1, 2 ** 53 - 1, 2 ** 63], [-1, 1.5, '5', null, true, 2 ** 64, Number.NaN]],
  ['BigInt', ['0', '-1', '007', '9'.repeat(40)], [1, '1.5', '', '0x1', null]],
  ['Base64', ['', 'AA=='], [1, null, {}]],
  ['DateTime', ['2026-01-01T00:00:00Z'], [0, null]],
  ['JSON', [null, 1, 'a', { a: [1] }], []],
];

/** Does it throw, and say so? */
function refuses(parse: () => unknown, message: string): boolean {
  try {
    parse();
    return false;
  } catch (error) {
    return error instanceof Error && error.message.startsWith(message);
  }
}

describe.each(cases)('%s', (name, accepted, refused) => {
  const scalar = sharedScalars[name]!;

  it('takes and gives back unchanged what the ledger takes', () => {
    for (const value of accepted) expect(scalar.parseValue(value)).toEqual(value);
  });

  it('refuses anything else and says what it expects', () => {
    const unrefused = refused.filter((value) => !refuses(() => scalar.parseValue(value), `${name} expects `));
    expect(unrefused).toEqual([]);
  });

  it('never changes a value on its way out, so that no upstream value becomes a null', () => {
    for (const value of [...accepted, ...refused]) expect(scalar.serialize(value)).toEqual(value);
  });
});

describe('literals', () => {
  it('have nothing in place of a variable without a value, whatever its name', () => {
    const literal = parseValue('{ a: $given, b: $constructor, c: [$__proto__] }');
    expect(sharedScalars.JSON?.parseLiteral(literal, { given: 1 })).toEqual({ a: 1, b: undefined, c: [undefined] });
  });

  it.each([
    ['UInt53', '5', 5],
    ['BigInt', '"5"', '5'],
    ['JSON', '{a: [1, "b", true, null]}', { a: [1, 'b', true, null] }],
  ])('%s takes %s', (name, text, value) => {
    expect(sharedScalars[name]?.parseLiteral(parseValue(text))).toEqual(value);
  });

  it.each([
    ['UInt53', '"5"'],
    ['UInt53', '5.0'],
    ['UInt53', 'true'],
    ['BigInt', '5'],
  ])('%s refuses %s', (name, text) => {
    expect(() => sharedScalars[name]?.parseLiteral(parseValue(text))).toThrow(`${name} expects `);
  });

  it('a refused number is named as it was written', () => {
    expect(() => sharedScalars.UInt53?.parseLiteral(parseValue('1e6'))).toThrow('got "1e6".');
  });
});
