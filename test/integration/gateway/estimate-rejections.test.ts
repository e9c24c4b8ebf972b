import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  countRequests,
  estimate,
  explain,
  type Question,
  run,
  served,
  startEstimates,
  stopEstimates,
} from '../../support/estimates.ts';

beforeAll(startEstimates);
afterAll(stopEstimates);

const deep = `{ ${'a { '.repeat(20)} a ${'} '.repeat(20)} }`;
const execute = (waitMs: string) =>
  `mutation ($wait: Int) { executeTx(reservationId: "r", txBytes: "AA==", userSig: "AA==") { transactionBlock(waitMs: ${waitMs}) { digest } } }`;
const refused: readonly (readonly [string, Question])[] = [
  ['text that is no GraphQL', { query: '{ chainIdentifier' }],
  ['no text at all', { query: '  ' }],
  ['an unknown field', { query: '{ nonsense }' }],
  ['two unknown fields', { query: '{ nonsense more { of } }' }],
  ['nesting over the limit', { query: deep }],
  ['nesting over what is parsed', { query: `{ ${'a { '.repeat(40)} a ${'} '.repeat(40)} }` }],
  ['too many nodes', { query: `{ ${'__typename '.repeat(301)} }` }],
  [
    'too many output nodes',
    { query: 'query ($n: Int) { events(first: $n) { nodes { json sender { address } } } }', variables: { n: 60_000 } },
  ],
  ['a directive that is not served', { query: '{ chainIdentifier @defer }' }],
  ['a fragment that is missing', { query: '{ ...Missing }' }],
  ['a fragment that contains itself', { query: '{ ...A } fragment A on Query { ...A }' }],
  ['too much text', { query: `{ chainIdentifier } # ${'x'.repeat(5_000)}` }],
  ['a limit and an unknown field at once', { query: deep.replace('a {', 'nonsense {') }],
  ['a variable that is not declared', { query: '{ epoch(id: $id) { epochId } }', variables: { id: 1 } }],
  ['a variable that is not used', { query: 'query ($id: Int) { chainIdentifier }' }],
  ['a variable without a value', { query: 'query ($id: String!) { transactionBlock(digest: $id) { digest } }' }],
  [
    'a variable that is null',
    { query: 'query ($id: String!) { transactionBlock(digest: $id) { digest } }', variables: { id: null } },
  ],
  [
    'variables of wrong types',
    {
      query:
        'query ($a: Int, $b: Int) { a: events(first: $a) { nodes { bcs } } b: events(first: $b) { nodes { bcs } } }',
      variables: { a: 'x', b: 1.5 },
    },
  ],
  ['an operation name that nothing has', { query: 'query A { chainIdentifier }', operationName: 'B' }],
  ['no operation name where it is needed', { query: 'query A { chainIdentifier } query B { chainIdentifier }' }],
  ['a document of fragments alone', { query: 'fragment A on Query { chainIdentifier }' }],
  ['two operations of one name', { query: 'query A { chainIdentifier } query A { chainIdentifier }' }],
  ['two fields of one name', { query: '{ a: chainIdentifier a: gateway { version } }' }],
  ['an alias that the gateway needs', { query: '{ __join: chainIdentifier }' }],
  [
    'a filter with two members',
    { query: '{ queryEvents(filter: { sender: "0x1", moveEvent: "A" }) { nodes { id } } }' },
  ],
  [
    'a filter with two members in a variable',
    {
      query: 'query ($filter: EventQueryFilter) { queryEvents(filter: $filter) { nodes { id } } }',
      variables: { filter: { sender: '0x1', moveEvent: 'A' } },
    },
  ],
  [
    'a list with null',
    { query: 'query ($a: [ObjectKey!]!) { multiGetObjects(keys: $a) { address } }', variables: { a: [null] } },
  ],
  ['a long wait', { query: execute('10001') }],
  ['a negative wait in a variable', { query: execute('$wait'), variables: { wait: -1 } }],
  ['several mutations, one of which is unknown', { query: 'mutation { reloadAccessController nothing }' }],
  [
    'more transaction bytes than the ledger takes',
    { query: `{ dryRunTransactionBlock(txBytes: "${'A'.repeat(200_000)}") { error } }` },
  ],
  [
    'more events than a call limit',
    {
      query: `{ ${Array.from({ length: 41 }, (_, index) => `p${index}: queryEvents(first: 120) { nodes { id } }`).join(' ')} }`,
    },
  ],
  [
    'much of the schema',
    { query: `{ __schema { types { ${'fields { type { '.repeat(5)} name ${'} }'.repeat(5)} } } }` },
  ],
  ['a subscription to nothing', { query: 'subscription { nothing }' }],
  ['two subscriptions', { query: 'subscription { liveEvents { __typename } liveTransactions { __typename } }' }],
  [
    'a subscription that is skipped',
    { query: 'subscription ($no: Boolean!) { liveEvents @skip(if: $no) { __typename } }', variables: { no: true } },
  ],
  [
    'a subscription that is included, in a fragment',
    { query: 'subscription { ... @include(if: true) { liveEvents { __typename } } }' },
  ],
];

