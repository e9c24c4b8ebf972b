import { describe, expect, test } from 'vitest';
import type { SimulatedAccount, Simulation } from '../../../../src/ledger/simulate-transaction.ts';
import { type PreflightSubject, preflight } from '../../../../src/sponsor/preflight.ts';
import { outlineTransaction } from '../../../../src/transactions/outline-transaction.ts';
import { toTestPolicy } from '../../../support/test-policy.ts';
import { coins, type SampleChanges, sampleTransaction, sponsor, terms, user } from './sample-transaction.ts';

const ed25519 = new Uint8Array(97);
const stranger = `0x${'b'.padStart(64, '0')}`;
const wrong = sampleTransaction({ gas: { owner: stranger } });
const calling = sampleTransaction({}, (tx) => tx.call('0x2::coin::join', []));
const unreadable = Uint8Array.of(1);
const digest = 'D1gest';
const reservationId = 'l-1';

interface LookChanges extends Partial<PreflightSubject> {
  readonly moveCalls?: readonly string[];
  readonly isGasCounted?: boolean;
  readonly txBytes?: Uint8Array;
  readonly unreadable?: 'refuse' | 'dry-run';
  readonly dryRun?: 'off' | 'failing' | 'strict';
}

function look(policy: 'enforce' | 'warn' | 'off', changes: LookChanges = {}) {
  const doubts: string[] = [];
  const { txBytes = sampleTransaction(), unreadable = 'refuse', dryRun = 'off' } = changes;
  const { moveCalls = null, isGasCounted = false } = changes;
  const error = preflight(
    { preflight: policy, unreadable, dryRun },
    {
      transaction: outlineTransaction(txBytes, 'extended'),
      simulation: null,
      userSig: ed25519,
      terms,
      policy: toTestPolicy({ moveCalls, gas: { perDay: isGasCounted ? 1 : null } }),
      nowMs: 0,
      facts: { digest, reservationId },
      doubt: (reason) => doubts.push(reason),
      ...changes,
    },
  );
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

/** What the ledger says of the sample transaction. */
function simulated(changes: Partial<SimulatedAccount> = {}, kind: 'succeeds' | 'fails' = 'succeeds'): Simulation {
  const gas = { address: sponsor, coinType: `0x${'2'.padStart(64, '0')}::sui::SUI`, amount: -1_000n };
  const account = {
    sender: user,
    gasOwner: sponsor,
    gasPrice: 1_000n,
    gasBudget: 5_000_000n,
    gasPayment: coins,
    gasUsed: 1_000n,
    changes: [gas],
    ...changes,
  };
  return { kind, reason: kind === 'fails' ? 'abort 7' : '', costs: null, account };
}
const ofSponsor = (amount: bigint, coinType = '0x2::sui::SUI') => ({ address: sponsor, coinType, amount });
const dear = sampleTransaction({ gas: { budget: 5_000_001n } });
const rejected: Simulation = { kind: 'rejected', reason: 'no such coin.' };
const away: Simulation = { kind: 'unavailable', reason: 'the ledger is away' };

describe('SPONSOR_UNREADABLE=dry-run', () => {
  const prove = (policy: 'enforce' | 'warn' | 'off', simulation: Simulation, changes: LookChanges = {}) =>
    look(policy, { txBytes: unreadable, unreadable: 'dry-run', simulation, ...changes });

  test('passes what the simulation proves, with a gas budget too', () => {
    for (const policy of ['enforce', 'warn', 'off'] as const) {
      expect(prove(policy, simulated())).toMatchObject({ code: null, doubts: [] });
      expect(prove(policy, simulated(), { isGasCounted: true })).toMatchObject({ code: null, doubts: [] });
    }
  });

  test.each([
    ['gas and a payment to the sponsor', { changes: [ofSponsor(500n)] }],
    ['gas, while the sponsor gets another coin', { changes: [ofSponsor(-1_000n), ofSponsor(7n, '0x9::usdc::USDC')] }],
    ['a rebate larger than the gas', { gasUsed: -300n, changes: [ofSponsor(300n)] }],
    ['gas that its rebate equals', { gasUsed: 0n, changes: [{ ...ofSponsor(-9n), address: user }] }],
  ])('passes %s', (_what, changes) => {
    expect(prove('enforce', simulated(changes))).toMatchObject({ code: null });
  });

  test.each([
    ['more than gas', { changes: [ofSponsor(-1_001n)] }, 'the sponsor would pay 1001, of which 1000 is gas'],
    ['while it uses no gas', { gasUsed: 0n, changes: [ofSponsor(-1n)] }, 'the sponsor would pay 1, of which 0 is gas'],
    [
      'a rebate that it keeps',
      { gasUsed: -300n, changes: [ofSponsor(299n)] },
      'the sponsor would pay -299, of which -300',
    ],
    [
      'another coin, as much as the gas that it gives back',
      { changes: [ofSponsor(0n), ofSponsor(-1_000n, '0x9::usdc::USDC')] },
      'the sponsor would pay 1000 of 0x9::usdc::USDC',
    ],
  ])('rejects under every policy what takes of the sponsor %s', (_what, changes, told) => {
    for (const policy of ['enforce', 'warn', 'off'] as const) {
      const { code, message } = prove(policy, simulated(changes));
      expect([code, message]).toEqual(['BAD_USER_INPUT', expect.stringContaining(told)]);
    }
  });

  test('applies the checks of the reservation to what was simulated', () => {
    expect(
      prove('enforce', simulated({ gasOwner: stranger, changes: [{ ...ofSponsor(-1_000n), address: stranger }] }))
        .message,
    ).toContain('the gas owner is');
    expect(prove('enforce', simulated({ gasPayment: coins.slice(1) })).message).toContain('the gas payment is');
    expect(prove('off', simulated({ gasBudget: 5_000_001n }), { isGasCounted: true }).message).toContain(
      'gas budget is 5000001',
    );
    expect(prove('off', simulated({ gasPayment: [] })).message).toContain('the gas payment is empty');
    expect(prove('off', simulated({ sender: sponsor })).message).toContain('are both');
  });

  test.each([
    ['fails', simulated({}, 'fails')],
    ['is rejected', rejected],
    ['is unavailable', away],
    ['tells nothing of who pays', { kind: 'succeeds', reason: '', costs: null, account: null } as const],
    ['tells no balance changes, as on IOTA', simulated({ changes: [] })],
    ['tells no changes of a rebate that equals the gas', simulated({ changes: [], gasUsed: 0n })],
    ['tells two changes of the gas coin', simulated({ changes: [ofSponsor(-500n), ofSponsor(-500n)] })],
    ['tells only changes of others', simulated({ changes: [{ ...ofSponsor(-1_000n), address: user }] })],
  ])('decides as for unparsed transactions if the simulation %s', (_what, simulation) => {
    for (const changes of [{ isGasCounted: true }, {}]) {
      expect(prove('enforce', simulation, changes)).toMatchObject({
        code: 'BAD_USER_INPUT',
        message: expect.stringContaining('simulation'),
      });
      const { code, doubts } = prove('warn', simulation, changes);
      expect([code, doubts.length]).toEqual('isGasCounted' in changes ? ['BAD_USER_INPUT', 0] : [null, 1]);
    }
  });

  test('proves nothing for a caller with moveCalls, and nothing without the setting', () => {
    for (const policy of ['enforce', 'warn', 'off'] as const)
      expect(prove(policy, simulated(), { moveCalls: ['0x2'] })).toMatchObject({
        code: 'BAD_USER_INPUT',
        message: expect.stringContaining('does not tell its calls'),
      });
    expect(prove('enforce', simulated(), { unreadable: 'refuse' }).code).toBe('BAD_USER_INPUT');
  });
});

describe('SPONSOR_DRY_RUN', () => {
  test.each(['failing', 'strict'] as const)('%s rejects what would fail, with the ledger’s reason', (dryRun) => {
    for (const policy of ['enforce', 'warn', 'off'] as const) {
      expect(look(policy, { dryRun, simulation: simulated({}, 'fails') })).toMatchObject({
        code: 'BAD_USER_INPUT',
        message:
          'Argument "txBytes": the transaction would fail, as the ledger\'s simulation says: abort 7. Nothing was sent to the sponsor, and nothing is spent.',
        extensions: { upstream: 'ledger', argument: 'txBytes', digest, reservationId, retry: 'never' },
      });
      expect(look(policy, { dryRun, simulation: rejected }).message).toContain(
        'simulation says: no such coin. Nothing',
      );
      expect(look(policy, { dryRun, simulation: simulated() }).code).toBeNull();
    }
  });

  test('strict rejects what cannot be simulated, and failing passes it', () => {
    expect(look('off', { dryRun: 'failing', simulation: away }).code).toBeNull();
    expect(look('off', { dryRun: 'strict', simulation: away })).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      message: expect.stringContaining('could not simulate the transaction: the ledger is away. Nothing was sent'),
      extensions: { upstream: 'ledger', retry: 'backoff' },
    });
  });

  test('rejects nothing while it is off, although the transaction was simulated', () => {
    expect(look('enforce', { unreadable: 'dry-run', simulation: rejected }).code).toBeNull();
  });

  test('comes after the checks, and reports no doubt about what is not sent', () => {
    expect(look('enforce', { dryRun: 'failing', simulation: rejected, txBytes: wrong }).code).toBe('BAD_USER_INPUT');
    expect(look('warn', { dryRun: 'failing', simulation: rejected, txBytes: dear })).toMatchObject({
      code: 'BAD_USER_INPUT',
      doubts: [],
    });
  });
});
