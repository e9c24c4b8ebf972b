import { expect, test } from 'vitest';
import { toTransactionFilterWire } from '../../../src/events/filter-wire.ts';
import type { TransactionQueryFilter } from '../../../src/generated/own.ts';

/** An address with all its bytes. */
const whole = (digits: string) => `0x${digits.padStart(64, '0')}`;

test.each<[TransactionQueryFilter | null, unknown]>([
  [null, null],
  [{ checkpoint: '12' }, { Checkpoint: '12' }],
  [{ moveFunction: { package: '0x2' } }, { MoveFunction: { package: whole('2') } }],
  [
    { moveFunction: { package: '0x2', module: 'coin', function: null } },
    { MoveFunction: { package: whole('2'), module: 'coin' } },
  ],
  [
    { moveFunction: { package: '0x2', module: 'coin', function: 'mint' } },
    { MoveFunction: { package: whole('2'), module: 'coin', function: 'mint' } },
  ],
  [{ inputObject: '0x1' }, { InputObject: whole('1') }],
  [{ changedObject: '0x1' }, { ChangedObject: whole('1') }],
  [{ fromAddress: '0x1' }, { FromAddress: whole('1') }],
  [{ toAddress: '0x1' }, { ToAddress: whole('1') }],
  [{ fromAndToAddress: { from: '0x1', to: '0x2' } }, { FromAndToAddress: { from: whole('1'), to: whole('2') } }],
  [{ fromOrToAddress: '0x1' }, { FromOrToAddress: { addr: whole('1') } }],
  [{ transactionKind: 'ProgrammableTransaction' }, { TransactionKind: 'ProgrammableTransaction' }],
  [{ transactionKindIn: ['Genesis'] }, { TransactionKindIn: ['Genesis'] }],
])('%j goes out as %j', (filter, wire) => {
  expect(toTransactionFilterWire(filter).wire).toEqual(wire);
});

test.each<[string, TransactionQueryFilter]>([
  ['filter.checkpoint', { checkpoint: '-1' }],
  ['filter.checkpoint', { checkpoint: '007' }],
  ['filter.checkpoint', { checkpoint: '18446744073709551616' }],
  ['filter.moveFunction.package', { moveFunction: { package: 'x' } }],
  ['filter.moveFunction.module', { moveFunction: { package: '0x2', function: 'mint' } }],
  ['filter.moveFunction.function', { moveFunction: { package: '0x2', module: 'coin', function: 'a b' } }],
  ['filter.fromAndToAddress.to', { fromAndToAddress: { from: '0x1', to: '' } }],
  ['filter.fromOrToAddress', { fromOrToAddress: 'me' }],
  ['filter.transactionKind', { transactionKind: '"' }],
  ['filter.transactionKindIn', { transactionKindIn: [] }],
  ['filter.transactionKindIn', { transactionKindIn: Array(33).fill('Genesis') }],
])('%s is named when its value breaks the rule: %j', (argument, filter) => {
  expect(() => toTransactionFilterWire(filter)).toThrow(
    expect.objectContaining({
      extensions: { code: 'BAD_USER_INPUT', retry: 'never', argument },
      message: expect.stringContaining(`'${argument}`),
    }),
  );
});

test('the order and number of kinds do not change which filter it is', () => {
  const identity = (...transactionKindIn: string[]) => toTransactionFilterWire({ transactionKindIn }).identity;
  expect(identity('A', 'B')).toBe(identity('B', 'A', 'B'));
  expect(identity('A')).not.toBe(identity('B'));
});
