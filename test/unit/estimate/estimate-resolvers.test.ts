import { execute, getIntrospectionQuery, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { networkProfiles } from '../../../src/config/network-profile.ts';
import { parseConfig } from '../../../src/config/parse-config.ts';
import { createOwnFieldCalls } from '../../../src/estimate/count-upstream-calls.ts';
import {
  createEstimateResolvers,
  maxEstimatedLetters,
  maxEstimates,
} from '../../../src/estimate/estimate-operation.ts';
import { buildGeneration } from '../../../src/graph/generation.ts';
import { createPrepareOperation } from '../../../src/operation/prepare-operation.ts';
import type { ServedGeneration } from '../../../src/operation/prepared-operation.ts';
import { upstreamList } from '../../../src/start/upstreams.ts';
import { createCancellation } from '../../../src/upstream/cancellation.ts';
import type { OperationContext } from '../../../src/upstream/operation-context.ts';
import { createOwnSchema } from '../../support/own-schema.ts';
import { toTestCaller } from '../../support/test-caller.ts';

const config = parseConfig({
  env: {},
  readFile: () => {
    throw new Error('no files here');
  },
});

/** Our own part of the graph, with a generation of that alone. */
function createGraph({ onUse = () => {} }: { readonly onUse?: () => void } = {}) {
  const stored: string[] = [];
  const read: string[] = [];
  const charged: number[] = [];
  const turns = { onPiece: (_key: string, piece: () => void) => piece() };
  let generation: ServedGeneration | undefined;
  const ownSchema = createOwnSchema(
    createEstimateResolvers({
      current: () => {
        onUse();
        return generation;
      },
      ownFieldCalls: createOwnFieldCalls(upstreamList.ownFields, config),
      cost: 'request',
      turns: {
        run: (key, _client, work) =>
          new Promise((resolve, reject) =>
            turns.onPiece(key, () => {
              try {
                resolve(work());
              } catch (error) {
                reject(error);
              }
            }),
          ),
      },
    }),
  );
  const built = buildGeneration(null, {
    prepareOn: createPrepareOperation,
    ownSchema,
    execute: () => Promise.reject(new Error('nobody is asked')),
    names: networkProfiles.ledger.joins,
    config,
  });
  generation = {
    ...built,
    documents: {
      ...built.documents,
      prepare: (text) => {
        stored.push(text);
        return built.documents.prepare(text);
      },
      read: (text) => {
        read.push(text);
        return built.documents.read(text);
      },
    },
  };
  return {
    stored,
    read,
    charged,
    turns,
    ask: async (source: string, variableValues: Record<string, unknown> = {}, cancellation = createCancellation()) => {
      const charge = async (points: number) => {
        charged.push(points);
        return null;
      };
      const contextValue: OperationContext = { requestId: 'r', cancellation, caller: toTestCaller(), charge };
      return execute({ schema: ownSchema, document: parse(source), variableValues, contextValue });
    },
  };
}

const query = `query ($query: String!, $variables: JSON) { estimate(query: $query, variables: $variables) {
  usage { inputNodes outputNodes depth variables fragments queryPayload } limits { name used exceeded } refused reasons
} }`;
// biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not programmed against
const estimateOf = (result: any) => result.data.estimate;
const repeated = (count: number) =>
  `{ ${Array.from({ length: count }, (_, index) => `e${index}: estimate(query: "{ __typename }") { plan }`).join(' ')} }`;

describe('estimates', () => {
  test('keep nothing of the estimated documents', async () => {
    const { ask, stored } = createGraph();
    expect(estimateOf(await ask(query, { query: '{ gateway { version } }' })).refused).toBe(false);
    expect(stored).toEqual([]);
  });

  test('wait for a turn of their caller', async () => {
    let uses = 0;
    const { ask, turns } = createGraph({
      onUse: () => {
        uses += 1;
      },
    });
    const usesAtOnce: number[] = [];
    turns.onPiece = (key, piece) => {
      const before = uses;
      piece();
      usesAtOnce.push(uses - before);
      expect(key).toBe(toTestCaller().rate.key);
    };
    await Promise.all([ask(repeated(maxEstimates)), ask(repeated(maxEstimates))]);
    expect(usesAtOnce).toEqual(Array(2 * maxEstimates).fill(1));
  });

  test('of introspection count the size of its response, even if operations are free', async () => {
    const { ask, charged } = createGraph();
    await ask(query, { query: '{ gateway { version } }' });
    expect(charged).toEqual([]);
    const estimate = estimateOf(
      await ask(`{ estimate(query: ${JSON.stringify(getIntrospectionQuery())}) { ratePoints } }`),
    );
    expect(estimate.ratePoints).toBeGreaterThan(2);
    expect(charged).toEqual([estimate.ratePoints - 1]);
  });

  test('are not computed for an operation that requests too many', async () => {
    let uses = 0;
    const { ask } = createGraph({
      onUse: () => {
        uses += 1;
      },
    });
    const { data, errors } = await ask(repeated(maxEstimates + 1));
    expect(data).toBeNull();
    expect(errors?.[0]?.message).toBe('An operation may select at most 10 estimates.');
    await ask('{ estimate(query: "{ __typename }") { plan } }');
    expect(uses).toBe(1);
  });

  test('parse a document once, even if it is estimated several times', async () => {
    const { ask, read } = createGraph();
    const twice =
      'query ($a: String!, $b: String!) { x: estimate(query: $a) { plan } y: estimate(query: $b) { plan } z: estimate(query: $a, variables: {n: 1}) { usage { variables } } }';
    const { data } = await ask(twice, { a: '{ __typename }', b: '{ gateway { version } }' });
    expect(data).toEqual({ x: { plan: 'LOCAL' }, y: { plan: 'LOCAL' }, z: { usage: { variables: 1 } } });
    expect(read).toEqual(['{ __typename }', '{ gateway { version } }']);
  });

  test('share a limit of characters, and parse nothing beyond it', async () => {
    const { ask, read } = createGraph();
    const askFor = (texts: readonly string[]) =>
      ask(
        `query (${texts.map((_, index) => `$q${index}: String!`).join(' ')}) { ${texts.map((_, index) => `e${index}: estimate(query: $q${index}) { refused }`).join(' ')} }`,
        Object.fromEntries(texts.map((text, index) => [`q${index}`, text])),
      );
    const ofLength = (length: number, mark: string) => `{ __typename } #${mark}`.padEnd(length, 'x');
    const message = 'An operation may ask for estimates of 20000 letters together.';
    const four = ['a', 'b', 'c', 'd'].map((mark) => ofLength(maxEstimatedLetters / 4, mark));
    expect((await askFor(four)).errors).toBeUndefined();
    expect((await askFor([...four, ...four])).errors).toBeUndefined();
    read.length = 0;
    expect((await askFor([...four, '{a}'])).errors?.[0]?.message).toBe(message);
    // Long transactions count no more than the query they are in.
    expect((await askFor(four.map((text) => `${text}${'y'.repeat(9_000)}`))).errors).toBeUndefined();
    const schema = ['a', 'b', 'c', 'd', 'e'].map((mark) => `{ __schema { ${mark}: description } }`);
    read.length = 0;
    expect((await askFor(schema)).errors?.[0]?.message).toBe(message);
    expect(read).toEqual([]);
  });

  test('are not computed for a caller that has left', async () => {
    const { ask } = createGraph();
    const hungUp = createCancellation();
    hungUp.cancel('aborted');
    const { errors } = await ask(query, { query: '{ __typename }' }, hungUp);
    expect(errors?.[0]?.extensions).toEqual({ code: 'REQUEST_TIMEOUT', retry: 'backoff' });
  });

  test('continue after one that failed', async () => {
    const { ask } = createGraph();
    const [bad, good] = await Promise.all([
      ask(query, { query: '{ __typename }', variables: 'x' }),
      ask(query, { query: '{ __typename }' }),
    ]);
    expect(bad.errors?.[0]?.message).toBe('variables must be a JSON object; got a string.');
    expect(estimateOf(good).refused).toBe(false);
  });

  test('limit counts to the largest Int', async () => {
    const levels = Array.from(
      { length: 29 },
      (_, index) => `fragment F${index} on Query { ${`...F${index + 1} `.repeat(5)} }`,
    );
    const text = `{ ...F0 } ${levels.join(' ')} fragment F29 on Query { __typename }`;
    const { ask } = createGraph();
    const { usage, limits } = estimateOf(await ask(query, { query: text }));
    expect(usage).toMatchObject({
      inputNodes: 2_147_483_647,
      outputNodes: Number.MAX_SAFE_INTEGER,
      depth: 31,
      fragments: 30,
    });
    expect(limits[1]).toEqual({ name: 'maxQueryNodes', used: Number.MAX_SAFE_INTEGER, exceeded: true });
  });

  test('of a text that cannot be parsed contain only its length', async () => {
    const { ask } = createGraph();
    const told = estimateOf(await ask(query, { query: `{${'x'.repeat(6_000)}`, variables: { a: 1 } }));
    expect(told.reasons).toEqual(['Syntax Error: Expected Name, found <EOF>.']);
    expect(told.usage).toEqual({
      inputNodes: 0,
      outputNodes: 0,
      depth: 0,
      variables: 1,
      fragments: 0,
      queryPayload: 6_001,
    });
    // What part of it would have been a transaction nobody can tell.
    expect(told.limits[3]).toEqual({ name: 'maxQueryPayloadSize', used: 6_001, exceeded: false });
  });

  test('count a transaction separately from the surrounding text', async () => {
    const { ask } = createGraph();
    const text = `mutation ($sig: Base64!) { executeTx(reservationId: "1", txBytes: "${'A'.repeat(9_000)}", userSig: $sig) { digest } }`;
    const { refused, limits } = estimateOf(await ask(query, { query: text, variables: { sig: 'B'.repeat(98) } }));
    expect(refused).toBe(false);
    expect(limits.slice(3)).toEqual([
      { name: 'maxQueryPayloadSize', used: text.length - 9_005, exceeded: false },
      { name: 'maxTransactionPayloadSize', used: 9_105, exceeded: false },
    ]);
  });
});
