import fc from 'fast-check';
import { parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { networkProfiles } from '../../../src/config/network-profile.ts';
import { gatewayError } from '../../../src/errors/gateway-error.ts';
import { lightError } from '../../../src/errors/light-error.ts';
import type { LedgerRequest } from '../../../src/ledger/ledger-executor.ts';
import { createTransactionSimulator, toSimulationQuery } from '../../../src/ledger/simulate-transaction.ts';
import { createCancellation } from '../../../src/upstream/cancellation.ts';
import { ledgerSchemas } from '../../support/ledger-schemas.ts';
import { runs } from '../../support/runs.ts';

describe('the question for a simulation', () => {
  it.each(ledgerSchemas)('is valid on $name, and asks who pays what', ({ schema, profile }) => {
    const text = toSimulationQuery(schema, networkProfiles[profile].simulation) ?? '';
    expect(validate(schema, parse(text))).toEqual([]);
    for (const word of ['sender', 'gasSponsor', 'gasBudget', 'gasPayment', 'balanceChanges', 'storageRebate'])
      expect(text).toContain(word);
  });

  it('cannot be asked of a ledger without the field', () => {
    const { simulation } = networkProfiles.iota;
    for (const { schema, profile } of ledgerSchemas)
      expect(toSimulationQuery(schema, simulation) === null).toBe(profile === 'sui');
  });
});

const [sender, sponsor, other] = ['a', '5', 'b'].map((digit) => `0x${digit.repeat(64)}`) as [string, string, string];
const coin = { address: other, version: 7, digest: 'C01n' };
const gasSummary = { computationCost: '1000', storageCost: '300', storageRebate: '200' };
const costs = { computation: 1_000n, storage: 300n, rebate: 200n };
const page = (...nodes: unknown[]) => ({ pageInfo: { hasNextPage: false }, nodes });
const gasInput = {
  gasSponsor: { address: sponsor },
  gasPrice: '1000',
  gasBudget: '5000000',
  gasPayment: page(coin),
};
const account = {
  sender,
  gasOwner: sponsor,
  gasPrice: 1_000n,
  gasBudget: 5_000_000n,
  gasUsed: 1_100n,
  gasPayment: [{ objectId: other, version: 7, digest: 'C01n' }],
  changes: [{ address: sponsor, coinType: '0x2::sui::SUI', amount: -1_100n }],
};

/** What the networks answer for one simulation. */
const answers = {
  sui: (changes: { effects?: object; transaction?: object } = {}) => ({
    effects: {
      status: 'SUCCESS',
      executionError: null,
      gasEffects: { gasSummary },
      balanceChangesJson: [{ address: sponsor, coinType: '0x2::sui::SUI', amount: '-1100' }],
      transaction: { digest: 'TX', sender: { address: sender }, gasInput, ...changes.transaction },
      ...changes.effects,
    },
  }),
  iota: (changes: { effects?: object; transaction?: object; error?: string } = {}) => ({
    error: changes.error ?? null,
    transaction: {
      sender: { address: sender },
      gasInput,
      effects: {
        status: 'SUCCESS',
        errors: null,
        gasEffects: { gasSummary },
        balanceChanges: page({ owner: { address: sponsor }, coinType: { repr: '0x2::sui::SUI' }, amount: '-1100' }),
        ...changes.effects,
      },
      ...changes.transaction,
    },
  }),
};

function simulate(profile: 'iota' | 'sui', answer: unknown) {
  const requests: LedgerRequest[] = [];
  const simulator = createTransactionSimulator({
    execute: async (request) => {
      requests.push(request);
      if (answer instanceof Error) throw answer;
      return answer as never;
    },
    names: networkProfiles[profile].simulation,
    schema: () => ledgerSchemas.find((each) => each.profile === profile)?.schema ?? null,
  });
  return { requests, result: simulator('dHg=', 'TX', createCancellation()) };
}
const ofValue = (profile: 'iota' | 'sui', simulated: unknown) => simulate(profile, { data: { simulated } }).result;
const ofError = (code: string, path?: string[]) =>
  simulate('sui', { data: null, errors: [lightError('No.', { path, extensions: { code } })] }).result;

describe('a simulation', () => {
  it.each([
    ['iota', 'String!', 'dHg='],
    ['sui', 'JSON!', { bcs: { value: 'dHg=' } }],
  ] as const)('sends the transaction as a variable, in the form of %s', async (profile, type, tx) => {
    const { requests, result } = simulate(profile, { data: { simulated: answers[profile]() } });
    expect(await result).toMatchObject({ kind: 'succeeds' });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      document: expect.stringContaining(`$tx:${type}`),
      variables: { tx },
    });
  });

  it.each(['iota', 'sui'] as const)('tells who pays what: %s', async (profile) => {
    expect(await ofValue(profile, answers[profile]())).toEqual({ kind: 'succeeds', reason: '', costs, account });
  });

  it('tells the reason of a failure', async () => {
    const executionError = { message: 'abort 7' };
    expect(await ofValue('sui', answers.sui({ effects: { status: 'FAILURE', executionError } }))).toEqual({
      kind: 'fails',
      reason: 'abort 7',
      costs,
      account,
    });
    const failed = answers.iota({ error: 'in full', effects: { status: 'FAILURE', errors: 'abort 7' } });
    expect(await ofValue('iota', failed)).toMatchObject({ kind: 'fails', reason: 'abort 7' });
    const known = answers.iota({ error: 'in full' });
    expect(await ofValue('iota', known)).toMatchObject({ kind: 'fails', reason: 'in full' });
  });

  it('is rejected if the ledger would not run it', async () => {
    expect(await ofValue('iota', { error: 'no such coin', transaction: null })).toEqual({
      kind: 'rejected',
      reason: 'no such coin',
    });
    for (const code of ['LEDGER_ERROR', 'BAD_USER_INPUT'])
      expect(await ofError(code, ['simulated'])).toEqual({ kind: 'rejected', reason: 'No.' });
  });

  it('is unavailable if the ledger is, or does not answer it', async () => {
    const away = gatewayError('UPSTREAM_UNAVAILABLE', 'The ledger is away.');
    expect(await simulate('sui', away).result).toEqual({ kind: 'unavailable', reason: 'The ledger is away.' });
    expect(await ofError('INTERNAL_SERVER_ERROR', ['simulated'])).toMatchObject({ kind: 'unavailable' });
    expect(await ofError('BAD_USER_INPUT')).toMatchObject({ kind: 'unavailable' });
    for (const value of [null, {}, { effects: null }, answers.sui({ effects: { status: 'PENDING' } }), 7])
      expect(await ofValue('sui', value)).toMatchObject({ kind: 'unavailable' });
  });

  it.each([
    ['another transaction', { transaction: { digest: 'TX2' } }],
    ['no sender', { transaction: { sender: null } }],
    ['no gas', { transaction: { gasInput: null } }],
    ['no budget', { transaction: { gasInput: { ...gasInput, gasBudget: null } } }],
    ['a budget of another form', { transaction: { gasInput: { ...gasInput, gasBudget: '1e9' } } }],
    [
      'more coins than a page',
      { transaction: { gasInput: { ...gasInput, gasPayment: { ...page(coin), pageInfo: { hasNextPage: true } } } } },
    ],
    [
      'coins without digests',
      { transaction: { gasInput: { ...gasInput, gasPayment: page({ ...coin, digest: null }) } } },
    ],
    [
      'coins without versions',
      { transaction: { gasInput: { ...gasInput, gasPayment: page({ ...coin, version: null }) } } },
    ],
    ['no costs', { effects: { gasEffects: null } }],
    ['no changes', { effects: { balanceChangesJson: null } }],
    ['a change of nobody', { effects: { balanceChangesJson: [{ coinType: '0x2::sui::SUI', amount: '-1' }] } }],
    ['a change of another form', { effects: { balanceChangesJson: ['-1'] } }],
  ])('tells nothing of who pays with %s', async (_what, changes) => {
    expect(await ofValue('sui', answers.sui(changes))).toMatchObject({ kind: 'succeeds', account: null });
  });

  it('is a simulation, whatever the ledger answers', async () => {
    const keys = ['effects', 'transaction', 'status', 'error', 'gasInput', 'nodes', 'pageInfo', 'balanceChangesJson'];
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 6 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.constantFrom('SUCCESS', 'FAILURE', 'TX', '-1100', ''),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys), tie('any'), { maxKeys: 5 }),
      ),
    })).any;
    await fc.assert(
      fc.asyncProperty(value, async (answer) => {
        for (const profile of ['iota', 'sui'] as const) {
          const { kind, reason } = await ofValue(profile, answer);
          expect(['succeeds', 'fails', 'rejected', 'unavailable']).toContain(kind);
          expect(reason.length).toBeLessThan(600);
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it('has a short reason, however long that of the ledger', async () => {
    const { reason } = await ofValue('iota', { error: 'x'.repeat(100_000), transaction: null });
    expect(reason.length).toBeLessThan(600);
  });
});
