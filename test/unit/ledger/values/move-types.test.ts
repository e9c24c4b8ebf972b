import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toCanonicalMoveType, toCanonicalStructType } from '../../../../src/ledger/values/move-types.ts';

const long = (digit: string) => `0x${digit.padStart(64, '0')}`;

test.each([
  ['u64', 'u64'],
  ['vector<u8>', 'vector<u8>'],
  ['0x2::coin::Coin', `${long('2')}::coin::Coin`],
  ['0x2::coin::Coin<0x2::ledger::LEDGER>', `${long('2')}::coin::Coin<${long('2')}::ledger::LEDGER>`],
  ['0x0A::a::B < u8 , vector< 0x1::c::D<bool> > >', `${long('a')}::a::B<u8,vector<${long('1')}::c::D<bool>>>`],
])('%s is written as %s', (text, canonical) => {
  expect(toCanonicalMoveType(text)).toBe(canonical);
});

test.each([
  '',
  '0x2',
  '0x2::coin',
  '0x2::coin::',
  '0x2::coin::Coin<>',
  '0x2::coin::Coin<u8',
  '0x2::coin::Coin<u8>>',
  'coin::Coin::X',
  '0x2::1a::B',
  'vector',
  'vector<u8,u8>',
  '0x2:coin::Coin',
  '0x2::a::B<u8,>',
  '0x2::a::B u8',
  'u8<u8>',
])('%s is no type', (text) => {
  expect(toCanonicalMoveType(text)).toBeNull();
});

test('depth and size are bounded', () => {
  const nested = (depth: number) => `${'vector<'.repeat(depth)}u8${'>'.repeat(depth)}`;
  expect(toCanonicalMoveType(nested(16))).not.toBeNull();
  expect(toCanonicalMoveType(nested(17))).toBeNull();
  expect(toCanonicalMoveType(nested(100_000))).toBeNull();
  expect(toCanonicalMoveType(`0x1::a::B<${Array(256).fill('u8').join(',')}>`)).toBeNull();
});

test('only structs are struct types', () => {
  expect(toCanonicalStructType('vector<0x2::a::B>')).toBeNull();
  expect(toCanonicalStructType('u8')).toBeNull();
  expect(toCanonicalStructType('0x2::a::B')).not.toBeNull();
});

const identifier = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_]{0,9}$/);
const { type } = fc.letrec<{ type: string }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('u8', 'u256', 'bool', 'address'),
    tie('type').map((element) => `vector<${element}>`),
    fc
      .tuple(
        fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
        identifier,
        identifier,
        fc.array(tie('type'), { maxLength: 3 }),
      )
      .map(([address, module, name, list]) => {
        const parameters = list.length > 0 ? `<${list.join(', ')}>` : '';
        return `0x${address.toString(16)}::${module}::${name}${parameters}`;
      }),
  ),
}));

test('every type has a canonical form, which is its own', () => {
  fc.assert(
    fc.property(type, (text) => {
      const canonical = toCanonicalMoveType(text);
      expect(canonical).not.toBeNull();
      expect(toCanonicalMoveType(canonical ?? '')).toBe(canonical);
    }),
  );
});
