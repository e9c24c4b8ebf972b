import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CliWorld, Services } from '../../../src/cli/cli-world.ts';
import { parseArguments } from '../../../src/cli/parse-arguments.ts';
import { runCommand } from '../../../src/cli/run-command.ts';
import { type Devnet, startDevnet } from '../../../src/devnet/start-devnet.ts';
import { readConfig } from '../../../src/start/read-config.ts';
import { explainOperation } from '../../../src/start/start.ts';
import { type RecordingUpstream, recordUpstream } from '../../support/recording-upstream.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const token = 'token-of-the-estimates';
let devnet: Devnet;
let upstreams: RecordingUpstream[];
let gateway: TestGateway;
let env: Record<string, string>;

beforeAll(async () => {
  devnet = await startDevnet({
    sponsorToken: token,
    checkpointIntervalMs: 0,
    genesis: { checkpoints: 80, sponsorCoins: 60 },
  });
  const ledger = await recordUpstream(devnet.graphqlUrl);
  const sponsor = await recordUpstream(devnet.sponsorUrl);
  const events = await recordUpstream(devnet.rpcUrl);
  upstreams = [ledger, sponsor, events];
  env = {
    LEDGER_GRAPHQL_URL: ledger.url,
    LEDGER_RPC_URL: events.url,
    SPONSOR_URL: sponsor.url,
    SPONSOR_TOKEN: token,
    SPONSOR_ALLOW_ANONYMOUS: 'true',
    CORS_ORIGINS: 'http://127.0.0.1:4000',
    LIMIT_MAX_PAGE_SIZE: '120',
    RATE_LIMIT_PER_MINUTE: '0',
    RATE_LIMIT_COST: 'usage',
    SCHEMA_POLL_MS: '0',
  };
  gateway = await createTestGateway(env);
});

afterAll(async () => {
  await gateway?.close();
  for (const each of [...(upstreams ?? []), devnet]) await each?.[Symbol.asyncDispose]();
});

const countRequests = () => upstreams.reduce((sum, { requests }) => sum + requests.length, 0);

interface Question {
  readonly query: string;
  readonly variables?: object;
  readonly operationName?: string;
}

const whole = /* GraphQL */ `query Ask($query: String!, $variables: JSON, $operationName: String) {
  estimate(query: $query, variables: $variables, operationName: $operationName) {
    usage { inputNodes outputNodes depth variables fragments queryPayload }
    limits { name max used exceeded }
    refused reasons codes plan upstreamCalls ratePoints
  }
}`;

async function estimate(question: Question) {
  const { data, errors } = await gateway.query(whole, question);
  expect(errors).toBeUndefined();
  return data.estimate;
}

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
  readonly extensions?: { readonly usage?: object };
}

/** The response of the server; of a subscription, its first event with data or errors. */
async function run({ query, variables, operationName }: Question): Promise<Answer> {
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-ledger-rpc-show-usage': 'true',
      ...(query.startsWith('subscription') && { accept: 'text/event-stream' }),
    },
    body: JSON.stringify({ query, variables, operationName }),
  });
  if (!response.headers.get('content-type')?.includes('event-stream')) return (await response.json()) as Answer;
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const [, json] = /^data: ?(.+)\n\n/m.exec(text) ?? [];
    if (json) return JSON.parse(json);
  }
  return {};
}

/** The output of `ledger-gateway explain`, with the settings of the gateway. */
async function explain({ query, variables = {}, operationName }: Question) {
  let out = '';
  const world = {
    env,
    isTerminal: false,
    stopRequested: new Promise<never>(() => {}),
    readInput: () => Promise.resolve(query),
    writeOut: (text: string) => {
      out += text;
    },
    writeError: (text: string) => {
      throw new Error(text);
    },
    services: { readConfig: async (source) => readConfig(source), explainOperation } as Partial<Services> as Services,
  } as Partial<CliWorld> as CliWorld;
  const named = operationName ? ['--operation', operationName] : [];
  const command = parseArguments(['explain', '-', '--json', '--variables', JSON.stringify(variables), ...named]);
  const exitCode = await runCommand(command, world);
  return { exitCode, ...JSON.parse(out) };
}

