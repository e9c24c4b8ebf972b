import { buildSchema, type ExecutionResult, GraphQLError, getOperationAST, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { fragmentsOf } from '../../../src/documents/selections.ts';
import { createCoerceVariables } from '../../../src/engine/coerce-variables.ts';
import { gatewayError } from '../../../src/errors/gateway-error.ts';
import type { ServedJoin } from '../../../src/graph/joins/joins.ts';
import { createOperationJoins } from '../../../src/graph/joins/operation-joins.ts';
import type { LedgerRequest } from '../../../src/ledger/ledger-executor.ts';
import { createExecuteOwn } from '../../../src/operation/execute-own.ts';
import { createCancellation } from '../../../src/upstream/cancellation.ts';
import type { OperationContext } from '../../../src/upstream/operation-context.ts';
import { toTestCaller } from '../../support/test-caller.ts';

const own = `
  type Query { coins(first: Int): [Coin!] done(digest: String!): Done }
  type Coin { objectId: String! version: Int! digest: String! }
  type Done { digest: String! }
`;
const ownSchema = buildSchema(own);
const whole = buildSchema(`${own}
  extend type Coin { object: Object }
  extend type Done { transactionBlock(waitMs: Int = 0): TransactionBlock }
  type Object { address: String digest: String owner: Owner objects(first: Int): [Object!] }
  union Owner = Shared | Address
  type Shared { since: Int }
  type Address { address: String }
  type TransactionBlock { digest: String }
`);
const joins: readonly ServedJoin[] = [
  {
    type: 'Coin',
    field: 'object',
    target: 'object',
    key: { id: 'objectId', version: 'version' },
    waits: false,
    description: '',
    root: { field: 'object', id: 'address', version: 'version', returns: 'Object' },
  },
  {
    type: 'Done',
    field: 'transactionBlock',
    target: 'transaction',
    key: { id: 'digest' },
    waits: true,
    description: '',
    root: { field: 'transactionBlock', id: 'digest', version: undefined, returns: 'TransactionBlock' },
  },
];

const resolvers = ownSchema.getQueryType()?.getFields() ?? {};
if (resolvers.coins && resolvers.done) {
  resolvers.coins.resolve = (_source, { first = 2 }: { first?: number }) =>
    Array.from({ length: first }, (_, index) => ({
      objectId: `0x${index}`,
      version: first > 50 ? 'unreadable' : index + 7,
      digest: `D${index}`,
    }));
  resolvers.done.resolve = (_source, { digest }: { digest: string }) => ({ digest });
}

type Answer = (aliases: readonly string[], count: number) => ExecutionResult | Error;

/** Executes over a ledger that answers by script. */
function run(
  text: string,
  answer: Answer,
  variables: Record<string, unknown> = {},
  cancellation = createCancellation(),
) {
  const document = parse(text);
  expect(validate(whole, document)).toEqual([]);
  const asked: { readonly text: string; readonly variables: unknown }[] = [];
  const operationJoins = createOperationJoins({
    execute: async (request: LedgerRequest) => {
      if (typeof request.document !== 'string') throw new Error('joins are asked for by text');
      asked.push({ text: request.document, variables: request.variables });
      const aliases = [...request.document.matchAll(/\bk\d+(?=:)/g)].map(([alias]) => alias);
      const result = answer(aliases, asked.length);
      if (result instanceof Error) throw result;
      return result;
    },
    limits: { maxQueryNodes: 300, maxQueryPayloadSize: 5_000 },
    schema: whole,
    ownSchema,
    joins,
  });
  const operation = getOperationAST(document);
  if (!operation) throw new Error('no operation');
  const fragments = fragmentsOf(document);
  const execute = createExecuteOwn({ schema: whole, ownSchema, operation, fragments, joins: operationJoins });
  const { values } = createCoerceVariables(whole, operation, () => operation)(variables);
  if (!values) throw new Error('the variables do not fit');
  const context: OperationContext = { requestId: 'r', cancellation, caller: toTestCaller() };
  return { asked, result: Promise.resolve(execute(values, context)) };
}

const each =
  (value: (alias: string) => unknown): Answer =>
  (aliases) => ({
    data: Object.fromEntries(aliases.map((alias) => [alias, value(alias)])),
  });

describe('an operation of our own with joins', () => {
  it('calls the ledger once, with the client’s selections, and inserts the responses', async () => {
    const { asked, result } = run(
      '{ coins { objectId: digest it: object { digest owner { ... on Shared { since } } } version } }',
      each((alias) => ({ digest: alias, owner: null })),
    );
    expect(JSON.stringify(await result)).toBe(
      '{"data":{"coins":[{"objectId":"D0","it":{"digest":"k0","owner":null},"version":7},' +
        '{"objectId":"D1","it":{"digest":"k1","owner":null},"version":8}]}}',
    );
    expect(asked).toEqual([
      {
        text:
          '{k0:object(address:"0x0000000000000000000000000000000000000000000000000000000000000000" version:7){...J0}k1:object(address:"0x0000000000000000000000000000000000000000000000000000000000000001" version:8){...J0}}' +
          'fragment J0 on Object{digest owner{...on Shared{since}}}',
        variables: {},
      },
    ]);
  });

  it('requests each value once, under any number of names or partial selections', async () => {
    const { asked, result } = run(
      '{ a: coins(first: 1) { object { digest } object { ...J0 } } b: coins(first: 1) { x: object { digest ...J0 } } }' +
        'fragment J0 on Object { address }',
      each((alias) => ({ digest: alias, address: '0x0' })),
    );
    const object = { digest: 'k0', address: '0x0' };
    expect(await result).toEqual({ data: { a: [{ object }], b: [{ x: object }] } });
    expect(asked.map(({ text }) => text)).toEqual([
      '{k0:object(address:"0x0000000000000000000000000000000000000000000000000000000000000000" version:7){...J0_}}fragment J0_ on Object{digest ...J0}fragment J0 on Object{address}',
    ]);
  });

  it('sends the variables of the selection, and uses its own itself', async () => {
    const { asked, result } = run(
      'query ($first: Int, $below: Int = 3) { coins(first: $first) { object { objects(first: $below) { digest } } } }',
      each(() => ({ objects: [] })),
      { first: 1 },
    );
    expect(await result).toEqual({ data: { coins: [{ object: { objects: [] } }] } });
    expect(asked).toEqual([
      {
        text: 'query($below:Int=3){k0:object(address:"0x0000000000000000000000000000000000000000000000000000000000000000" version:7){...J0}}fragment J0 on Object{objects(first:$below){digest}}',
        variables: { below: 3 },
      },
    ]);
  });

  it('leaves directives below a join to the ledger', async () => {
    const { asked, result } = run(
      'query ($no: Boolean!) { coins(first: 1) { object { digest @skip(if: $no) } } }',
      each(() => ({})),
      {
        no: true,
      },
    );
    expect(await result).toEqual({ data: { coins: [{ object: {} }] } });
    expect(asked[0]).toMatchObject({ variables: { no: true }, text: expect.stringContaining('digest@skip(if:$no)') });
  });

  it('reports errors of the ledger at the client’s paths', async () => {
    const { result } = run('{ coins { o: object { digest owner { ... on Shared { since } } } } }', () => ({
      data: { k0: { digest: 'd', owner: null }, k1: null },
      errors: [
        new GraphQLError('deep', { path: ['k0', 'owner', 'since'], extensions: { code: 'X' } }),
        new GraphQLError('whole', { path: ['k1'] }),
      ],
    }));
    const { data, errors } = await result;
    expect(data).toEqual({ coins: [{ o: { digest: 'd', owner: null } }, { o: null }] });
    expect(errors?.map(({ message, path, extensions }) => [message, path, extensions])).toEqual([
      ['deep', ['coins', 0, 'o', 'owner', 'since'], { code: 'X' }],
      ['whole', ['coins', 1, 'o'], {}],
    ]);
  });

  it('loses only its joins if the ledger fails', async () => {
    const { result } = run('{ coins { digest object { digest } } }', () =>
      gatewayError('UPSTREAM_UNAVAILABLE', 'The ledger is down.', { upstream: 'ledger' }),
    );
    const { data, errors } = await result;
    expect(data).toEqual({ coins: [0, 1].map((index) => ({ digest: `D${index}`, object: null })) });
    expect(errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([
      [['coins', 0, 'object'], 'UPSTREAM_UNAVAILABLE'],
      [['coins', 1, 'object'], 'UPSTREAM_UNAVAILABLE'],
    ]);
  });

  it('fails if its key cannot be read, as if the client had selected the key, and without a location of its own', async () => {
    const { asked, result } = run(
      '{ coins(first: 51) { digest object { digest } } }',
      each(() => null),
    );
    const { data, errors } = await result;
    expect(data).toEqual({ coins: null });
    expect(errors?.map((error) => error.toJSON())).toMatchObject([{ path: ['coins', 0, '__joinVersion_object'] }]);
    expect(errors?.[0]?.locations).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it('rejects a `waitMs` out of range for that join only', async () => {
    const { asked, result } = run(
      '{ bad: done(digest: "A") { transactionBlock(waitMs: 10001) { digest } } good: done(digest: "B") { transactionBlock { digest } } }',
      each(() => ({ digest: 'B' })),
    );
    const { data, errors } = await result;
    expect(data).toEqual({ bad: { transactionBlock: null }, good: { transactionBlock: { digest: 'B' } } });
    expect(errors?.map(({ path, extensions }) => [path, extensions])).toEqual([
      [['bad', 'transactionBlock'], { code: 'BAD_USER_INPUT', retry: 'never', argument: 'waitMs' }],
    ]);
    expect(asked).toHaveLength(1);
  });

  it('asks again while the value may still arrive, and returns what it has at the end', async () => {
    const text = (waitMs: number) => `{ done(digest: "A") { transactionBlock(waitMs: ${waitMs}) { digest } } }`;
    const known = run(text(9_000), (_, count) => ({ data: { k0: count === 1 ? null : { digest: 'A' } } }));
    expect(await known.result).toEqual({ data: { done: { transactionBlock: { digest: 'A' } } } });
    expect(known.asked).toHaveLength(2);
    const unknown = run(text(500), () => ({ data: { k0: null } }));
    expect(await unknown.result).toEqual({ data: { done: { transactionBlock: null } } });
    expect(unknown.asked.length).toBeGreaterThan(1);
  });

  it('counts a slow first call as part of the wait', async () => {
    const slow = run('{ done(digest: "A") { transactionBlock(waitMs: 40) { digest } } }', () => {
      const startedMs = performance.now();
      while (performance.now() - startedMs < 60);
      return { data: { k0: null } };
    });
    expect(await slow.result).toEqual({ data: { done: { transactionBlock: null } } });
    expect(slow.asked).toHaveLength(1);
  });

  it('waits no longer than the operation runs', async () => {
    const cancellation = createCancellation();
    const { result } = run(
      '{ done(digest: "A") { digest transactionBlock(waitMs: 9000) { digest } } }',
      () => {
        setImmediate(() => cancellation.cancel('timeout'));
        return { data: { k0: null } };
      },
      {},
      cancellation,
    );
    expect(await result).toMatchObject({
      data: { done: { digest: 'A', transactionBlock: null } },
      errors: [{ path: ['done', 'transactionBlock'], extensions: { code: 'REQUEST_TIMEOUT' } }],
    });
  });

  it('makes a call only for the joins that directives leave', async () => {
    const text = `query ($no: Boolean!, $yes: Boolean!) { coins(first: 1) {
      object @skip(if: $no) { digest } ... @include(if: $yes) { it: object @include(if: $no) { address } } digest @skip(if: $yes)
    } }`;
    for (const [no, yes] of [
      [true, true],
      [false, true],
      [false, false],
      [true, true],
    ]) {
      const { asked, result } = run(
        text,
        each(() => ({ digest: 'O', address: 'A' })),
        { no, yes },
      );
      expect(await result).toEqual({
        data: {
          coins: [
            {
              ...(no ? {} : { object: { digest: 'O', address: 'A' } }),
              ...(no && yes ? { it: { digest: 'O', address: 'A' } } : {}),
              ...(yes ? {} : { digest: 'D0' }),
            },
          ],
        },
      });
      expect(asked).toHaveLength(no && !yes ? 0 : 1);
    }
  });
});
