import { filterSchema } from '@graphql-tools/utils';
import {
  buildClientSchema,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  parse,
  validate,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { networkProfiles } from '../../src/config/network-profile.ts';
import { parseConfig } from '../../src/config/parse-config.ts';
import { Secret } from '../../src/config/secret.ts';
import type { Plan } from '../../src/documents/plan-operation.ts';
import { fragmentsOf } from '../../src/documents/selections.ts';
import { createCoerceVariables } from '../../src/engine/coerce-variables.ts';
import { createEventsResolvers } from '../../src/events/events-resolvers.ts';
import { createFilterSupport } from '../../src/events/filter-support.ts';
import { createEventsClient, createRpcSources } from '../../src/events/rpc-sources.ts';
import { createCursorKeys } from '../../src/events/signed-cursor.ts';
import { buildGeneration, type Generation } from '../../src/graph/generation.ts';
import { printJson } from '../../src/json/exact-json.ts';
import { fetchLedgerIntrospection } from '../../src/ledger/fetch-ledger-schema.ts';
import { createForwardToLedger, createLedgerExecutor } from '../../src/ledger/ledger-executor.ts';
import { silentLedgerService } from '../../src/ledger/ledger-service.ts';
import { createRawLedger } from '../../src/ledger/raw-ledger.ts';
import { createRpcVersion } from '../../src/ledger/rpc-version.ts';
import { createExecuteOwn } from '../../src/operation/execute-own.ts';
import { createOpenOperation } from '../../src/operation/open-operation.ts';
import { createOperationRunner, type OperationRunner } from '../../src/operation/operation-runner.ts';
import { createPrepareOperation } from '../../src/operation/prepare-operation.ts';
import { createRunPlan } from '../../src/operation/run-plan.ts';
import { settleErrors } from '../../src/operation/settle-errors.ts';
import { createSponsorClient } from '../../src/sponsor/sponsor-client.ts';
import { createSponsorResolvers } from '../../src/sponsor/sponsor-resolvers.ts';
import { connectUpstream, type UpstreamConnection } from '../../src/upstream/connect-upstream.ts';
import type { OperationContext } from '../../src/upstream/operation-context.ts';
import type { RawCall } from '../../src/upstream/raw-call.ts';
import { toWhole } from '../../src/upstream/upstream-call.ts';
import { addConditions, conditionValues } from '../support/add-conditions.ts';
import { createOwnSchema } from '../support/own-schema.ts';
import { plausibleDocument } from '../support/plausible-documents.ts';
import { createReferenceGraph, executeReference } from '../support/reference-graph.ts';
import { runs } from '../support/runs.ts';
import { toTestServices } from '../support/sponsorship-services.ts';
import { type GraphqlDevnet, startGraphqlDevnet } from '../support/start-graphql-devnet.ts';
import { admitForTest, createTestServer, parsing, quietTurns, runParsed } from '../support/test-operation.ts';

/** A response of the ledger, as JSON. */
interface LedgerAnswer {
  data: Record<string, Record<string, unknown> | null> | null;
  errors?: { message: string; path?: (string | number)[]; extensions?: Record<string, unknown> }[];
}

/** Under any plan, an operation returns what plain stitching returns: data, key order, errors and their contents. */
describe('the plans', () => {
  let devnet: GraphqlDevnet;
  let upstreams: readonly UpstreamConnection[] = [];
  let generation: Generation;
  let runner: OperationRunner;
  let reference: GraphQLSchema;
  const longTimeouts = { queryMs: 120_000, mutationMs: 120_000 };
  const taken = new Set<Plan | null>();
  /** Compared documents, with and without joins. */
  const compared = { joined: 0, own: 0 };
  /** Changes the ledger's response. */
  let meddle: ((answer: LedgerAnswer) => LedgerAnswer) | undefined;

  beforeAll(async () => {
    // Stitching rewrites documents and may select more than the client did, so no limits apply here.
    const limits = {
      maxQueryNodes: 50_000,
      maxQueryPayloadSize: 500_000,
      maxOutputNodes: 50_000_000,
      maxQueryDepth: 60,
    };
    devnet = await startGraphqlDevnet({ limits });
    const { graphqlUrl, rpcUrl, sponsorUrl } = devnet.devnet;
    upstreams = [graphqlUrl, rpcUrl, sponsorUrl].map((url) =>
      connectUpstream({ name: 'ledger', urls: [url], now: Date.now }),
    );
    const [ledger, rpc, sponsor] = upstreams;
    if (!ledger || !rpc || !sponsor) throw new Error('three upstreams');
    const timeouts = longTimeouts;
    const profile = networkProfiles.ledger;
    const options = {
      rawCall: ((request, listener) =>
        ledger.rawCall(request, {
          ...listener,
          answered(response) {
            if (!meddle) return listener.answered(response);
            const body = Buffer.from(JSON.stringify(meddle(JSON.parse(toWhole(response).body.toString()))));
            listener.answered({ ...response, chunks: [body], size: body.length });
          },
        })) satisfies RawCall,
      path: ledger.path,
      versionHeader: profile.headers.version,
      version: createRpcVersion(),
      timeouts,
    };
    const rawLedger = createRawLedger(options);
    const execution = createLedgerExecutor(rawLedger, quietTurns());
    const client = createEventsClient({ call: rpc.call, path: rpc.path, names: profile.events, timeoutMs: 120_000 });
    const ownSchema = createOwnSchema(
      createEventsResolvers({
        sources: () => createRpcSources(client, profile, createFilterSupport(profile.events, Date.now)),
        pages: { defaultSize: 20, maxSize: 50 },
        cursorKeys: createCursorKeys(new Secret('the key of cursors in tests')),
      }),
      createSponsorResolvers({
        client: createSponsorClient({
          call: sponsor.call,
          path: sponsor.path,
          requestTypeKey: 'requestType',
          timeouts,
          observe: () => {},
        }),
        sponsorship: {
          auth: 'token',
          token: new Secret('token-of-this-test'),
          maxGasBudgetExclusive: 2_000_000_000,
          maxOpenReservations: null,
          preflight: 'off',
          unreadable: 'refuse',
          dryRun: 'off',
        },
        doubted: () => {},
        limits: { maxTransactionPayloadBytes: 1_000 },
        mutationMs: timeouts.mutationMs,
        services: toTestServices('token', () => 1_800_000_000_000),
        now: () => 1_800_000_000_000,
      }),
    );
    const introspection = await fetchLedgerIntrospection(execution);
    generation = buildGeneration(
      { introspection, service: silentLedgerService, origin: 'ledger' },
      {
        prepareOn: createPrepareOperation,
        ownSchema,
        execute: execution,
        names: profile.joins,
        config: parseConfig({ env: {}, readFile: () => '' }),
      },
    );
    const forward = createForwardToLedger(parsing(rawLedger), quietTurns());
    reference = createReferenceGraph({
      ownSchema,
      execute: execution,
      forward,
      names: profile.joins,
      ledger: { schema: buildClientSchema(introspection), limits: silentLedgerService.limits },
      inForce: generation.inForce,
      federation: null,
    });
    runner = createOperationRunner({
      timeouts: longTimeouts,
      turns: quietTurns(),
      runPlan: createRunPlan(forward, quietTurns()),
      ledger: () => {
        throw new Error('answers are read here');
      },
    });
  });

  afterAll(async () => {
    await Promise.all(upstreams.map((upstream) => upstream.close()));
    await devnet?.[Symbol.asyncDispose]();
  });

  /** As clients receive it, without the extensions that the server removes: key order, and errors in order. */
  const shown = ({ data, errors = [] }: ExecutionResult) => ({
    data: data === undefined ? 'none' : printJson(data),
    errors: errors.map(({ message, locations, path, extensions: { http: _, ...extensions } }) =>
      printJson({ message, locations, path, extensions }),
    ),
  });

  const openOperation = createOpenOperation({ timeouts: longTimeouts, turns: quietTurns() });

  async function compare(
    text: string,
    variables: Record<string, unknown> = {},
    operationName: string | null = null,
  ): Promise<void> {
    const document = parse(text);
    expect(validate(generation.schema, document), text).toEqual([]);
    const admitted = admitForTest(generation, { text, variables, operationName });
    const { plan } = admitted.operation;
    const run = openOperation(createTestServer(), admitted);
    const stitched = run.tidy(await stitchedAnswer(document, variables, operationName, run.context));
    run.end();
    const planned = await runParsed(runner, admitted);
    taken.add(plan);
    compared[admitted.operation.hasJoins ? 'joined' : 'own'] += 1;
    // With ledger fields only, errors have the ledger's order, which stitching does not know.
    const inPlaces = plan === 'PASS_THROUGH' ? inOrder(planned, document, variables, operationName) : planned;
    const [ours, theirs] = [shown(inPlaces), shown(stitched)];
    expect(ours.data, text).toBe(theirs.data);
    // Once `data` is null, stitching drops later errors; a plan may report every field.
    if (ours.data === 'null')
      expect(
        ours.errors.filter((error) => theirs.errors.includes(error)),
        text,
      ).toEqual(theirs.errors);
    else expect(ours.errors, text).toEqual(theirs.errors);
    for (const error of planned.errors ?? []) expectInText(error, text);
  }

  async function stitchedAnswer(
    document: DocumentNode,
    sent: Record<string, unknown>,
    operationName: string | null,
    context: OperationContext,
  ): Promise<ExecutionResult> {
    return executeReference(reference, { document, operationName, variables: sent, context });
  }

  /** Errors in the order of their paths in the response. */
  function inOrder(
    result: ExecutionResult,
    document: DocumentNode,
    sent: Record<string, unknown>,
    operationName: string | null,
  ): ExecutionResult {
    const { schema } = generation;
    const operation = getOperationAST(document, operationName);
    if (!operation) throw new Error('no such operation');
    const coerced = createCoerceVariables(schema, operation, () => operation)(sent);
    const variables = coerced.errors ? {} : coerced.values;
    return settleErrors(result, { schema, operation, fragments: fragmentsOf(document), variables }, true);
  }

  /** An error with a path points at the field of that response key. */
  function expectInText({ path, locations }: GraphQLError, text: string): void {
    if (!path) return;
    const key = path.findLast((each) => typeof each === 'string');
    expect(locations?.length, `${text}\n${JSON.stringify(path)}`).toBeGreaterThan(0);
    for (const { line, column } of locations ?? []) {
      const at = text.split('\n')[line - 1]?.slice(column - 1) ?? '';
      expect(/^\w+/.exec(at)?.[0], text).toBe(key);
    }
  }

  async function compareIfValid(
    text: string,
    variables: Record<string, unknown> | undefined,
    counts: { compared: number; invalid: number },
  ): Promise<void> {
    const isValid = validate(generation.schema, parse(text)).length === 0;
    counts[isValid ? 'compared' : 'invalid'] += 1;
    if (isValid) await compare(text, variables);
  }

  it.each([
    ['{ chainIdentifier }'],
    ['{ b: chainIdentifier a: epoch(id: 1) { epochId } __typename }'],
    [
      'query ($id: Int, $no: Boolean!) { epoch(id: $id) { ...E } x: chainIdentifier @skip(if: $no) } fragment E on Epoch { epochId }',
      { id: 2, no: true },
    ],
    ['query ($no: Boolean!) { chainIdentifier @skip(if: $no) }', { no: true }],
    [
      'query ($no: Boolean!) { ...F @include(if: $no) sponsor { health } } fragment F on Query { chainIdentifier }',
      { no: false },
    ],
    ['query A { chainIdentifier } query B { sponsor { health } }', {}, 'A'],
    ['query A { chainIdentifier } query B { sponsor { health } }', {}, 'B'],
    ['{ sponsor { health } chainIdentifier queryEvents(last: 2) { nodes { type } } epoch { epochId } __typename }'],
    [
      '{ ...Mixed } fragment Mixed on Query { z: sponsor { ...S } ...Ledger } fragment S on Sponsor { version { raw } } fragment Ledger on Query { checkpoint { digest } }',
    ],
    [
      'query ($n: Int, $m: Int) { events(first: $n) { nodes { json } } queryEvents(first: $m) { nodes { id txDigest eventSeq } } }',
      { n: 2, m: 1 },
    ],
    ['{ events(first: 1, last: 1) { nodes { json } } epoch { epochId } }'],
    ['{ epoch(id: 1) { epochId checkpoints(first: 99) { nodes { digest } } } sponsor { health } }'],
    ['{ object(address: "nonsense") { digest } chainIdentifier }'],
    ['query ($id: Int!) { epoch(id: $id) { epochId } sponsor { health } }', { id: 'x' }],
    ['query ($id: Int!) { epoch(id: $id) { epochId } }', {}],
    ['{ queryEvents(first: 1, last: 1) { nodes { type } } chainIdentifier }'],
    ['{ queryEvents(last: 2) { nodes { transactionBlock { digest } senderAddress { address } } } chainIdentifier }'],
    ['{ __schema { queryType { name } } chainIdentifier }'],
    ['{ serviceConfig { maxQueryDepth } chainIdentifier }'],
    [
      'query ($no: Boolean!) { queryEvents(first: 1, last: 1) { nodes { type senderAddress @include(if: $no) { address } } } sponsor { health } }',
      { no: false },
    ],
    [
      '{ epoch(id: 1) { epochId }\n  q: queryEvents(first: 1, last: 1) { nodes { senderAddress { address } } } object(address: "nonsense") { digest } }',
    ],
    ['{ then: sponsor { then: health } chainIdentifier }'],
    ['{ then: epoch(id: 1) { then: epochId } serviceConfig { then: maxQueryDepth } }'],
    [
      '{ a: epoch(id: 1) { then: epochId } then: chainIdentifier queryEvents(last: 2) { then: nodes { then: id txDigest: eventSeq senderAddress { then: address } } } }',
    ],
    [
      '{ queryEvents(last: 2) { nodes { then: id txDigest: sender transactionBlock { then: digest effects { then: status } } } } }',
    ],
    [
      '{ then: object(address: "nonsense") { then: digest } serviceConfig { maxQueryDepth } x: queryEvents(first: 1, last: 1) { then: nodes { type } } }',
    ],
    ['{ constructor: sponsor { health } toString: chainIdentifier valueOf: sponsor { hasOwnProperty: health } }'],
    ['{ queryEvents(last: 1) { constructor: nodes { toString: senderAddress { valueOf: address } } } }'],
    ['mutation { reserveGas(gasBudget: 0, reserveDurationSecs: 1) { reservationId } }'],
    ['mutation { executeTransactionBlock(txBytes: "AA==", signatures: []) { errors } }'],
    [
      `mutation ($no: Boolean!) { __typename a: executeTransactionBlock(txBytes: "AA==", signatures: []) { errors }
        reserveGas(gasBudget: 0, reserveDurationSecs: 1) { reservationId }
        b: executeTransactionBlock(txBytes: "AAA=", signatures: []) @skip(if: $no) { effects { status } } ...M }
      fragment M on Mutation { c: executeTransactionBlock(txBytes: "AA==", signatures: []) @include(if: $no) { errors } }`,
      { no: true },
    ],
    [
      'mutation ($d: Int!) { reserveGas(gasBudget: 1, reserveDurationSecs: $d) { reservationId sponsor { address } } executeTransactionBlock(txBytes: "AA==", signatures: []) { errors } }',
      { d: -1 },
    ],
    [
      `query ($no: Boolean!) { page: queryEvents(last: 2) { nodes { id @skip(if: $no) transactionBlock @include(if: $no) { digest }
        ... @include(if: $no) { who: senderAddress { address @skip(if: $no) } } } } epoch @skip(if: $no) { epochId } chainIdentifier
        ... @skip(if: $no) { __schema { queryType { name } } sponsor { health } } }`,
      { no: false },
    ],
    [
      `query ($no: Boolean!) { page: queryEvents(last: 2) { nodes { id @skip(if: $no) transactionBlock @include(if: $no) { digest }
        ... @include(if: $no) { who: senderAddress { address @skip(if: $no) } } } } epoch @skip(if: $no) { epochId } chainIdentifier
        ... @skip(if: $no) { __schema { queryType { name } } sponsor { health } } }`,
      { no: true },
    ],
    ['{ __proto__: sponsor { __proto__: health } queryEvents(last: 1) { nodes { id } } }'],
    [
      '{ __type(name: "LiveEvent") { possibleTypes { name } } queryEvents(last: 1) { nodes { transactionBlock { digest } } } }',
    ],
    ['{ c: serviceConfig { maxQueryDepth d: maxQueryNodes ... { maxPageSize } } }'],
  ])('agree with stitching on %s', (text, variables = {}, operationName = undefined) =>
    compare(text, variables as Record<string, unknown>, (operationName as string | undefined) ?? null),
  );

  it('agree on plausible documents for the whole graph', async () => {
    const counts = { compared: 0, invalid: 0 };
    for (let seed = 0; seed < runs(60); seed += 1) {
      const { text, variables } = plausibleDocument(generation.schema, seed);
      // The gateway's fields about itself have no resolvers here.
      if (/\b(estimate|viewer|gateway)\b/.test(text)) continue;
      await compareIfValid(text, variables, counts);
    }
    // Some generated arguments have the wrong type; the transport tests check that all reject them alike.
    expect(counts.compared).toBeGreaterThan(9 * counts.invalid);
    expect([...taken].sort()).toEqual(['LOCAL', 'PASS_THROUGH', 'SPLIT', 'STITCHED']);
  }, 300_000);

  it('agree on plausible documents for the gateway’s own fields, with joins', async () => {
    const own = filterSchema({
      schema: generation.schema,
      rootFieldFilter: (_operation, name) => ['queryEvents', 'queryTransactionBlocks', 'sponsor'].includes(name ?? ''),
    });
    const before = { ...compared };
    const counts = { compared: 0, invalid: 0 };
    for (let seed = 0; seed < runs(40); seed += 1) {
      const { text, variables } = plausibleDocument(own, seed);
      await compareIfValid(text, variables, counts);
    }
    expect(counts.compared).toBeGreaterThan(9 * counts.invalid);
    expect(compared.joined - before.joined).toBeGreaterThan(5);
    expect(compared.own - before.own).toBeGreaterThan(5);
  }, 300_000);

  it('agree on plausible documents under every condition', async () => {
    const counts = { compared: 0, invalid: 0 };
    for (let seed = 500; seed < 500 + runs(24); seed += 1) {
      const { text, variables } = plausibleDocument(generation.schema, seed);
      if (/\b(estimate|viewer|gateway)\b/.test(text)) continue;
      const conditional = addConditions(text, seed);
      for (const values of conditionValues) await compareIfValid(conditional, { ...variables, ...values }, counts);
    }
    expect(counts.compared).toBeGreaterThan(9 * counts.invalid);
  }, 300_000);

  it.each([
    '{ live: liveEvents { __typename ... on LiveEventItem { cursor event { id transactionBlock { digest effects { status } } } } } }',
    '{ liveEvents { ... on LiveEventItem @skip(if: $no) { event { who: senderAddress { address ... on IOwner { id: address } } } } ... on LiveGap { reason } } }',
    '{ liveEvents { ...I } } fragment I on LiveEventItem { event { type ...E @include(if: $no) } } fragment E on RpcEvent { transactionBlock { digest } }',
  ])('execute an item of a stream as stitching does: %s', async (selection) => {
    const text = `subscription ${selection.includes('$no') ? '($no: Boolean!) ' : ''}${selection}`;
    const document = parse(text);
    const operation = getOperationAST(document);
    expect([operation?.operation, validate(generation.schema, document)]).toEqual(['subscription', []]);
    if (!operation) throw new Error('the document has no operation');
    const page = await runParsed(
      runner,
      admitForTest(generation, { text: '{ queryEvents(last: 2) { nodes { id type sender txDigest } } }' }),
    );
    const connection = page.data?.queryEvents as { nodes: object[] } | undefined;
    const nodes = connection?.nodes ?? [];
    expect(nodes).toHaveLength(2);
    const items = [
      ...nodes.map((event) => ({ __typename: 'LiveEventItem', cursor: 'c', event })),
      { __typename: 'LiveEventItem', cursor: 'c', event: { ...nodes[0], txDigest: 'nonsense', sender: 'nonsense' } },
      { __typename: 'LiveEventItem', cursor: null, event: nodes[0] },
      { __typename: 'LiveGap', reason: 'RESTARTED' },
      { __typename: 'Nothing' },
      null,
    ];
    const { schema, ownSchema, operationJoins: joins } = generation;
    const fragments = fragmentsOf(document);
    const execute = createExecuteOwn({ schema, ownSchema, operation, fragments, joins });
    for (const no of [true, false]) {
      const variables = selection.includes('$no') ? { no } : {};
      for (const item of items) {
        const run = openOperation(createTestServer(), admitForTest(generation, { text: '{ __typename }' }));
        const { context } = run;
        const rootValue = { liveEvents: item };
        const answered = { schema, operation, fragments, variables };
        const ours = settleErrors(await execute(variables, context, rootValue), answered, true);
        const theirs = await executeReference(reference, {
          document,
          operationName: null,
          variables,
          context,
          rootValue,
        });
        run.end();
        const isUnknown = item?.__typename === 'Nothing';
        const [one, other] = [shown(run.tidy(ours)), shown(run.tidy(theirs))];
        expect(one.data, text).toBe(other.data);
        expect(isUnknown ? one.errors.length : one.errors, text).toEqual(
          isUnknown ? other.errors.length : other.errors,
        );
      }
    }
  });

  describe('if the ledger fails below a join', () => {
    const text = `{ page: queryEvents(last: 3) { nodes {
      tb: transactionBlock { digest fx: effects { status lamportVersion } }
      again: transactionBlock { digest fx: effects { status lamportVersion } }
      who: senderAddress { address ... on IOwner { id: address } }
    } } }`;
    const transactions = ({ data }: LedgerAnswer) =>
      Object.entries(data ?? {}).filter(([, value]) => value && 'digest' in value);
    const error = (message: string, ...path: (string | number)[]) => ({
      message,
      path,
      extensions: { code: 'BAD_USER_INPUT' },
    });

    it.each<[string, (answer: LedgerAnswer) => LedgerAnswer]>([
      ['nothing is wrong', (answer) => answer],
      [
        'it knows none of them',
        ({ data }) => ({ data: Object.fromEntries(Object.keys(data ?? {}).map((key) => [key, null])) }),
      ],
      [
        'something deep is null, with an error',
        (answer) => ({
          data: {
            ...answer.data,
            ...Object.fromEntries(transactions(answer).map(([key, value]) => [key, { ...value, fx: null }])),
          },
          errors: transactions(answer).map(([key]) => error('no status', key, 'fx', 'status')),
        }),
      ],
      [
        'whole values are null, with several errors each',
        (answer) => ({
          data: { ...answer.data, ...Object.fromEntries(transactions(answer).map(([key]) => [key, null])) },
          errors: transactions(answer).flatMap(([key]) => [
            error('no status', key, 'fx', 'status'),
            error('nor this', key),
          ]),
        }),
      ],
      ['it refuses the whole', () => ({ data: null, errors: [{ message: 'Query too deep' }] })],
      [
        'it refuses the whole for several reasons',
        () => ({ data: null, errors: [{ message: 'Query too deep' }, { message: 'Query too wide' }] }),
      ],
      ['the whole is null for one of them', () => ({ data: null, errors: [error('no transaction', 'k0')] })],
    ])('they agree: %s', async (_, change) => {
      meddle = change;
      try {
        await compare(text);
      } finally {
        meddle = undefined;
      }
    });

    it('they agree when its response is not GraphQL', async () => {
      meddle = () => [] as unknown as LedgerAnswer;
      try {
        await compare(text);
      } finally {
        meddle = undefined;
      }
    });
  });
});
