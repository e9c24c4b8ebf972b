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

describe('a transaction that can never run', () => {
  const coin = { objectId: `0x${'c'.repeat(64)}`, version: '9007199254740993' };
  const ran = { digest: 'TX', effects: { status: 'SUCCESS' } };

  it.each([
    ['has moved on, and it is not there', { found: null, coin: { version: '9007199254740994' } }, true],
    ['has moved on by it', { found: ran, coin: { version: '9007199254740994' } }, false],
    ['is where it was', { found: null, coin: { version: '9007199254740993' } }, false],
    ['is at an older version for a node that is behind', { found: null, coin: { version: '7' } }, false],
    ['is deleted or pruned', { found: null, coin: null }, false],
    ['has a version that is no number', { found: null, coin: { version: 'unknown' } }, false],
  ])('is known by its gas coin, which %s: %j is %s', async (_, data, isDead) => {
    const { finder, requests } = setUp({ data });
    expect(await finder.isDead('TX', coin)).toBe(isDead);
    expect(requests).toHaveLength(1);
  });

  it.each(ledgerSchemas)('is asked for in one valid query on $name', async ({ schema }) => {
    const { finder, requests } = setUp({ data: { found: null, coin: null } }, schema);
    await finder.isDead('AsWWT89kJHbo64xjtscp9E5zExV9CuMgQf4jNbxiDZ9s', coin);
    const [{ document } = { document: '' }] = requests as { document: string }[];
    expect(validate(schema, parse(document))).toEqual([]);
  });

  it('is not concluded from an error, nor from a ledger that tells no versions', async () => {
    const { finder } = setUp({ data: null, errors: [new Error('behind')] });
    await expect(finder.isDead('TX', coin)).rejects.toThrow('behind');
    const schema = buildSchema(
      'type Query { transaction(digest: String!): T } type T { digest: String effects: E } type E { status: String }',
    );
    const other = setUp({ data: { found: null } }, schema);
    expect(await other.finder.isDead('TX', coin)).toBe(false);
    expect(other.requests).toEqual([]);
  });
});
