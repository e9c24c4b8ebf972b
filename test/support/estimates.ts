import { expect } from 'vitest';
import type { CliWorld, Services } from '../../src/cli/cli-world.ts';
import { parseArguments } from '../../src/cli/parse-arguments.ts';
import { runCommand } from '../../src/cli/run-command.ts';
import { type Devnet, startDevnet } from '../../src/devnet/start-devnet.ts';
import { explainOperation } from '../../src/start/start.ts';
import { type RecordingUpstream, recordUpstream } from './recording-upstream.ts';
import { createTestGateway, type TestGateway } from './test-gateway.ts';

const token = 'token-of-the-estimates';
/** The network behind the gateway. */
export let devnet: Devnet;
let upstreams: RecordingUpstream[];
/** The gateway of the running test file. */
export let gateway: TestGateway;
let env: Record<string, string>;

/** Call in `beforeAll`. */
export async function startEstimates(): Promise<void> {
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
}

export async function stopEstimates(): Promise<void> {
  await gateway?.close();
  for (const each of [...(upstreams ?? []), devnet]) await each?.[Symbol.asyncDispose]();
}

export const countRequests = () => upstreams.reduce((sum, { requests }) => sum + requests.length, 0);

export interface Question {
  readonly query: string;
  readonly variables?: object;
  readonly operationName?: string;
}

export const whole = /* GraphQL */ `query Ask($query: String!, $variables: JSON, $operationName: String) {
  estimate(query: $query, variables: $variables, operationName: $operationName) {
    usage { inputNodes outputNodes depth variables fragments queryPayload }
    limits { name max used exceeded }
    refused reasons codes plan upstreamCalls ratePoints
  }
}`;

export async function estimate(question: Question) {
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
export async function run({ query, variables, operationName }: Question): Promise<Answer> {
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
export async function explain({ query, variables = {}, operationName }: Question) {
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
    services: { explainOperation } as Partial<Services> as Services,
  } as Partial<CliWorld> as CliWorld;
  const named = operationName ? ['--operation', operationName] : [];
  const command = parseArguments(['explain', '-', '--json', '--variables', JSON.stringify(variables), ...named]);
  const exitCode = await runCommand(command, world);
  return { exitCode, ...JSON.parse(out) };
}

/** The upstream calls that an operation really makes. */
export async function requestsOf(question: Question): Promise<number> {
  const before = countRequests();
  const { errors } = await run(question);
  expect(errors).toBeUndefined();
  return countRequests() - before;
}

const counted: readonly (readonly [says: string, question: Question, calls: number, most?: number])[] = [
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
    4,
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

/** Questions that are served, their upstream calls, and the most calls that they take if root fields are slow. */
export const served = counted.map(([says, question, calls, most = calls]) => [says, question, calls, most] as const);
