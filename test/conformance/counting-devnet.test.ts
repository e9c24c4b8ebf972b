import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { buildSchema, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shippedLimits } from '../../src/documents/cost/limits.ts';
import { measureDocument } from '../../src/documents/cost/measure-document.ts';
import { priceDocument } from '../../src/documents/prepared-document.ts';
import { arbitraryDocument, arbitraryVariables } from '../support/arbitrary-documents.ts';
import { checkLimits } from '../support/check-limits.ts';
import { plausibleDocument } from '../support/plausible-documents.ts';
import { runs } from '../support/runs.ts';
import { type GraphqlDevnet, startGraphqlDevnet } from '../support/start-graphql-devnet.ts';

/** The simulated network's counter was written separately, from the same rules. Over HTTP both must agree on every document. */
describe('the gateway counts as the ledger itself does', () => {
  const schema = buildSchema(readFileSync(new URL('../../schema/ledger.graphql', import.meta.url), 'utf8'));
  let devnet: GraphqlDevnet;

  beforeAll(async () => {
    devnet = await startGraphqlDevnet();
  });
  afterAll(() => devnet?.[Symbol.asyncDispose]());

  async function compare(text: string, variables: Record<string, unknown>): Promise<'refused' | 'counted'> {
    const measured = measureDocument(parse(text), Buffer.byteLength(text));
    const refusal = checkLimits(measured, variables, shippedLimits);
    const answer = await devnet.query(text, variables, { 'x-ledger-rpc-show-usage': 'true' });
    // The gateway also limits the nesting of values and unused fragments, which no ledger checks.
    if (refusal?.error.message.startsWith('The recursion depth')) return 'refused';
    if (refusal) {
      expect(answer.errors?.map(({ message }) => message)).toEqual([refusal.error.message]);
      expect(answer.extensions?.usage).toBeUndefined();
      return 'refused';
    }
    const usage = measured.isExempt ? undefined : priceDocument(measured, variables, shippedLimits);
    expect(answer.extensions?.usage).toEqual(usage);
    return 'counted';
  }

  test('on plausible documents for its schema', async () => {
    const outcomes = new Set<string>();
    for (let seed = 0; seed < runs(60); seed += 1) {
      const { text, variables } = plausibleDocument(schema, seed);
      if (Buffer.byteLength(text) <= shippedLimits.maxQueryPayloadSize) outcomes.add(await compare(text, variables));
    }
    expect(outcomes).toEqual(new Set(['refused', 'counted']));
  });

  test('on arbitrary documents', async () => {
    const refused: string[] = [];
    await fc.assert(
      fc.asyncProperty(arbitraryDocument(), arbitraryVariables, async (text, variables) => {
        if (Buffer.byteLength(text) > shippedLimits.maxQueryPayloadSize) return;
        if ((await compare(text, variables)) === 'refused') refused.push(text);
      }),
      { numRuns: runs(60) },
    );
    expect(refused.length).toBeGreaterThan(0);
  });
});
