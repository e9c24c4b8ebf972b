import { describe, expect, it } from 'vitest';
import { checkTransactionPayload } from '../../../../src/subschemas/sponsor/check-transaction-payload.ts';

describe('checkTransactionPayload', () => {
  it('lets both texts together be as long as the limit', () => {
    expect(checkTransactionPayload('A'.repeat(60), 'B'.repeat(40), 100)).toBeUndefined();
  });

  it.each([
    ['txBytes', 'A'.repeat(61), 'B'.repeat(40)],
    ['userSig', 'A'.repeat(1), 'B'.repeat(100)],
  ])('names %s when it is the longer of two that exceed it, and shows neither', (argument, txBytes, userSig) => {
    expect(() => checkTransactionPayload(txBytes, userSig, 100)).toThrow(
      expect.objectContaining({
        message: `Argument "${argument}" is too large: txBytes and userSig together are 101 bytes (txBytes ${txBytes.length}, userSig ${userSig.length}) and may be at most 100.`,
        extensions: { code: 'BAD_USER_INPUT', argument },
      }),
    );
  });
});
