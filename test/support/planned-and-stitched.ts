import { buildClientSchema, type ExecutionResult, parse, validate } from 'graphql';
import { networkProfiles } from '../../src/config/network-profile.ts';
import { parseConfig } from '../../src/config/parse-config.ts';
import { Secret } from '../../src/config/secret.ts';
import type { Plan } from '../../src/documents/plan-operation.ts';
import { createEventsResolvers } from '../../src/events/events-resolvers.ts';
import { createFilterSupport } from '../../src/events/filter-support.ts';
import { createEventsClient, createRpcSources } from '../../src/events/rpc-sources.ts';
import { createCursorKeys } from '../../src/events/signed-cursor.ts';
import { buildGeneration, type Generation } from '../../src/graph/generation.ts';
import { fetchLedgerIntrospection } from '../../src/ledger/fetch-ledger-schema.ts';
import { createForwardToLedger, createLedgerExecutor } from '../../src/ledger/ledger-executor.ts';
import { silentLedgerService } from '../../src/ledger/ledger-service.ts';
import { createRawLedger } from '../../src/ledger/raw-ledger.ts';
import { createRpcVersion } from '../../src/ledger/rpc-version.ts';
import { createOpenOperation } from '../../src/operation/open-operation.ts';
import { createOperationRunner } from '../../src/operation/operation-runner.ts';
import { createPrepareOperation } from '../../src/operation/prepare-operation.ts';
import { createRunPlan } from '../../src/operation/run-plan.ts';
import { createSponsorClient } from '../../src/sponsor/sponsor-client.ts';
import { createSponsorResolvers } from '../../src/sponsor/sponsor-resolvers.ts';
import { connectUpstream } from '../../src/upstream/connect-upstream.ts';
import type { CorpusOperation } from './operation-corpus.ts';
import { createOwnSchema } from './own-schema.ts';
import { createReferenceGraph, executeReference } from './reference-graph.ts';
import { toTestServices } from './sponsorship-services.ts';
import { admitForTest, createTestServer, parsing, quietTurns, runParsed } from './test-operation.ts';

export interface PlannedAndStitched extends AsyncDisposable {
  readonly generation: Generation;
  isValid(text: string): boolean;
  /** The plan's name as clients see it. */
  planOf(operation: CorpusOperation): Plan;
  /** Is the operation one part, the ledger's? */
  isLedgersAlone(operation: CorpusOperation): boolean;
  /** Runs the operation by its plan. Rejects for an invalid document. */
  planned(operation: CorpusOperation): Promise<ExecutionResult>;
  /** Runs the operation by stitching, whatever its plan. */
  stitched(operation: CorpusOperation): Promise<ExecutionResult>;
}

export interface UpstreamAddresses {
  readonly graphqlUrl: string;
  readonly rpcUrl: string;
  readonly sponsorUrl: string;
  readonly sponsorToken: string;
}

const timeouts = { queryMs: 10_000, mutationMs: 10_000 };

/** The gateway without a transport: runs operations by their plan, and by stitching for comparison. */
export async function startPlannedAndStitched(upstreams: UpstreamAddresses): Promise<PlannedAndStitched> {
  const connect = (url: string) => connectUpstream({ name: 'ledger', urls: [url], now: Date.now });
  const [ledger, rpc, sponsor] = [
    connect(upstreams.graphqlUrl),
    connect(upstreams.rpcUrl),
    connect(upstreams.sponsorUrl),
  ];
  const profile = networkProfiles.ledger;
  const options = {
    rawCall: ledger.rawCall,
    path: ledger.path,
    versionHeader: profile.headers.version,
    version: createRpcVersion(),
    timeouts,
  };
  const rawLedger = createRawLedger(options);
  const execution = createLedgerExecutor(rawLedger, quietTurns());
  const client = createEventsClient({
    call: rpc.call,
    path: rpc.path,
    names: profile.events,
    timeoutMs: timeouts.queryMs,
  });
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
        requestTypeKey: profile.sponsor.requestTypeKey,
        timeouts,
        observe: () => {},
      }),
      sponsorship: {
        auth: 'token',
        token: new Secret(upstreams.sponsorToken),
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
  const generation = buildGeneration(
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
  const reference = createReferenceGraph({
    ownSchema,
    execute: execution,
    forward,
    names: profile.joins,
    ledger: { schema: buildClientSchema(introspection), limits: silentLedgerService.limits },
    inForce: generation.inForce,
    federation: null,
  });
  const openOperation = createOpenOperation({ timeouts, turns: quietTurns() });
  const runner = createOperationRunner({
    timeouts,
    turns: quietTurns(),
    runPlan: createRunPlan(forward, quietTurns()),
    ledger: () => {
      throw new Error('answers are read here');
    },
  });
  const check = (text: string): void => {
    const [invalid] = validate(generation.schema, parse(text));
    if (invalid) throw invalid;
  };
  return {
    generation,
    isValid: (text) => validate(generation.schema, parse(text)).length === 0,
    planOf: (operation) => admitForTest(generation, operation).operation.plan,
    isLedgersAlone: (operation) => admitForTest(generation, operation).operation.partsKind === 'upstream',
    async planned(operation) {
      check(operation.text);
      return runParsed(runner, admitForTest(generation, operation));
    },
    async stitched(operation) {
      const { text, variables = {}, operationName = null } = operation;
      check(text);
      const run = openOperation(createTestServer(), admitForTest(generation, operation));
      try {
        const request = { document: parse(text), operationName, variables, context: run.context };
        return run.tidy(await executeReference(reference, request));
      } finally {
        run.end();
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([ledger, rpc, sponsor].map((upstream) => upstream.close()));
    },
  };
}