/** The upstream calls that an operation really makes. */
async function requestsOf(question: Question): Promise<number> {
  const before = countRequests();
  const { errors } = await run(question);
  expect(errors).toBeUndefined();
  return countRequests() - before;
}

const served: readonly (readonly [string, Question, number])[] = [
  ['nothing but the type name', { query: '{ __typename }' }, 0],
  ['the schema alone', { query: '{ __schema { queryType { name } } }' }, 0],
  ['introspection beside a field', { query: '{ __type(name: "Query") { name } chainIdentifier }' }, 1],
  [
    "the gateway's own fields",
    { query: '{ gateway { version } viewer { kind } estimate(query: "{ chainIdentifier }") { plan } }' },
    0,
  ],
  ['one field of the ledger', { query: '{ chainIdentifier }' }, 1],
  [
    'many fields of the ledger',
    { query: '{ chainIdentifier epoch { epochId } a: checkpoint { digest } b: checkpoint { digest } }' },
    1,
  ],
  [
    'fields of the ledger in fragments',
    { query: 'query { ...A ... on Query { epoch { epochId } } } fragment A on Query { chainIdentifier }' },
    1,
  ],
  ['a field of the ledger that is skipped', { query: '{ chainIdentifier @skip(if: true) }' }, 0],
  [
    'a field of the ledger that is skipped beside joins',
    { query: '{ chainIdentifier @skip(if: true) queryEvents(last: 1) { nodes { transactionBlock { digest } } } }' },
    2,
  ],
  [
    'a field left out by a variable',
    {
      query: 'query ($with: Boolean!) { epoch @include(if: $with) { epochId } sponsor { health } }',
      variables: { with: false },
    },
    1,
  ],
  [
    'a field let in by the default of a variable',
    { query: 'query ($with: Boolean = true) { epoch @include(if: $with) { epochId } sponsor { health } }' },
    2,
  ],
  [
    'a fragment that is skipped',
    { query: '{ ...A @skip(if: true) gateway { version } } fragment A on Query { chainIdentifier }' },
    0,
  ],
  ['a field of the ledger of which all is skipped', { query: '{ epoch { epochId @skip(if: true) } }' }, 1],
  ['the sponsor without any of its reads', { query: '{ sponsor { __typename } }' }, 0],
  ['the health of the sponsor, thrice', { query: '{ sponsor { health again: health } other: sponsor { health } }' }, 1],
  [
    'health and version of the sponsor',
    { query: '{ a: sponsor { health } b: sponsor { ...V } } fragment V on Sponsor { version { raw semver } }' },
    2,
  ],
  ['events', { query: '{ queryEvents(last: 3) { nodes { type } } }' }, 1],
  [
    'events twice',
    { query: '{ a: queryEvents(first: 2) { nodes { type } } b: queryEvents(last: 2) { nodes { type } } }' },
    2,
  ],
  [
    'events in one field written twice',
    { query: '{ queryEvents(first: 2) { nodes { type } } queryEvents(first: 2) { edges { cursor } } }' },
    1,
  ],
  ['no events', { query: '{ queryEvents(first: 0) { nodes { type transactionBlock { digest } } } }' }, 0],
  [
    'no transactions, by variable',
    { query: 'query ($n: Int) { queryTransactionBlocks(last: $n) { nodes { digest } } }', variables: { n: 0 } },
    0,
  ],
  [
    'a page by the default of a variable',
    { query: 'query ($n: Int = 0) { queryEvents(last: $n) { nodes { type } } }' },
    0,
  ],
  ['a page of more than the node gives', { query: '{ queryTransactionBlocks(first: 120) { nodes { digest } } }' }, 3],
  ['a page of just what the node gives', { query: '{ queryTransactionBlocks(first: 50) { nodes { digest } } }' }, 1],
  ['a page of one more', { query: '{ queryEvents(first: 51) { nodes { type } } }' }, 2],
  [
    'joins',
    { query: '{ queryEvents(last: 4) { nodes { transactionBlock { digest } senderAddress { address } } } }' },
    2,
  ],
  [
    'joins below edges and in fragments',
    {
      query:
        '{ queryEvents(last: 4) { edges { node { ...E } } } } fragment E on RpcEvent { type transactionBlock { digest } }',
    },
    2,
  ],
  [
    'a join that is skipped',
    { query: '{ queryEvents(last: 4) { nodes { type transactionBlock @skip(if: true) { digest } } } }' },
    1,
  ],
  ['a field named like a join elsewhere', { query: '{ events(last: 1) { nodes { sender { address } } } }' }, 1],
  [
    'joins below two fields',
    {
      query:
        '{ queryEvents(last: 2) { nodes { senderAddress { address } } } queryTransactionBlocks(last: 2) { nodes { transactionBlock { digest } } } }',
    },
    3,
  ],
  [
    'all three upstreams and a join',
    {
      query:
        '{ chainIdentifier sponsor { health version { raw } } queryEvents(last: 2) { nodes { transactionBlock { digest } } } epoch { epochId } }',
    },
    5,
  ],
  [
    'one operation of two',
    {
      query: 'query A { chainIdentifier } query B { sponsor { health } gateway { version } epoch { epochId } }',
      operationName: 'B',
    },
    2,
  ],
  [
    'a reservation',
    { query: 'mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 60) { reservationId } }' },
    1,
  ],
  [
    'a reservation with joins',
    {
      query:
        'mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 60) { sponsor { address } gasCoins { object { version } } } }',
    },
    2,
  ],
  [
    'joins that take several requests',
    {
      query:
        '{ queryTransactionBlocks(last: 60) { nodes { transactionBlock { effects { status } } other: transactionBlock { effects { timestamp } } } } }',
    },
    5,
  ],
  [
    'two reservations, one with a join',
    {
      query:
        'mutation { a: reserveGas(gasBudget: 5000000, reserveDurationSecs: 60) { reservationId } b: reserveGas(gasBudget: 5000000, reserveDurationSecs: 60) { gasCoins { object { digest } } } }',
    },
    3,
  ],
];

