import { buildSchema, GraphQLError, Kind, type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { awaitIndexer, checkWaitMs, createCheckWaits } from '../../../../src/graph/joins/join-waits.ts';
import { createCancellation } from '../../../../src/upstream/cancellation.ts';
import { until } from '../../../support/until.ts';

const nothing = { value: null, errors: [] };

describe('waiting for the indexer', () => {
  it('takes a slow first look off the time there is', async () => {
    let looks = 0;
    const slow = new Promise<typeof nothing>((resolve) => {
      const startedMs = performance.now();
      const look = () => (performance.now() - startedMs > 60 ? resolve(nothing) : setImmediate(look));
      look();
    });
    const again = async () => {
      looks += 1;
      return nothing;
    };
    expect(await awaitIndexer(slow, again, 40, createCancellation())).toBe(nothing);
    expect(looks).toBe(0);
  });

  it('looks again while there is time, and no longer than there is something', async () => {
    const found = { value: { digest: 'A' }, errors: [] };
    let looks = 0;
    const again = async () => {
      looks += 1;
      return looks < 2 ? nothing : found;
    };
    expect(await awaitIndexer(nothing, again, 10_000, createCancellation())).toBe(found);
    expect(looks).toBe(2);
    expect(await awaitIndexer(found, again, 10_000, createCancellation())).toBe(found);
    expect(looks).toBe(2);
  });

  it('ends with an error of the ledger, and with a failed call', async () => {
    const again = () => Promise.reject(new Error('not needed'));
    for (const answer of [{ value: null, errors: [new GraphQLError('no')] }, new Error('gone')])
      expect(await awaitIndexer(answer, again, 10_000, createCancellation())).toBe(answer);
  });

  it('ends with its operation', async () => {
    const cancellation = createCancellation();
    let looks = 0;
    const again = async () => {
      looks += 1;
      return nothing;
    };
    const waiting = awaitIndexer(nothing, again, 10_000, cancellation);
    await Promise.resolve();
    cancellation.cancel('aborted');
    await expect(waiting).rejects.toMatchObject({ extensions: { code: 'REQUEST_TIMEOUT', upstream: 'ledger' } });
    expect(looks).toBe(0);
  });

  it('makes the last pause shorter, rather than wait longer than it may', async () => {
    const isInTime = async () => {
      let isLate = false;
      // Pauses of 50, 100, 200 and 400 ms take 750; the next one would end at 1550.
      const late = setTimeout(() => {
        isLate = true;
      }, 1_540);
      expect(await awaitIndexer(nothing, async () => nothing, 1_000, createCancellation())).toBe(nothing);
      clearTimeout(late);
      return !isLate;
    };
    // A busy machine may be late once.
    await until(isInTime, 'a wait of 1 s that ends in time');
  });

  it('may be for 0 to 10000 milliseconds', () => {
    for (const wait of [0, 10_000]) expect(checkWaitMs(wait)).toBe(wait);
    for (const wait of [-1, 10_001]) expect(() => checkWaitMs(wait)).toThrow(/from 0 to 10000/);
  });
});

it('rejects a waitMs out of range only where the field is executed', () => {
  const schema = buildSchema(`
    type Query { executeTx: ExecuteTxResult }
    type ExecuteTxResult { transactionBlock(waitMs: Int): Boolean }
  `);
  const { definitions } = parse('query ($no: Boolean!) { executeTx { transactionBlock(waitMs: -1) @skip(if: $no) } }');
  const operation = definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION) as OperationDefinitionNode;
  const checkWaits = createCheckWaits(schema, { operation, fragments: new Map() });
  expect(checkWaits?.({ no: false })).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(checkWaits?.({ no: true })).toEqual([]);
});
