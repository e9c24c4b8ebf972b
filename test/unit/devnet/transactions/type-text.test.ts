import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTypeTag, toTypeText } from '../../../../src/devnet/transactions/type-text.ts';
import { parseBcs } from '../../../../src/transactions/ledger-bcs.ts';
import { typeTagBcs } from '../../../../src/transactions/transaction-bcs.ts';
import { typeTag } from '../../../support/arbitrary-transaction.ts';

const two = `0x${'2'.padStart(64, '0')}`;

describe('type tags', () => {
  test('are written with full addresses and a bare comma', () => {
    expect(toTypeText(parseTypeTag('0x2::pool::Pool<0x2::ledger::LEDGER, vector<u8>>'))).toBe(
      `${two}::pool::Pool<${two}::ledger::LEDGER,vector<u8>>`,
    );
  });

  test('survive text and bytes', () => {
    fc.assert(
      fc.property(typeTag, (tag) => {
        expect(parseTypeTag(toTypeText(tag))).toEqual(tag);
        expect(parseBcs(typeTagBcs, typeTagBcs.serialize(tag).toBytes())).toEqual(tag);
      }),
    );
  });

  test.each([
    '',
    'u9',
    'vector',
    'vector<u8',
    'vector<u8>>',
    'vector<u8,u8>',
    'u8<u8>',
    '0x2::coin',
    '0x2::coin::Coin<>',
    '0x2::coin::Coin<u8,>',
    '2::coin::Coin',
    '0xg::coin::Coin',
    '0x2::co-in::Coin',
    '0x2::coin::Coin::More',
    `0x${'1'.repeat(65)}::coin::Coin`,
  ])('reject %j', (text) => {
    expect(() => parseTypeTag(text)).toThrow('Not a Move type');
  });

  test('reject nesting deeper than the network allows, in text and in bytes', () => {
    expect(() => parseTypeTag(`${'vector<'.repeat(15)}u8${'>'.repeat(15)}`)).not.toThrow();
    expect(() => parseTypeTag(`${'vector<'.repeat(16)}u8${'>'.repeat(16)}`)).toThrow('Not a Move type');
    expect(() => parseBcs(typeTagBcs, new Uint8Array(40).fill(6))).toThrow('nested deeper than 16');
  });
});
