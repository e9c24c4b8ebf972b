import { describe, expect, test } from 'vitest';
import { toMoveCall } from '../../../../src/config/value-types.ts';
import { checkTransaction } from '../../../../src/sponsor/preflight.ts';
import { outlineTransaction } from '../../../../src/transactions/outline-transaction.ts';
import type { CallArg } from '../../../../src/transactions/transaction-bcs.ts';
import { toTestPolicy } from '../../../support/test-policy.ts';
import { coins, type SampleChanges, sampleTransaction, sponsor, terms, user } from './sample-transaction.ts';

const [first, second] = coins as [(typeof coins)[0], (typeof coins)[0]];
const stranger = `0x${'b'.padStart(64, '0')}`;
const check = (bytes: Uint8Array, moveCalls: readonly string[] | null = null) =>
  checkTransaction(outlineTransaction(bytes, 'extended'), { terms, policy: toTestPolicy({ moveCalls }), nowMs: 0 });
const gas = (changes: SampleChanges['gas']) => check(sampleTransaction({ gas: changes ?? {} }));
const refused = (reason: string, code = 'BAD_USER_INPUT', of = code === 'FORBIDDEN' ? 'policy' : 'rest') => ({
  argument: 'txBytes',
  of,
  denial: code === 'FORBIDDEN' ? expect.objectContaining({ rule: 'moveCalls' }) : null,
  reason: expect.stringContaining(reason),
});

/** Refused under every policy. */
const taking = (reason: string) => refused(reason, 'BAD_USER_INPUT', 'sponsor');

describe('a transaction and its reservation', () => {
  test('match as reserved', () => {
    expect(check(sampleTransaction())).toBeNull();
  });

  test('match with the coins in another order, and with a smaller budget', () => {
    expect(gas({ payment: [second, first] })).toBeNull();
    expect(gas({ budget: 1n })).toBeNull();
  });

  test.each(['0x5', '0x05', '0X0000000000000005'.replace('X', 'x')])(
    'match if the sponsor spells its address %s',
    (text) => {
      const rules = { terms: { ...terms, sponsorAddress: text }, policy: null, nowMs: 0 };
      expect(checkTransaction(outlineTransaction(sampleTransaction(), 'extended'), rules)).toBeNull();
    },
  );

  test('match in upper case', () => {
    const owner = `0x${'ab'.repeat(32)}`;
    const rules = { terms: { ...terms, sponsorAddress: `0x${'AB'.repeat(32)}` }, policy: null, nowMs: 0 };
    expect(checkTransaction(outlineTransaction(sampleTransaction({ gas: { owner } }), 'extended'), rules)).toBeNull();
  });

  test('do not match with another gas owner, and both are named', () => {
    expect(gas({ owner: stranger })).toEqual(
      refused(`the gas owner is ${stranger}; it must be the sponsor of the reservation, ${sponsor}`),
    );
  });

  test.each([5_000_001n, 2n ** 64n - 1n])('do not match with a budget of %s', (budget) => {
    expect(gas({ budget })).toEqual(
      refused(`the gas budget is ${budget}; it may be at most 5000000`, 'BAD_USER_INPUT', 'gas'),
    );
  });

  test('do not match if the sponsor would have to sign for itself', () => {
    expect(check(sampleTransaction({ sender: sponsor }))).toEqual(taking('sender and gas owner are both'));
    // What an SDK builds when nobody told it of a sponsor.
    expect(gas({ owner: user })).toEqual(taking('sender and gas owner are both'));
    expect(check(sampleTransaction({ sender: sponsor, gas: { owner: stranger } }))).toEqual(
      taking(`the sender is the sponsor, ${sponsor}`),
    );
  });

  test.each([
    ['one of them', [first]],
    ['one of them twice', [first, first]],
    ['both, and one again', [first, second, first]],
    ['both, and another', [first, second, { ...second, objectId: stranger }]],
    ['another version', [first, { ...second, version: 9 }]],
    ['another digest', [first, { ...second, digest: first.digest }]],
    [
      'the versions exchanged',
      [
        { ...first, version: second.version },
        { ...second, version: first.version },
      ],
    ],
  ])('do not match if it pays with %s', (_coins, payment) => {
    expect(gas({ payment })).toEqual(refused('it must be exactly the gasCoins of the reservation'));
  });

  test('do not match if the balance of the gas owner pays', () => {
    expect(gas({ payment: [] })).toEqual(
      taking(`the gas payment is empty, so that the balance of ${sponsor} would pay`),
    );
  });

  test('name three of many wrong coins', () => {
    const payment = Array.from({ length: 256 }, () => first);
    const verdict = gas({ payment });
    expect(verdict).toEqual(refused('at version 7 and 253 more'));
  });

  test('do not match if it uses a gas coin for something else', () => {
    const gives = sampleTransaction({}, (tx) => tx.transfer([tx.gasCoin], user));
    const names = sampleTransaction({}, (tx) => tx.transfer([tx.owned(first)], user));
    const splits = sampleTransaction({}, (tx) => tx.transfer([tx.split(tx.gasCoin, tx.u64(1))], user));
    for (const bytes of [gives, names, splits]) expect(check(bytes)).toEqual(taking('gas coins may only pay gas'));
  });

  test.each([
    ['owned', { kind: 'owned', ref: second }],
    ['shared', { kind: 'shared', objectId: second.objectId, initialSharedVersion: 1, mutable: true }],
    ['shared, to be read', { kind: 'shared', objectId: second.objectId, initialSharedVersion: 9, mutable: false }],
    ['received', { kind: 'receiving', ref: { ...second, version: 3 } }],
  ] as const)('do not match if an input is a gas coin, named as %s, used or not', (_how, input) => {
    const other: CallArg = { kind: 'owned', ref: { ...second, objectId: stranger } };
    const kind = { kind: 'PROGRAMMABLE_TX', inputs: [other, input], commands: [] } as const;
    expect(check(sampleTransaction({ kind }))).toEqual(taking('gas coins may only pay gas'));
    expect(check(sampleTransaction({ kind: { ...kind, inputs: [other] } }))).toBeNull();
  });

  test('without a known reservation, only the other checks apply', () => {
    const rules = { terms: null, policy: null, nowMs: 0 };
    expect(
      checkTransaction(
        outlineTransaction(sampleTransaction({ gas: { owner: stranger, payment: [first], budget: 9n } }), 'extended'),
        rules,
      ),
    ).toBeNull();
    expect(checkTransaction(outlineTransaction(sampleTransaction({ sender: sponsor }), 'extended'), rules)).toEqual(
      taking('are both'),
    );
  });
});

