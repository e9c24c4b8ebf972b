import { describe, expect, it } from 'vitest';
import { createReadJoinKey, joins } from '../../../../src/graph/joins/joins.ts';
import { ExactNumber } from '../../../../src/json/exact-json.ts';

const joinOf = (type: string, field: string) => {
  const found = joins.find((join) => join.type === type && join.field === field);
  if (!found) throw new Error('no such join');
  return found;
};
const coin = createReadJoinKey(joinOf('ReservedGasCoin', 'object'));
const whole = (digits: string) => `0x${digits.padStart(64, '0')}`;

describe('the key of a join', () => {
  it.each([
    [7, '7'],
    ['18446744073709551615', '18446744073709551615'],
    [new ExactNumber('18446744073709551615'), '18446744073709551615'],
    ['1.5', undefined],
    [null, undefined],
  ])('has a version of any size: %s', (version, digits) => {
    const selected = { __joinId_object: whole('2'), __joinVersion_object: version };
    expect(coin(selected)).toEqual({ id: whole('2'), version: digits });
    expect(coin({ objectId: whole('2'), version })).toEqual({ id: whole('2'), version: digits });
  });

  it('has addresses with all their bytes, and digests as they are', () => {
    expect(coin({ objectId: '0xAb', version: 1 }).id).toBe(whole('ab'));
    const sender = createReadJoinKey(joinOf('RpcEvent', 'senderAddress'));
    expect(sender({ __joinId_senderAddress: '0x2' }).id).toBe(whole('2'));
    const transaction = createReadJoinKey(joinOf('RpcEvent', 'transactionBlock'));
    expect(transaction({ txDigest: '0x2' }).id).toBe('0x2');
  });
});
