import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { networkProfiles } from '../../../src/config/network-profile.ts';
import { createTransactionFinder, toTransactionRead } from '../../../src/ledger/find-transaction.ts';
import type { LedgerRequest } from '../../../src/ledger/ledger-executor.ts';
import { ledgerSchemas } from '../../support/ledger-schemas.ts';

const names = networkProfiles.ledger.joins.transaction;

describe('the question for a transaction', () => {
  it.each(ledgerSchemas)('is valid on $name, and asks for status and gas', ({ schema }) => {
    const text = toTransactionRead(schema, names)?.('AsWWT89kJHbo64xjtscp9E5zExV9CuMgQf4jNbxiDZ9s') ?? '';
    expect(validate(schema, parse(text))).toEqual([]);
    expect(text).toMatch(/status gasEffects\{gasSummary\{computationCost storageCost storageRebate\}\}/);
  });

  it('does without the gas where the ledger does not tell it', () => {
    const schema = buildSchema(
      'type Query { transaction(digest: String!): T } type T { digest: String effects: E } type E { status: String }',
    );
    expect(toTransactionRead(schema, names)?.('TX')).toBe(
      'query{found:transaction(digest:"TX"){digest effects{status}}}',
    );
  });

  it.each([
    'type Query { other: Int }',
    'type Query { transactionBlock(id: String): T } type T { digest: String effects: E } type E { status: String }',
    'type Query { transactionBlock(digest: String): T } type T { digest: String }',
    'type Query { transactionBlock(digest: String): Int }',
  ])('cannot be asked of %s', (sdl) => {
    expect(toTransactionRead(buildSchema(sdl), names)).toBeNull();
  });
});

function setUp(answer: unknown, schema = ledgerSchemas[0]?.schema ?? null) {
  const requests: LedgerRequest[] = [];
  const finder = createTransactionFinder({
    execute: async (request) => {
      requests.push(request);
      return answer as { data: Record<string, unknown> };
    },
    names,
    schema: () => schema,
  });
  return { finder, requests };
}

const gasSummary = { computationCost: '1000', storageCost: '300', storageRebate: '200' };
const found = (effects: unknown, digest = 'TX') => ({ data: { found: { digest, effects } } });

describe('a look for a transaction', () => {
  it.each([
    ['is told', { status: 'SUCCESS', gasEffects: { gasSummary } }, { gasUsed: 1_100 }],
    ['failed', { status: 'FAILURE', gasEffects: { gasSummary } }, { gasUsed: 1_100 }],
    [
      'gave back more than it cost',
      { status: 'SUCCESS', gasEffects: { gasSummary: { ...gasSummary, storageRebate: 5_000 } } },
      { gasUsed: 0 },
    ],
    ['has no costs', { status: 'SUCCESS', gasEffects: null }, { gasUsed: null }],
    [
      'has costs of another form',
      { status: null, gasEffects: { gasSummary: { ...gasSummary, storageCost: '-1' } } },
      { gasUsed: null },
    ],
  ])('finds one that %s', async (_, effects, expected) => {
    expect(await setUp(found(effects)).finder.find('TX')).toEqual(expected);
  });

  it.each([
    ['nothing', { data: { found: null } }],
    ['one that has not been executed', found(null)],
  ])('finds none in %s', async (_, answer) => {
    expect(await setUp(answer).finder.find('TX')).toBeNull();
  });

  it.each([
    ['another transaction', found({ status: 'SUCCESS' }, 'OTHER')],
    ['an error', { data: { found: null }, errors: [new Error('timed out')] }],
  ])('cannot tell from %s', async (_, answer) => {
    await expect(setUp(answer).finder.find('TX')).rejects.toThrow();
  });

  it('asks nobody while there is no schema', async () => {
    const { finder, requests } = setUp(found(null), null);
    expect(finder.canFind()).toBe(false);
    await expect(finder.find('TX')).rejects.toThrow(/no field for transactions/);
    expect(requests).toEqual([]);
  });
});
