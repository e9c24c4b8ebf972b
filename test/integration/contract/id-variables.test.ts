import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { startDevnet } from '../../../src/devnet/start-devnet.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

let gateway: TestGateway;
let address: string;
let closeDevnet: () => Promise<void>;

beforeAll(async () => {
  // A ledger without new checkpoints, so that responses can be compared.
  const devnet = await startDevnet({ sponsorToken: 'unused', checkpointIntervalMs: 0, genesis: { checkpoints: 40 } });
  closeDevnet = () => devnet.close();
  gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: devnet.graphqlUrl, LEDGER_RPC_URL: devnet.rpcUrl });
  address = devnet.ledger.events.at(-1)?.sender ?? '';
});
afterAll(async () => {
  await gateway?.close();
  await closeDevnet?.();
});

/** Operations with one address variable, and the same operations with the exact type for each argument. */
const operations: readonly [plan: string, name: string, fields: string, more: string][] = [
  ['LOCAL', 'ours alone', 'queryEvents(filter: { sender: $text }, last: 2) { nodes { id } }', ''],
  [
    'LOCAL',
    'deeper in an input, in a fragment',
    '...F',
    'fragment F on Query { queryTransactionBlocks(filter: { fromAndToAddress: { from: $text, to: $text } }) { nodes { digest } } }',
  ],
  [
    'LOCAL',
    'under a directive',
    'queryEvents(filter: { sender: $text }, last: 1) @skip(if: false) { nodes { id } }',
    '',
  ],
  [
    'SPLIT',
    'both side by side',
    'queryEvents(filter: { sender: $text }, last: 2) { nodes { id } } address(address: $own) { address }',
    '',
  ],
  [
    'STITCHED',
    'ours, with the ledger’s below in a join',
    'queryEvents(filter: { sender: $text }, last: 2) { nodes { id senderAddress { transactionBlocks(last: 1, filter: { sentAddress: $own }) { nodes { digest } } } } }',
    '',
  ],
  [
    'STITCHED',
    'all of it at once',
    'queryEvents(filter: { sender: $text }, last: 2) { nodes { senderAddress { address } } } address(address: $own) { address }',
    '',
  ],
];

const withOne = (fields: string, more: string) =>
  `query Q($a: LedgerAddress!) { ${fields} } ${more}`.replaceAll(/\$(text|own)/g, '$a');
const withTwo = (fields: string, more: string) => {
  const own = fields.includes('$own') ? '$own: LedgerAddress!' : '';
  return `query Q($text: String! ${own}) { ${fields} } ${more}`;
};

describe('one address variable, declared with the ledger’s scalar, serves fields of the gateway and of the ledger:', () => {
  it.each(operations)('%s, %s', async (plan, _, fields, more) => {
    const [one, two] = [withOne(fields, more), withTwo(fields, more)];
    const expected = await gateway.query(two, { text: address, own: address });
    expect(expected.errors).toBeUndefined();
    expect(Object.values(expected.data).flatMap((each) => (each as { nodes?: [] }).nodes ?? [each])).not.toEqual([]);
    // First sight takes another path than later requests.
    for (const _ of ['new', 'known']) expect((await gateway.query(one, { a: address })).text).toBe(expected.text);
    const url = new URL('/graphql', gateway.url);
    url.searchParams.set('query', one);
    url.searchParams.set('variables', JSON.stringify({ a: address }));
    expect((await (await fetch(url)).json()).data).toEqual(expected.data);

    const { data } = await gateway.query(
      'query ($q: String!, $v: JSON) { estimate(query: $q, variables: $v) { refused reasons plan } }',
      { q: one, v: { a: address } },
    );
    expect(data.estimate).toEqual({ refused: false, reasons: [], plan });
  });

  it.each(operations)(
    '%s, %s: a value that is no string is rejected before execution',
    async (_plan, _, fields, more) => {
      const one = withOne(fields, more);
      for (const [value, reason] of [
        [7, 'Variable "$a" got invalid value 7; String cannot represent a non string value: 7'],
        [[7], 'Variable "$a" got invalid value [7]; "String" cannot represent value: [7]'],
        [undefined, 'Variable "$a" of required type "LedgerAddress!" was not provided.'],
        [null, 'Variable "$a" of non-null type "LedgerAddress!" must not be null.'],
      ] as const) {
        for (const _ of ['new', 'known']) {
          const { data, errors } = await gateway.query(one, { a: value });
          expect(data).toBeUndefined();
          expect(errors).toHaveLength(1);
          expect(errors?.[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT' } });
          expect(errors?.[0]?.message).toContain(reason);
        }
        const { data } = await gateway.query(
          'query ($q: String!, $v: JSON) { estimate(query: $q, variables: $v) { reasons } }',
          { q: one, v: { a: value } },
        );
        expect(data.estimate.reasons).toEqual([expect.stringContaining(reason)]);
      }
    },
  );

  it('uses its default, and checks its address, like any other variable', async () => {
    const withDefault = `query ($a: LedgerAddress = "${address}") { queryEvents(filter: { sender: $a }, last: 1) { nodes { sender } } }`;
    const optional = withDefault.replace('{ sender: $a }', '{ moveModule: { package: $a, module: "nowhere" } }');
    expect((await gateway.query(optional)).data).toEqual({ queryEvents: { nodes: [] } });
    const wrong = await gateway.query(withOne('queryEvents(filter: { sender: $text }) { nodes { id } }', ''), {
      a: '7',
    });
    expect(wrong.errors?.[0]).toMatchObject({
      message: `Argument 'filter.sender' must be 0x and 1 to 64 hex digits; got "7".`,
      extensions: { code: 'BAD_USER_INPUT', argument: 'filter.sender' },
    });
  });
});

test.each([
  [
    'one that may be null where there must be one',
    'query ($a: LedgerAddress) { queryEvents(filter: { moveModule: { package: $a, module: "m" } }) { nodes { id } } }',
    'Variable "$a" of type "LedgerAddress" used in position expecting type "LedgerAddress!".',
  ],
  [
    'one that may be null in a choice of one',
    'query ($a: LedgerAddress) { queryEvents(filter: { sender: $a }) { nodes { id } } }',
    'Variable "$a" is of type "LedgerAddress" but must be non-nullable to be used for OneOf Input Object "EventQueryFilter".',
  ],
  [
    'several addresses',
    'query ($a: [LedgerAddress!]!) { queryEvents(filter: { sender: $a }) { nodes { id } } }',
    'Variable "$a" of type "[LedgerAddress!]!" used in position expecting type "String".',
  ],
  [
    'one whose default is no text',
    'query ($a: LedgerAddress! = 7) { queryEvents(filter: { sender: $a }) { nodes { id } } }',
    'Variable "$a" of type "LedgerAddress!" used in position expecting type "String".',
  ],
  [
    'an address where a name is wanted',
    'query ($a: LedgerAddress!) { queryEvents(filter: { moveEvent: $a }) { nodes { id } } }',
    'Variable "$a" of type "LedgerAddress!" used in position expecting type "String".',
  ],
  [
    'an address for a cursor',
    'query ($a: LedgerAddress!) { queryEvents(after: $a) { nodes { id } } }',
    'Variable "$a" of type "LedgerAddress!" used in position expecting type "String".',
  ],
])('%s is rejected as usual', async (_, text, message) => {
  const { data, errors } = await gateway.query(text, { a: address });
  expect(data).toBeUndefined();
  expect(errors?.map((error) => error.message)).toContain(message);
});
