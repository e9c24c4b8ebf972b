import { describe, expect, test } from 'vitest';
import { preflight } from '../../../../src/sponsor/preflight.ts';
import { coins, type SampleChanges, sampleTransaction, sponsor, terms, user } from './sample-transaction.ts';

const ed25519 = new Uint8Array(97);
const stranger = `0x${'b'.padStart(64, '0')}`;
const wrong = sampleTransaction({ gas: { owner: stranger } });
const calling = sampleTransaction({}, (tx) => tx.call('0x2::coin::join', []));
const unreadable = Uint8Array.of(1);
const digest = 'D1gest';
const reservationId = 'l-1';

function look(policy: 'enforce' | 'warn' | 'off', changes: Partial<Parameters<typeof preflight>[1]> = {}) {
  const doubts: string[] = [];
  const error = preflight(policy, {
    txBytes: sampleTransaction(),
    userSig: ed25519,
    terms,
    moveCalls: null,
    isGasCounted: false,
    facts: { digest, reservationId },
    doubt: (reason) => doubts.push(reason),
    ...changes,
  });
  return {
    code: error?.extensions.code ?? null,
    message: error?.message ?? null,
    extensions: error?.extensions,
    doubts,
  };
}

describe('enforce', () => {
  test('passes a matching transaction', () => {
    expect(look('enforce')).toMatchObject({ code: null, doubts: [] });
  });

  test('rejects a mismatch, and says that the lease is unused', () => {
    expect(look('enforce', { txBytes: wrong })).toMatchObject({
      message: expect.stringMatching(
        /^Argument "txBytes": the gas owner is 0x0+b; it must be .*\. Nothing was sent to the sponsor, and nothing is spent\.$/,
      ),
      extensions: { code: 'BAD_USER_INPUT', argument: 'txBytes', digest, reservationId },
      doubts: [],
    });
  });

  test('rejects an unparseable transaction', () => {
    const { code, message } = look('enforce', { txBytes: unreadable });
    expect(code).toBe('BAD_USER_INPUT');
    expect(message).toContain('it cannot be verified, because it is no transaction of a form that this gateway knows');
  });

  test('rejects an unknown reservation', () => {
    expect(look('enforce', { terms: null })).toMatchObject({
      code: 'BAD_USER_INPUT',
      extensions: { argument: 'reservationId' },
    });
  });

  test('rejects a forbidden call as FORBIDDEN', () => {
    expect(look('enforce', { txBytes: calling, moveCalls: [] })).toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('warn', () => {
  test.each([
    ['what does not fit', { txBytes: wrong }, 'txBytes: the gas owner is'],
    ['what cannot be read', { txBytes: unreadable }, 'txBytes: it cannot be verified'],
    ['a signature that is none', { userSig: new Uint8Array(3) }, 'userSig: it is no signature'],
  ])('passes and reports %s', (_what, changes, told) => {
    expect(look('warn', changes)).toMatchObject({ code: null, doubts: [expect.stringContaining(told)] });
  });

  test('reports nothing about unknown reservations', () => {
    expect(look('warn', { terms: null })).toMatchObject({ code: null, doubts: [] });
  });
});

describe.each(['enforce', 'warn', 'off'] as const)(
  'what belongs to the sponsor, with SPONSOR_PREFLIGHT=%s',
  (policy) => {
    const gives = (changes: SampleChanges) => sampleTransaction(changes, (tx) => tx.transfer([tx.gasCoin], user));

    test.each([
      ['gives a gas coin away', gives({}), 'gas coins may only pay gas'],
      [
        'gives a gas coin of an unknown sponsor away',
        gives({ gas: { owner: stranger } }),
        'gas coins may only pay gas',
      ],
      ['is the sponsor’s own', gives({ sender: sponsor }), 'sender and gas owner are both'],
      ['has the sponsor’s balance pay', sampleTransaction({ gas: { payment: [] } }), 'the gas payment is empty'],
    ])('is not given to a transaction that %s', (_what, txBytes, told) => {
      for (const changes of [{}, { terms: null }, { moveCalls: [] }, { isGasCounted: true }]) {
        const { code, message, doubts } = look(policy, { txBytes, ...changes });
        expect([code, doubts]).toEqual(['BAD_USER_INPUT', []]);
        expect(message).toContain(told);
      }
    });
  },
);

describe('off', () => {
  test('checks nothing else', () => {
    for (const txBytes of [wrong, unreadable, calling]) {
      expect(look('off', { txBytes, userSig: new Uint8Array(1) })).toMatchObject({ code: null, doubts: [] });
    }
  });
});

describe.each(['warn', 'off'] as const)('moveCalls with SPONSOR_PREFLIGHT=%s', (policy) => {
  test('apply nevertheless', () => {
    expect(look(policy, { txBytes: calling, moveCalls: [] })).toMatchObject({ code: 'FORBIDDEN', doubts: [] });
  });

  test('reject a transaction whose calls cannot be read', () => {
    expect(look(policy, { txBytes: unreadable, moveCalls: [] })).toMatchObject({ code: 'BAD_USER_INPUT', doubts: [] });
  });

  test('do not enforce the other checks', () => {
    expect(look(policy, { txBytes: wrong, moveCalls: [] }).code).toBeNull();
    expect(look(policy, { txBytes: wrong, moveCalls: [] }).doubts).toHaveLength(policy === 'warn' ? 1 : 0);
  });
});

describe.each(['warn', 'off'] as const)('the gas budget of a caller, with SPONSOR_PREFLIGHT=%s', (policy) => {
  const dear = sampleTransaction({ gas: { budget: 5_000_001n } });

  test('rejects a transaction that may use more than was held', () => {
    for (const txBytes of [dear, sampleTransaction({ gas: { owner: stranger, budget: 5_000_001n } })]) {
      const { code, message, doubts } = look(policy, { txBytes, isGasCounted: true });
      expect(code).toBe('BAD_USER_INPUT');
      expect(message).toContain('the gas budget is 5000001; it may be at most 5000000');
      expect(doubts).toEqual([]);
    }
    expect(look(policy, { txBytes: dear, isGasCounted: false }).code).toBeNull();
    expect(look(policy, { txBytes: dear, moveCalls: [] }).code).toBeNull();
  });

  test('rejects a transaction whose gas cannot be read', () => {
    const { code, message, doubts } = look(policy, { txBytes: unreadable, isGasCounted: true });
    expect([code, doubts]).toEqual(['BAD_USER_INPUT', []]);
    expect(message).toContain('it cannot be verified');
  });

  test('does not enforce the other checks', () => {
    expect(
      look(policy, { txBytes: sampleTransaction({ gas: { payment: coins.slice(1) } }), isGasCounted: true }).code,
    ).toBeNull();
    expect(look(policy, { txBytes: wrong, isGasCounted: true }).doubts).toHaveLength(policy === 'warn' ? 1 : 0);
  });
});

describe('a signature', () => {
  const signature = (flag: number, bytes: number) =>
    Uint8Array.from({ length: bytes }, (_, at) => (at === 0 ? flag : 0));

  test.each([
    ['Ed25519', 0, 97],
    ['Secp256k1', 1, 98],
    ['Secp256r1', 2, 98],
    ['a multisig', 3, 240],
    ['zkLogin', 5, 1200],
    ['a passkey', 6, 300],
    ['a scheme that is new', 9, 40],
  ])('of %s passes', (_scheme, flag, bytes) => {
    expect(look('enforce', { userSig: signature(flag, bytes) }).code).toBeNull();
  });

  test.each([
    ['without its public key', 0, 64],
    ['too long', 0, 98],
    ['of another scheme’s length', 1, 97],
    ['of one byte', 2, 1],
  ])('%s is rejected before it spends its reservation', (_what, flag, bytes) => {
    expect(look('enforce', { userSig: signature(flag, bytes) })).toMatchObject({
      code: 'BAD_USER_INPUT',
      extensions: { argument: 'userSig' },
    });
  });
});