const somePages = 'query Some($n: Int, $off: Boolean!) { checkpoints(last: $n) @skip(if: $off) { nodes { digest } } }';
/** Rejected at execution by the gateway or the ledger, which then also reads other fields. */
const refusedPages: readonly (readonly [string, Question])[] = [
  ['two fields of the ledger with one name', { query: '{ a: chainIdentifier a: epoch { epochId } }' }],
  ['a page of the ledger', { query: '{ checkpoints(first: 51) { nodes { digest } } }' }],
  ['a page whose size is a variable', { query: somePages, variables: { n: 51, off: false } }],
  [
    'a page by the default of a variable',
    { query: 'query ($n: Int = 51) { checkpoints(first: $n) { nodes { digest } } }' },
  ],
  ['a page within an object', { query: '{ epoch { checkpoints(first: 51) { nodes { digest } } } }' }],
  ['a page of the gateway', { query: '{ queryEvents(last: 121) { nodes { id } } }' }],
  ['a page of fewer items than none', { query: '{ queryEvents(first: -1) { nodes { id } } }' }],
  [
    'pages of both',
    { query: '{ queryEvents(last: 121) { nodes { id } } checkpoints(first: 51) { nodes { digest } } }' },
  ],
  [
    'a page below a join',
    {
      query:
        '{ queryEvents(last: 1) { nodes { transactionBlock { effects { events(first: 51) { nodes { type { repr } } } } } } } }',
    },
  ],
  ['a page from both ends', { query: '{ coins(first: 1, last: 1) { nodes { digest } } }' }],
  ['a page of the gateway from both ends', { query: '{ queryEvents(first: 1, last: 1) { nodes { id } } }' }],
];
/** Further documents without errors. */
const servedToo: readonly (readonly [string, Question])[] = [
  ['a page that is skipped', { query: somePages, variables: { n: 51, off: true } }],
  ['a page of the maximum', { query: somePages, variables: { n: 50, off: false } }],
  [
    'a list in a variable',
    { query: 'query ($keys: [ObjectKey!]!) { multiGetObjects(keys: $keys) { address } }', variables: { keys: [] } },
  ],
  [
    'fragments within fragments',
    { query: '{ ...A ...A } fragment A on Query { ...B ...B } fragment B on Query { chainIdentifier }' },
  ],
];

describe('a verdict', () => {
  const codesAndMessages = ({ codes, reasons }: { codes: string[]; reasons: string[] }) =>
    reasons.map((message, index) => ({ message, code: codes[index] }));

  test.each([
    ...refused,
    ...refusedPages,
    ...servedToo,
    ...served.slice(0, 12).map(([name, question]) => [name, question] as const),
  ])('of %s is the same from the server, from `estimate` and from `explain`', async (_, question) => {
    const { errors = [] } = await run(question);
    const verdict = errors.map(({ message, extensions: { code } }) => ({ message, code }));
    const before = countRequests();
    const told = await estimate(question);
    expect(codesAndMessages(told)).toEqual(verdict);
    expect(told.refused).toBe(verdict.length > 0);
    if (told.refused) expect(told).toMatchObject({ plan: null, upstreamCalls: null });
    expect(await explain(question)).toMatchObject({ exitCode: told.refused ? 1 : 0, ...told });
    expect(countRequests()).toBe(before);
  });
});

describe('a rejection', () => {
  test.each(refused)('of %s asks no upstream and returns no data', async (_, question) => {
    const before = countRequests();
    const { data } = await run(question);
    expect(data ?? null).toBeNull();
    expect(countRequests()).toBe(before);
  });

  test.each(refused)(
    'of %s reports the usage that the response would show, or what was counted',
    async (_, question) => {
      const { extensions } = await run(question);
      const { usage } = await estimate(question);
      if (extensions?.usage) expect(usage).toEqual(extensions.usage);
      expect(usage.queryPayload).toBe(Buffer.byteLength(question.query));
      expect(usage.variables).toBe(Object.keys(question.variables ?? {}).length);
    },
  );

  test('names every exceeded limit, even if one hides the others in the reasons', async () => {
    const { reasons, limits } = await estimate({
      query: `{ events(first: 50000) { nodes { a: json b: json c: json } } ${deep.slice(1)}`,
    });
    expect(reasons).toEqual(['Query nesting is over 20']);
    const exceeded = limits.filter((limit: { exceeded: boolean }) => limit.exceeded);
    expect(exceeded).toEqual([
      { name: 'maxQueryDepth', max: 20, used: 21, exceeded: true },
      { name: 'maxOutputNodes', max: 100_000, used: 150_023, exceeded: true },
    ]);
  });
});