describe('upstream calls', () => {
  test.each(served)('of %s match the real number', async (_, question, calls) => {
    const told = await estimate(question);
    expect(told).toMatchObject({ refused: false, reasons: [], upstreamCalls: calls });
    expect(await requestsOf(question)).toBe(calls);
  });

  test('of a sponsored execution with joins all over its effects match the real number', async () => {
    const reserved = await gateway.query(
      'mutation { reserveGas(gasBudget: 50000000, reserveDurationSecs: 60) { reservationId sponsorAddress gasCoins { objectId version digest } } }',
    );
    const { reservationId, sponsorAddress, gasCoins } = reserved.data.reserveGas;
    const signed = await gateway.query(
      `query ($sponsor: LedgerAddress!, $coins: [DevnetGasCoinInput!]!) {
        devnetSignTransaction(sponsorAddress: $sponsor, gasCoins: $coins, gasBudget: 50000000) { txBytes userSig }
      }`,
      { sponsor: sponsorAddress, coins: gasCoins },
    );
    const question = {
      query: `mutation ($id: ID!, $txBytes: Base64!, $userSig: Base64!) {
        executeTx(reservationId: $id, txBytes: $txBytes, userSig: $userSig) {
          transactionBlock { digest }
          effects { transactionBlock { digest } gasObject { reference { object { version } } } mutated { reference { object { digest } } } }
        }
      }`,
      variables: { id: reservationId, ...signed.data.devnetSignTransaction },
    };
    expect(await estimate(question)).toMatchObject({ refused: false, upstreamCalls: 2 });
    expect(await requestsOf(question)).toBe(2);
  });

  test('of ledger mutations are one, even if the ledger rejects them', async () => {
    const call = 'executeTransactionBlock(txBytes: "AAAA", signatures: []) { errors }';
    const query = `mutation { a: ${call} b: ${call} }`;
    expect(await estimate({ query })).toMatchObject({ plan: 'PASS_THROUGH', upstreamCalls: 1 });
    const before = countRequests();
    await run({ query });
    expect(countRequests() - before).toBe(1);
  });

  test.each([
    ['PASS_THROUGH', '{ chainIdentifier }'],
    ['LOCAL', '{ sponsor { health } }'],
    ['SPLIT', '{ chainIdentifier sponsor { health } }'],
    ['STITCHED', '{ queryEvents(last: 1) { nodes { transactionBlock { digest } } } }'],
  ])('have the plan %s', async (plan, query) => {
    expect((await estimate({ query })).plan).toBe(plan);
  });

  test('of fields without a configured upstream are none', async () => {
    await using alone = await createTestGateway({ LEDGER_GRAPHQL_URL: devnet.graphqlUrl });
    const query =
      '{ sponsor { health version { raw } } queryEvents(first: 1) { nodes { transactionBlock { digest } } } }';
    const { data } = await alone.query(whole, { query });
    expect(data.estimate).toMatchObject({ refused: false, upstreamCalls: 0 });
  });

  test('of the estimate itself are none', async () => {
    const before = countRequests();
    for (const [, question] of served) await estimate(question);
    expect(countRequests()).toBe(before);
  });
});

