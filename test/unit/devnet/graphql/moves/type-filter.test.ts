import { describe, expect, test } from 'vitest';
import { defaultGraphqlLimits } from '../../../../../src/devnet/graphql/graphql-limits.ts';
import {
  parseExactType,
  parseFunctionFilter,
  parseModuleFilter,
  parseTypeFilter,
} from '../../../../../src/devnet/graphql/moves/type-filter.ts';

const two = `0x${'2'.padStart(64, '0')}`;
const coin = `${two}::coin::Coin<${two}::ledger::LEDGER>`;

describe('a type filter', () => {
  test.each([
    ['0x2', coin, true],
    ['0x3', coin, false],
    ['0x2::coin', coin, true],
    ['0x2::coi', coin, false],
    ['0x2::coin::Coin', coin, true],
    ['0x2::coin::Coi', coin, false],
    ['0x2::coin::Coin<0x2::ledger::LEDGER>', coin, true],
    ['0x2::coin::Coin< 0x2::ledger::LEDGER >', coin, true],
    ['0x2::coin::Coin<0x3::ledger::LEDGER>', coin, false],
    ['u64', 'u64', true],
    ['u64', coin, false],
    ['vector<u8>', 'vector<u8>', true],
  ])('%s on %s: %s', (filter, type, fits) => {
    expect(parseTypeFilter(filter, defaultGraphqlLimits)(type)).toBe(fits);
  });

  test.each([
    '',
    '0x2::',
    '2',
    '0x2::coin::Coin<',
    '0x2::coin::Coin::more',
    '0xg',
    `0x${'0'.repeat(65)}`,
    '0x2::co-in',
    'u7',
  ])('rejects %j', (text) => {
    expect(() => parseTypeFilter(text, defaultGraphqlLimits)).toThrow(
      'Failed to parse "String": Invalid filter, expected: package[::module[::type[<type_params>]]] or primitive type',
    );
  });
});

describe('an exact type', () => {
  test('is normalized', () => {
    expect(parseExactType('0x2::coin::Coin<0x2::ledger::LEDGER>', defaultGraphqlLimits)).toBe(coin);
  });

  test.each(['0x2', '0x2::coin', 'Coin', ''])('rejects %j', (text) => {
    expect(() => parseExactType(text, defaultGraphqlLimits)).toThrow('Invalid filter, expected: package::module::type');
  });
});

describe('a module filter', () => {
  test('accepts a package, or a package and a module', () => {
    expect(parseModuleFilter('0x2')(two, 'coin')).toBe(true);
    expect(parseModuleFilter('0x2::coin')(two, 'coin')).toBe(true);
    expect(parseModuleFilter('0x2::coin')(two, 'clock')).toBe(false);
    expect(parseModuleFilter('0x3')(two, 'coin')).toBe(false);
  });

  test.each(['', 'coin', '0x2::coin::Coin', '0x2::'])('rejects %j', (text) => {
    expect(() => parseModuleFilter(text)).toThrow('Invalid filter, expected: package[::module]');
  });
});

describe('a function filter', () => {
  test('accepts up to three parts', () => {
    const call = { package: two, module: 'coin', function: 'join' };
    for (const text of ['0x2', '0x2::coin', '0x2::coin::join']) expect(parseFunctionFilter(text)(call)).toBe(true);
    for (const text of ['0x3', '0x2::clock', '0x2::coin::split']) expect(parseFunctionFilter(text)(call)).toBe(false);
  });

  test.each(['', 'join', '0x2::coin::join::more', '0x2::coin::'])('rejects %j', (text) => {
    expect(() => parseFunctionFilter(text)).toThrow('Invalid filter, expected: package[::module[::function]]');
  });
});
