import { describe, expect, test } from 'vitest';
import { prepareDocument } from '../../../../src/devnet/graphql/documents/prepared-document.ts';
import { executeRequest } from '../../../../src/devnet/graphql/execute-request.ts';
import { defaultGraphqlLimits } from '../../../../src/devnet/graphql/graphql-limits.ts';
import { toResponseText } from '../../../../src/devnet/graphql/http/to-response-text.ts';
import { createLedgerSchema } from '../../../../src/devnet/graphql/ledger-schema.ts';
import { createLedger } from '../../../../src/devnet/state/ledger.ts';
import type { Ledger } from '../../../../src/devnet/state/ledger-state.ts';

const schema = createLedgerSchema();
const limits = { ...defaultGraphqlLimits, requestTimeoutMs: 1_500, mutationTimeoutMs: 40 };
const rules = { schema, limits, features: new Set(['COINS'] as const), payloadRule: 'query' } as const;
const quiet = createLedger({ clock: () => 1_800_000_000_000, genesis: { checkpoints: 2, sponsorCoins: 1 } });

/** Runs one request while a clock jumps by so much each time it is read. */
async function run(query: string, { jumpMs = 0, ledger = quiet }: { jumpMs?: number; ledger?: Ledger } = {}) {
  let nowMs = 0;
  const outcome = await executeRequest(
    prepareDocument(query, rules),
    { query, variables: {}, operationName: null, bodyBytes: query.length },
    schema,
    {
      ...rules,
      ledger,
      viewedAt: ledger.latestCheckpoint().sequenceNumber,
      signer: () => {
        throw new Error('this test signs nothing');
      },
      findStruct: () => undefined,
      now: () => {
        nowMs += jumpMs;
        return nowMs;
      },
    },
  );
  return JSON.parse(toResponseText(outcome));
}

describe('a request', () => {
  test('that times out gets one error without a code', async () => {
    const usage = { inputNodes: 1, outputNodes: 1, depth: 1, variables: 0, fragments: 0, queryPayload: 19 };
    expect(await run('{ chainIdentifier }', { jumpMs: 1_500 })).toEqual({
      data: { chainIdentifier: quiet.chainIdentifier },
      extensions: { usage },
    });
    expect(await run('{ chainIdentifier }', { jumpMs: 1_501 })).toEqual({
      data: null,
      extensions: { usage },
      errors: [{ message: 'Query request timed out. Limit: 1.5s' }],
    });
    const mutation = await run('mutation { executeTransactionBlock(txBytes: "AAAA", signatures: []) { errors } }', {
      jumpMs: 41,
    });
    expect(mutation.errors).toEqual([{ message: 'Mutation request timed out. Limit: 40ms' }]);
  });

  test('that meets an internal fault gets an error with a path and without a stack', async () => {
    const broken: Ledger = {
      ...quiet,
      coinMetadata: () => {
        throw new TypeError('the shelf is empty');
      },
    };
    const answer = await run('{ chainIdentifier coinMetadata(coinType: "0x2::a::A") { symbol } }', { ledger: broken });
    expect(answer.data).toEqual({ chainIdentifier: quiet.chainIdentifier, coinMetadata: null });
    expect(answer.errors).toEqual([
      {
        message: 'Internal error occurred while processing request: the shelf is empty',
        locations: [{ line: 1, column: 19 }],
        path: ['coinMetadata'],
        extensions: { code: 'INTERNAL_SERVER_ERROR' },
      },
    ]);
  });

  test('reads one checkpoint in all its fields', async () => {
    const moving = createLedger({ clock: () => 1_800_000_000_000, genesis: { checkpoints: 2, sponsorCoins: 1 } });
    const seen: number[] = [];
    const ledger: Ledger = {
      ...moving,
      get chainIdentifier() {
        seen.push(moving.closeCheckpoint().sequenceNumber);
        return moving.chainIdentifier;
      },
    };
    const answer = await run(
      '{ before: checkpoint { sequenceNumber } chainIdentifier after: checkpoint { sequenceNumber } checkpoints(last: 1) { nodes { sequenceNumber } } availableRange { last { sequenceNumber } } }',
      { ledger },
    );
    expect(seen).toEqual([2]);
    expect(answer.data).toMatchObject({
      before: { sequenceNumber: 1 },
      after: { sequenceNumber: 1 },
      checkpoints: { nodes: [{ sequenceNumber: 1 }] },
      availableRange: { last: { sequenceNumber: 1 } },
    });
  });
});
