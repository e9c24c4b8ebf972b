import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  deepValues,
  errorsAmongOthers,
  errorWithoutPath,
  failingEpochs,
  failingFields,
  failingNonNullRoots,
  harmlessFaults,
  type LedgerFault,
  longAnswer,
  wholeAnswerFaults,
} from '../support/ledger-faults.ts';
import { type CorpusOperation, operationCorpus } from '../support/operation-corpus.ts';
import { plausibleDocument } from '../support/plausible-documents.ts';
import { chaos, partOf, runs } from '../support/runs.ts';
import { type Form, openShells, type ShellAnswer, type Shells } from '../support/shells.ts';
import { type SpoilingUpstream, spoilAnswers } from '../support/spoilt-answers.ts';
import { type GraphqlDevnet, startGraphqlDevnet } from '../support/start-graphql-devnet.ts';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';

const json = 'application/json';
const graphqlJson = 'application/graphql-response+json';
const forms: readonly Form[] = [json, graphqlJson].flatMap((accept) => [
  { accept, showUsage: false },
  { accept, showUsage: true },
]);

/** Both media types, with and without usage. `npm run chaos` tries all combinations. */
const formsOf = (index: number): readonly Form[] =>
  chaos > 1 ? forms : forms.filter(({ accept, showUsage }) => (accept === json) === (showUsage === (index % 2 === 0)));

/** Further operations of a started gateway: its own fields, its schema, and estimates. */
const ofTheGateway: readonly (CorpusOperation & { readonly name: string })[] = [
  { name: 'the gateway’s view of itself beside data', text: '{ gateway { networkProfile } epoch(id: 1) { epochId } }' },
  { name: 'the schema', text: '{ __schema { queryType { name } } }' },
  { name: 'the schema beside data', text: '{ __type(name: "Epoch") { kind } chainIdentifier }' },
  { name: 'an estimate', text: '{ estimate(query: "{ chainIdentifier }") { usage { inputNodes } } }' },
];

const id = 'query ($id: Int!) { epoch(id: $id) { epochId } }';
const version = 'query ($v: UInt53) { object(address: "0x5", version: $v) { version } }';
const levels = (count: number) =>
  `${'{ epoch { checkpoints { nodes '.repeat(count)}{ digest }${' } } }'.repeat(count)}`;

/** Selections of each plan, with a directive that takes a variable. */
const conditional = {
  'passed through': 'chainIdentifier @skip(if: $f)',
  'passed through, with the condition below the root': 'epoch(id: 1) { epochId startTimestamp @include(if: $f) }',
  'of the gateway alone': 'sponsor @include(if: $f) { health }',
  'of the gateway alone, with the condition below the root': 'gateway { version @skip(if: $f) networkProfile }',
  joined: 'queryEvents(first: 1) { nodes { type transactionBlock @skip(if: $f) { digest } } }',
  split: 'chainIdentifier gateway { networkProfile @include(if: $f) }',
  'split, with nothing of the ledger': 'chainIdentifier @include(if: $f) gateway { networkProfile }',
  stitched: '__schema { queryType { name @skip(if: $f) } } chainIdentifier',
  'of the schema alone': '__schema @skip(if: $f) { queryType { name } }',
};
const nullConditions = Object.entries(conditional).flatMap(([plan, selection]) => {
  const refused = { variables: { f: null }, code: 'BAD_USER_INPUT' };
  const declared = '($f: Boolean = true)';
  return [
    { ...refused, name: `a null condition, ${plan}`, text: `query ${declared} { ${selection} }` },
    {
      ...refused,
      name: `a null condition in a fragment of one operation of two, ${plan}`,
      text: `query A { chainIdentifier } query B${declared} { ...F } fragment F on Query { ${selection} }`,
      operationName: 'B',
    },
  ];
});