describe('usage', () => {
  test.each(served.filter(([, { query }]) => !query.includes('__schema')))(
    'of %s is what the answer says',
    async (_, question) => {
      const { extensions } = await run(question);
      expect(extensions?.usage).toBeDefined();
      expect((await estimate(question)).usage).toEqual(extensions?.usage);
    },
  );

  test('is converted into points as the rate limiter does', async () => {
    expect(await estimate({ query: '{ chainIdentifier }' })).toMatchObject({ ratePoints: 1 });
    const full =
      '{ transactionBlocks(first: 50) { nodes { effects { events(first: 50) { nodes { a: json b: json c: json } } } } } }';
    expect(await estimate({ query: full })).toMatchObject({
      usage: { inputNodes: 8, outputNodes: 7652 },
      ratePoints: 2,
    });
    // Of 300 nodes and of 100,000: ten points each for the maximum.
    const larger = `{ ${['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}: ${full.slice(2, -2)}`).join(' ')} }`;
    expect(await estimate({ query: larger })).toMatchObject({
      usage: { inputNodes: 48, outputNodes: 45912 },
      ratePoints: 7,
    });
  });
});

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
  ['two fields of one name', { query: '{ a: chainIdentifier a: epoch { epochId } }' }],
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

  test.each(refused)('of %s reports the usage that the response would show, else zeros', async (_, question) => {
    const { extensions } = await run(question);
    const { usage } = await estimate(question);
    const { variables, queryPayload } = usage;
    const uncounted = { inputNodes: 0, outputNodes: 0, depth: 0, fragments: 0, variables, queryPayload };
    expect(usage).toEqual(extensions?.usage ?? uncounted);
    expect(queryPayload).toBe(Buffer.byteLength(question.query));
    expect(variables).toBe(Object.keys(question.variables ?? {}).length);
  });

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

describe('one operation', () => {
  const many = (count: number) =>
    `{ ${Array.from({ length: count }, (_, index) => `e${index}: estimate(query: "{ chainIdentifier }") { refused }`).join(' ')} }`;

  test('may contain ten estimates', async () => {
    const { data, errors } = await gateway.query(many(10));
    expect(errors).toBeUndefined();
    expect(Object.values(data)).toEqual(Array(10).fill({ refused: false }));
  });

  test('is rejected with eleven, by a message that names the limit', async () => {
    const { data, errors } = await gateway.query(many(11));
    expect(data).toBeNull();
    expect(errors?.[0]).toMatchObject({
      message: 'An operation may ask for at most 10 estimates.',
      extensions: { code: 'BAD_USER_INPUT' },
    });
  });

  test('accepts variables only as an object', async () => {
    const { errors } = await gateway.query('{ estimate(query: "{ chainIdentifier }", variables: [1]) { refused } }');
    expect(errors?.[0]).toMatchObject({
      message: 'variables must be a JSON object; got a list.',
      extensions: { code: 'BAD_USER_INPUT', argument: 'variables' },
    });
  });

  test('may contain any variables inline', async () => {
    const { data } = await gateway.query(
      '{ estimate(query: "query ($n: Int) { events(first: $n) { nodes { bcs } } }", variables: { n: 7, other: [null, { a: 2.5 }] }) { usage { variables outputNodes } } }',
    );
    expect(data.estimate).toEqual({ usage: { variables: 2, outputNodes: 9 } });
  });
});
