import { expect, test } from 'vitest';
import type { CallerGate } from '../../../src/callers/caller-gate.ts';
import { networkProfiles } from '../../../src/config/network-profile.ts';
import { parseConfig } from '../../../src/config/parse-config.ts';
import { buildGeneration } from '../../../src/graph/generation.ts';
import { createAdmitOperation } from '../../../src/operation/admit-operation.ts';
import { readBodyRequest } from '../../../src/operation/parse-request.ts';
import { createPrepareOperation } from '../../../src/operation/prepare-operation.ts';
import type { PreparedOperation } from '../../../src/operation/prepared-operation.ts';
import { createLane, type LaneOutcome } from '../../../src/server/serve-graphql.ts';
import { createOwnSchema } from '../../support/own-schema.ts';
import { toTestCaller } from '../../support/test-caller.ts';
import { anyDocument, createTestServer, quietTurns } from '../../support/test-operation.ts';

/** The lane over a store that counts what it is asked to prepare; what is admitted is served with nothing. */
function openLane() {
  const generation = buildGeneration<PreparedOperation>(null, {
    prepareOn: createPrepareOperation,
    ownSchema: createOwnSchema(),
    execute: () => Promise.reject(new Error('nobody is asked')),
    names: networkProfiles.ledger.joins,
    config: parseConfig({ env: {}, readFile: () => '' }),
  });
  const prepared: string[] = [];
  const documents = {
    ...generation.documents,
    prepare: (text: string) => {
      prepared.push(text);
      return generation.documents.prepare(text);
    },
  };
  const never = () => Promise.reject(new Error('nobody is counted here'));
  const gate: CallerGate = { admit: never, charge: never };
  const keeper = { current: { ...generation, documents } };
  const admit = createAdmitOperation({
    ...anyDocument,
    gate,
    keeper,
    cost: 'request',
    turns: quietTurns(),
    longestMs: 10_000,
  });
  let runs = 0;
  const lane = createLane({
    admit,
    runner: {
      async runUnparsed(_admitted, _server, _canStream, done) {
        runs += 1;
        done({ kind: 'result', result: { data: {} } });
      },
    },
  });
  const ask = async (body: object): Promise<LaneOutcome | null> => {
    const request = readBodyRequest(Buffer.from(JSON.stringify(body)));
    if (!request) return null;
    let outcome: LaneOutcome | null = null;
    await lane.serve(request, toTestCaller(), createTestServer(), true, (each) => {
      expect(outcome).toBeNull();
      outcome = each;
    });
    return outcome;
  };
  return { ask, prepared, runs: () => runs };
}

test('a new text is prepared once and served', async () => {
  const { ask, prepared, runs } = openLane();
  expect(await ask({ query: '{ gateway { version } }' })).toEqual({ kind: 'result', result: { data: {} } });
  expect([prepared.length, runs()]).toEqual([1, 1]);
});

test.each([
  ['is empty', { query: '' }],
  ['cannot be parsed', { query: '{ gateway' }],
  ['is not valid', { query: '{ nothing }' }],
  ['is not valid, and too long to be kept', { query: `{ nothing } #${'x'.repeat(4_000)}` }],
  ['nests too deep', { query: `${'{ a '.repeat(40)}${'}'.repeat(40)}` }],
  ['has no such operation', { query: 'query A { gateway { version } }', operationName: 'B' }],
  ['asks for a subscription', { query: 'subscription { a }' }],
])('a text that %s is rejected, and prepared once', async (_, body) => {
  const { ask, prepared, runs } = openLane();
  expect(await ask(body)).toMatchObject({ kind: 'result', result: { errors: expect.any(Array) } });
  expect([prepared.length, runs()]).toEqual([1, 0]);
});

test.each([
  ['a list', [{ query: '{ gateway { version } }' }]],
  ['a member that nobody knows', { query: '{ gateway { version } }', more: 1 }],
  ['variables that are a list', { query: '{ gateway { version } }', variables: [] }],
])('%s is not prepared in the lane', async (_, body) => {
  const { ask, prepared } = openLane();
  expect(await ask(body)).toBeNull();
  expect(prepared).toEqual([]);
});
