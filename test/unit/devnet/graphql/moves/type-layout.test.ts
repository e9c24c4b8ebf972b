import { describe, expect, test } from 'vitest';
import type { StructDefinition } from '../../../../../src/devnet/graphql/moves/struct-definitions.ts';
import { toAbilities, toTypeLayout } from '../../../../../src/devnet/graphql/moves/type-layout.ts';

const at = (digit: string) => `0x${digit.padStart(64, '0')}`;
const known: Record<string, StructDefinition> = {
  [`${at('7')}::a::Box`]: {
    abilities: ['COPY', 'DROP', 'KEY', 'STORE'],
    fields: [{ name: 'content', type: 'T0' }],
    isPhantom: false,
  },
  [`${at('7')}::a::Vague`]: { abilities: ['DROP'], fields: null, isPhantom: false },
};
const find = (name: string) => known[name];
const coin = `${at('2')}::coin::Coin<${at('2')}::ledger::LEDGER>`;

describe('abilities', () => {
  test.each([
    ['u64', ['COPY', 'DROP', 'STORE']],
    ['signer', ['DROP']],
    ['vector<u8>', ['COPY', 'DROP', 'STORE']],
    [coin, ['KEY', 'STORE']],
    [`vector<${coin}>`, ['STORE']],
    [`${at('1')}::option::Option<${coin}>`, ['STORE']],
    [`${at('7')}::a::Box<u8>`, ['COPY', 'DROP', 'KEY', 'STORE']],
    [`${at('7')}::a::Box<${coin}>`, ['KEY', 'STORE']],
    [`${at('7')}::a::Box<${at('2')}::ledger::LEDGER>`, ['DROP']],
  ])('of %s', (type, abilities) => {
    expect(toAbilities(type, find)).toEqual(abilities);
  });
});

describe('the layout', () => {
  test('of a coin goes down to primitives', () => {
    const struct = (type: string, ...fields: [string, unknown][]) => ({
      struct: { type, fields: fields.map(([name, layout]) => ({ name, layout })) },
    });
    const two = at('2');
    expect(toTypeLayout(coin, find, 8)).toEqual(
      struct(
        coin,
        ['id', struct(`${two}::object::UID`, ['id', struct(`${two}::object::ID`, ['bytes', 'address'])])],
        ['balance', struct(`${two}::balance::Balance<${two}::ledger::LEDGER>`, ['value', 'u64'])],
      ),
    );
    expect(toTypeLayout('vector<vector<u8>>', find, 3)).toEqual({ vector: { vector: 'u8' } });
  });

  test('fails if it is deeper than values may be, or unknown', () => {
    expect(() => toTypeLayout('vector<vector<u8>>', find, 2)).toThrow('exceeded maximum depth');
    expect(() => toTypeLayout(`${at('7')}::a::Vague`, find, 8)).toThrow('Layout not known');
    expect(() => toTypeLayout(`${at('7')}::a::None`, find, 8)).toThrow('Type not found');
    expect(() => toAbilities(`vector<${at('7')}::a::None>`, find)).toThrow('Type not found');
  });
});