describe('moveCalls', () => {
  const calling = (...targets: readonly string[]) =>
    sampleTransaction({}, (tx) => {
      for (const target of targets) tx.call(target, [], target.endsWith('join') ? ['0x2::iota::IOTA'] : []);
    });
  const allow = (...texts: readonly string[]) => texts.map((text) => toMoveCall(text)!);

  test.each([
    ['a function', '0x2::coin::join'],
    ['a function, whose package is written in full', `0x${'2'.padStart(64, '0')}::coin::join`],
    ['its module', '0x2::coin'],
    ['its package', '0x02'],
  ])('allow %s, with any type arguments', (_what, allowed) => {
    expect(check(calling('0x2::coin::join'), allow(allowed))).toBeNull();
  });

  test.each([
    ['another function of a module', '0x2::coin::split'],
    ['a function whose name only begins like one', '0x2::coin::join_all'],
    ['a function that differs in case', '0x2::coin::Join'],
    ['another package', '0x22::coin::join'],
  ])('do not allow %s', (_what, target) => {
    expect(check(calling(target), allow('0x2::coin::join'))).toEqual(refused(`it calls ${target};`, 'FORBIDDEN'));
  });

  test('apply to all commands, and name only what is not allowed and what is', () => {
    const verdict = check(
      calling('0x2::coin::join', '0x3::shop::buy', '0x4::a::b'),
      allow('0x2::coin', '0x3::shop::sell'),
    );
    expect(verdict).toEqual(
      refused('it calls 0x3::shop::buy, 0x4::a::b; this caller may only call 0x2::coin, 0x3::shop::sell', 'FORBIDDEN'),
    );
  });

  test('may be empty: transfers are no calls', () => {
    const transfer = sampleTransaction({}, (tx) => tx.transfer([tx.owned({ ...first, objectId: stranger })], user));
    expect(check(transfer, [])).toBeNull();
    expect(check(calling('0x2::coin::join'), [])).toEqual(refused('this caller may call nothing', 'FORBIDDEN'));
  });

  test.each([
    { kind: 'publish', modules: [Uint8Array.of(1)], dependencies: [] },
    { kind: 'upgrade', modules: [Uint8Array.of(1)], dependencies: [], package: stranger, ticket: { kind: 'gasCoin' } },
  ] as const)('allow no $kind, whose code no list can name', (command) => {
    const bytes = sampleTransaction({ kind: { kind: 'PROGRAMMABLE_TX', inputs: [], commands: [command] } });
    expect(check(bytes, allow('0x2', stranger))).toEqual(refused('it publishes or upgrades a package', 'FORBIDDEN'));
    expect(check(bytes)).not.toMatchObject({ of: 'calls' });
  });

  test('are checked before the reservation', () => {
    const bytes = sampleTransaction({ gas: { owner: stranger } }, (tx) => tx.call('0x9::a::b', []));
    expect(check(bytes, [])).toMatchObject({ denial: { rule: 'moveCalls' } });
  });

  test('give a short message, however many calls and entries there are', () => {
    const many = calling(
      ...Array.from({ length: 1000 }, (_, at) => `0x${(at + 16).toString(16)}::${'m'.repeat(60)}::f`),
    );
    const verdict = check(many, allow(...Array.from({ length: 1000 }, (_, at) => `0x${at + 7_000_000}::m::f`)));
    expect(verdict?.reason.length).toBeLessThan(2_000);
    expect(verdict).toEqual(refused('and 997 more; this caller may only call', 'FORBIDDEN'));
  });
});

describe('bytes that cannot be parsed', () => {
  test.each([
    ['a newer version', [1], 'unknown TransactionData version 2'],
    ['a kind that users do not send', [0, 2], 'unknown transaction kind 2'],
    ['a newer input', [0, 0, 1, 3], 'unknown input 3'],
    ['no transaction', [0, 0, 0], 'unexpected end of input'],
    ['nothing', [], 'unexpected end of input'],
  ])('are unverifiable: %s', (_what, bytes, reason) => {
    expect(check(Uint8Array.from(bytes))).toMatchObject({ of: 'all', reason: expect.stringContaining(reason) });
  });

  test('are unverifiable: an expiration of a newer form', () => {
    const bytes = sampleTransaction();
    bytes[bytes.length - 1] = 4;
    expect(check(bytes)).toMatchObject({ of: 'all', reason: expect.stringContaining('unknown expiration 4') });
  });

  test('are unverifiable: a transaction with trailing bytes', () => {
    const bytes = Buffer.concat([sampleTransaction(), Uint8Array.of(0)]);
    expect(check(bytes)).toMatchObject({ of: 'all', reason: expect.stringContaining('1 trailing byte') });
  });
});