/** Operations rejected before execution, and their codes. */
const refusals: readonly (CorpusOperation & { readonly name: string; readonly code: string })[] = [
  ...nullConditions,
  { name: 'half a document', text: '{ epoch {', code: 'GRAPHQL_PARSE_FAILED' },
  { name: 'nothing but white space', text: '  ', code: 'GRAPHQL_PARSE_FAILED' },
  { name: 'an unknown field', text: '{ chainIdentifier nope }', code: 'GRAPHQL_VALIDATION_FAILED' },
  { name: 'a selection missing', text: '{ epoch sponsor { health } }', code: 'GRAPHQL_VALIDATION_FAILED' },
  {
    name: 'fields in conflict',
    text: '{ a: chainIdentifier a: __typename sponsor { health } }',
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  { name: 'no operation', text: 'fragment F on Query { chainIdentifier }', code: 'GRAPHQL_VALIDATION_FAILED' },
  { name: 'a fragment in itself', text: '{ ...F } fragment F on Query { ...F }', code: 'BAD_USER_INPUT' },
  { name: 'an unknown fragment', text: '{ ...F }', code: 'BAD_USER_INPUT' },
  { name: 'an unknown directive', text: '{ chainIdentifier @deprecated }', code: 'BAD_USER_INPUT' },
  { name: 'too many nodes', text: `{ ${'chainIdentifier '.repeat(301)}}`, code: 'BAD_USER_INPUT' },
  { name: 'too deep', text: levels(8), code: 'BAD_USER_INPUT' },
  { name: 'without a bottom', text: levels(40), code: 'BAD_USER_INPUT' },
  {
    name: 'too much output',
    text: 'query ($n: Int) { objects(first: $n) { nodes { dynamicFields(first: $n) { nodes { name { json } } } } } }',
    variables: { n: 50_000 },
    code: 'BAD_USER_INPUT',
  },
  { name: 'too long', text: `{ chainIdentifier } # ${'x'.repeat(6_000)}`, code: 'BAD_USER_INPUT' },
  { name: 'a variable missing', text: id, code: 'BAD_USER_INPUT' },
  { name: 'a variable that is null', text: id, variables: { id: null }, code: 'BAD_USER_INPUT' },
  { name: 'a variable of another type', text: id, variables: { id: '1' }, code: 'BAD_USER_INPUT' },
  { name: 'a variable out of range', text: version, variables: { v: -1 }, code: 'BAD_USER_INPUT' },
  {
    name: 'several bad variables of both sides',
    text: 'query ($id: Int, $n: Int) { epoch(id: $id) { epochId } queryEvents(first: $n) { nodes { type } } }',
    variables: { id: 1.5, n: 'x' },
    code: 'BAD_USER_INPUT',
  },
  { name: 'a variable nobody declared', text: '{ epoch(id: $id) { epochId } }', code: 'GRAPHQL_VALIDATION_FAILED' },
  { name: 'a variable nobody uses', text: 'query ($id: Int) { chainIdentifier }', code: 'GRAPHQL_VALIDATION_FAILED' },
  {
    name: 'an operation name the document has not',
    text: 'query A { chainIdentifier } query B { epoch { epochId } }',
    operationName: 'C',
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  {
    name: 'two operations and no name',
    text: 'query A { chainIdentifier } query B { epoch { epochId } }',
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  {
    name: 'a subscription that there is none of',
    text: 'subscription { events { json } }',
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
];

describe('every transport returns the same response', () => {
  let devnet: GraphqlDevnet;
  let ledger: SpoilingUpstream;
  let gateway: TestGateway;
  let shells: Shells;
  let rpcVersion: string;
  let unique = 0;

  beforeAll(async () => {
    devnet = await startGraphqlDevnet();
    ledger = await spoilAnswers(devnet.devnet.graphqlUrl);
    gateway = await createTestGateway({
      LEDGER_GRAPHQL_URL: ledger.url,
      LEDGER_RPC_URL: devnet.devnet.rpcUrl,
      SPONSOR_URL: devnet.devnet.sponsorUrl,
      SPONSOR_TOKEN: 'token-of-this-test',
      SPONSOR_ALLOW_ANONYMOUS: 'true',
      CORS_ORIGINS: 'https://dapp.example',
      RATE_LIMIT_PER_MINUTE: '1000000',
      TRUSTED_PROXIES: '127.0.0.1',
    });
    shells = openShells(gateway);
    rpcVersion = (await devnet.query('{ chainIdentifier }')).headers.get('x-ledger-rpc-version') ?? '';
  });

  afterAll(async () => {
    for (const each of [shells, gateway, ledger, devnet]) await each?.[Symbol.asyncDispose]();
  });

  /**
   * Sends the operation over every transport that can carry it. @returns the first response, and which POSTs the lane served
   */
  async function expectSame(
    operation: CorpusOperation,
    form: Form,
  ): Promise<{ readonly first: ShellAnswer; readonly body: Body; readonly lanes: readonly boolean[] }> {
    // A comment creates a document that was never sent before, always of the same length.
    const fresh = { ...operation, text: `${operation.text} #${String(unique++).padStart(7, '0')}` };
    const posts: ShellAnswer[] = [];
    for (const _sight of ['first', 'second', 'third']) posts.push(await shells.post(fresh, form));
    const [first] = posts as [ShellAnswer];
    const others = [...posts.slice(1), await shells.ordinaryPost(fresh, form)];
    for (const each of others) expect(toSaid(each), fresh.text).toEqual(toSaid(first));
    if (!/^mutation/.test(operation.text)) others.push(await shells.get(fresh, form));
    // Only responses to GET have cache headers.
    for (const each of others) expect(withoutCaching(toSaid(each)), fresh.text).toEqual(withoutCaching(toSaid(first)));

    const { result, errors } = await shells.socket(fresh, form);
    const body = JSON.parse(first.body) as Body;
    // A rejection is an `error` message, which holds nothing else.
    if (result === null) expect(JSON.stringify(errors), fresh.text).toBe(JSON.stringify(body.errors));
    else expect(inOrder(result), fresh.text).toBe(inOrder(body));

    for (const { requestId, headers } of [...posts, ...others]) {
      expect(headers).toMatchObject({
        'content-type': `${form.accept}; charset=utf-8`,
        'x-request-id': requestId,
        'x-ledger-rpc-version': rpcVersion,
        'ratelimit-policy': '"default";q=1000000;w=60',
        ratelimit: '"default";r=999999',
      });
    }
    return { first, body, lanes: await shells.lanes(posts.map(({ requestId }) => requestId)) };
  }

  describe.each([...operationCorpus, ...ofTheGateway].map((operation, index) => ({ ...operation, index })))(
    'to $name',
    ({ index, ...operation }) => {
      test('in every form, without Yoga', async () => {
        ledger.faults = [];
        const seen = [];
        for (const form of formsOf(index)) seen.push({ form, ...(await expectSame(operation, form)) });
        for (const { form, first, body, lanes } of seen) {
          expect(first.status).toBe(200);
          expect(lanes).toEqual([true, true, true]);
          expect(body.extensions?.usage !== undefined).toBe(form.showUsage && !isSchemaAlone(operation));
          expect(inOrder({ ...body, extensions: undefined })).toBe(
            inOrder({ ...seen[0]?.body, extensions: undefined }),
          );
        }
        const usages = seen.flatMap(({ body }) =>
          body.extensions?.usage ? [JSON.stringify(body.extensions.usage)] : [],
        );
        expect(new Set(usages).size).toBeLessThan(2);
      });
    },
  );

  test.each(refusals.map((refusal, index) => ({ ...refusal, index })))(
    'to $name, refused',
    async ({ code, index, ...operation }) => {
      ledger.faults = [];
      ledger.exchanges.length = 0;
      for (const form of formsOf(index)) {
        const { first, body, lanes } = await expectSame(operation, form);
        expect(Object.keys(body)).not.toContain('data');
        expect(body.errors?.[0]?.extensions?.code).toBe(code);
        const strict = code === 'NOT_CONFIGURED' ? 501 : 400;
        expect(first.status).toBe(form.accept === graphqlJson ? strict : 200);
        expect(lanes).toEqual([true, true, true]);
      }
      expect(ledger.exchanges).toEqual([]);
    },
  );

  test('to plausible documents, and to documents with one mistake', async () => {
    ledger.faults = [];
    const schema = buildClientSchema((await devnet.data(getIntrospectionQuery())) as IntrospectionQuery);
    const seen = { served: 0, refused: 0 };
    for (let seed = 0; seed < runs(12); seed += 1) {
      const { text, variables } = plausibleDocument(schema, seed);
      // Changes a name or a number, so that most of these documents are invalid.
      const words = [...text.matchAll(/\b[a-z]\w+\b|\d+/g)];
      const word = words[(seed * 31) % words.length];
      const spoilt = word ? `${text.slice(0, word.index)}x9${text.slice(word.index + word[0].length)}` : text;
      for (const each of [text, spoilt]) {
        const { body } = await expectSame({ text: each, variables }, forms[seed % forms.length] as Form);
        seen[body.data === undefined ? 'refused' : 'served'] += 1;
      }
    }
    expect(Math.min(seen.served, seen.refused)).toBeGreaterThan(4);
  }, 300_000);

  const alone = (faults: Readonly<Record<string, LedgerFault>>) =>
    Object.entries(faults).map(([name, fault]) => [name, [fault]] as const);
  const oddlyPut = Object.entries({ ...harmlessFaults, errorsAmongOthers }).filter(([, { kind }]) => kind === 'text');
  const faults: readonly (readonly [string, readonly LedgerFault[]])[] = [
    ...alone(wholeAnswerFaults),
    ...alone(harmlessFaults),
    ...alone({ failingNonNullRoots, errorWithoutPath, deepValues }),
    ['epochs failing, errors among others', [failingEpochs, errorsAmongOthers]],
    ...[1, 3, 8].map((oneIn) => [`one field in ${oneIn} failing`, [failingFields(oneIn, oneIn)]] as const),
    ...oddlyPut.map(
      ([name, fault], seed) => [`one field in two failing, ${name}`, [failingFields(seed, 2), fault]] as const,
    ),
  ];
  /** Operations whose response the lane may forward unparsed, with and without usage to append. */
  const unread = operationCorpus
    .filter(({ name }) => /^(one field that may not|several fields|fragments in one another)/.test(name))
    .flatMap((operation) => [0, 1].map((form) => ({ operation, form })));
  const long: readonly (readonly [string, readonly LedgerFault[]])[] = [
    ['data alone', []],
    ['errors behind the data', [failingEpochs]],
    ['errors that are seldom alike', [failingFields(2, 2)]],
    ['errors first', [failingEpochs, harmlessFaults['errors first and data last'] as LedgerFault]],
    ['extensions of its own', [harmlessFaults['extensions of its own'] as LedgerFault]],
    ['errors among others', [failingEpochs, errorsAmongOthers]],
  ];

  test.each(long)('when the ledger’s response is too long to buffer, with %s', async (_, played) => {
    ledger.faults = [...played, longAnswer];
    for (const { operation, form } of unread) await expectSame(operation, forms[form] as Form);
  });

  test.each(faults.map(([name, played], index) => ({ name, played, index })))(
    'when the ledger answers with $name',
    async ({ played, index }) => {
      const others = partOf(operationCorpus, 12, index).map((operation, at) => ({ operation, form: at }));
      expect(unread).toHaveLength(6);
      for (const { operation, form } of [...partOf(unread, 2, index >> 1), ...others]) {
        // After 20 failures in a row, the gateway would send nothing.
        ledger.faults = [];
        expect((await gateway.query('{ chainIdentifier }')).errors).toBeUndefined();
        ledger.faults = played;
        const { first, body } = await expectSame(operation, forms[(index + form) % forms.length] as Form);
        // The gateway itself is healthy, whatever happens to its fields.
        expect(first.status).toBe(200);
        expect(Object.keys(body)).toContain('data');
        expect(first.body).not.toMatch(/"http"|Cannot return null|Unexpected error/);
      }
    },
  );
});

interface Body {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
  readonly extensions?: { readonly usage?: unknown };
}

/** Without data that differ for each request. */
function toSaid({ status, headers, body }: ShellAnswer) {
  const { 'x-request-id': _, ...rest } = headers;
  return { status, headers: rest, body };
}

function withoutCaching({ headers, ...said }: ReturnType<typeof toSaid>) {
  const { 'cache-control': _, vary: __, ...rest } = headers;
  return { ...said, headers: rest };
}

/** The three parts of a response, whose own order is free, in the order of arrival. */
function inOrder({ data, errors, extensions }: Readonly<Record<string, unknown>> | Body): string {
  return JSON.stringify([data, errors, extensions]);
}

/** A document that selects only the schema costs nothing, and its usage is omitted. */
function isSchemaAlone({ text }: CorpusOperation): boolean {
  return /^\{ __schema/.test(text);
}
