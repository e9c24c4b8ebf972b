import { type DocumentNode, type ExecutionResult, getOperationAST, parse, validate } from 'graphql';
import { networkProfiles } from '../../src/config/network-profile.ts';
import { Secret } from '../../src/config/secret.ts';
import { createExecuteStitched } from '../../src/execution/execute-stitched.ts';
import { buildGeneration, type Generation } from '../../src/graph/generation.ts';
import { coerceVariables } from '../../src/operation/coerce-variables.ts';
import { createOpenOperation, type ServerContext } from '../../src/operation/open-operation.ts';
import { createRunPlan } from '../../src/operation/run-plan.ts';
import { settleErrors } from '../../src/operation/settle-errors.ts';
import { fragmentsOf } from '../../src/planning/fragments-of.ts';
import type { Plan } from '../../src/planning/plan-operation.ts';
import { parseConfig } from '../../src/settings/parse-config.ts';
import { createEventsClient } from '../../src/subschemas/events/create-events-client.ts';
import { createEventsResolvers } from '../../src/subschemas/events/create-events-resolvers.ts';
import { createCursorKeys } from '../../src/subschemas/events/cursor-keys.ts';
import { fetchLedgerIntrospection } from '../../src/subschemas/ledger/fetch-ledger-schema.ts';
import { createForwardToLedger } from '../../src/subschemas/ledger/forward-to-ledger.ts';
import { createLedgerExecutor } from '../../src/subschemas/ledger/ledger-executor.ts';
import { silentLedgerService } from '../../src/subschemas/ledger/ledger-service.ts';
import { createRpcVersion } from '../../src/subschemas/ledger/rpc-version.ts';
import type { OperationContext } from '../../src/subschemas/operation-context.ts';
import { createSponsorClient } from '../../src/subschemas/sponsor/create-sponsor-client.ts';
import { createSponsorResolvers } from '../../src/subschemas/sponsor/create-sponsor-resolvers.ts';
import { connectUpstream } from '../../src/transport/connect-upstream.ts';
import type { CorpusOperation } from './operation-corpus.ts';
import { createOwnSchema } from './own-schema.ts';
import { toTestCaller } from './test-caller.ts';

export interface PlannedAndStitched extends AsyncDisposable {
  readonly generation: Generation;
  isValid(text: string): boolean;
  planOf(operation: CorpusOperation): Plan | null;
  /** The answer by the operation's plan. Rejects for a document that is not valid. */
  planned(operation: CorpusOperation): Promise<ExecutionResult>;
  /** The answer by stitching, whatever the plan. */
  stitched(operation: CorpusOperation): Promise<ExecutionResult>;
}

export interface UpstreamAddresses {
  readonly graphqlUrl: string;
  readonly rpcUrl: string;
  readonly sponsorUrl: string;
  readonly sponsorToken: string;
}

const timeouts = { queryMs: 10_000, mutationMs: 10_000 };

/** The gateway without any shell: operations executed by their plan, and by the general way for comparison. */
export async function startPlannedAndStitched(upstreams: UpstreamAddresses): Promise<PlannedAndStitched> {
  const connect = (url: string) => connectUpstream({ url, now: Date.now });
  const [ledger, rpc, sponsor] = [
    connect(upstreams.graphqlUrl),
    connect(upstreams.rpcUrl),
    connect(upstreams.sponsorUrl),
  ];
  const profile = networkProfiles.ledger;
  const options = {
    call: ledger.call,
    path: ledger.path,
    versionHeader: profile.headers.version,
    version: createRpcVersion(),
    timeouts,
  };
  const execution = createLedgerExecutor(options);
  const { methods } = profile.events;
  const local = createOwnSchema(
    createEventsResolvers({
      client: createEventsClient({ call: rpc.call, path: rpc.path, methods, timeoutMs: timeouts.queryMs }),
      missingSetting: '',
      profile,
      pages: { defaultSize: 20, maxSize: 50 },
      cursorKeys: createCursorKeys(new Secret('the key of cursors in tests')),
    }),
    createSponsorResolvers({
      client: createSponsorClient({
        call: sponsor.call,
        basePath: sponsor.path,
        requestTypeKey: profile.sponsor.requestTypeKey,
        timeouts,
        observe: () => {},
      }),
      sponsorship: { auth: 'token', token: new Secret(upstreams.sponsorToken), maxGasBudgetExclusive: 2_000_000_000 },
      limits: { maxTransactionPayloadBytes: 1_000 },
      now: () => 1_800_000_000_000,
    }),
  );
  const generation = buildGeneration(
    { introspection: await fetchLedgerIntrospection(execution), service: silentLedgerService, origin: 'ledger' },
    { local, execute: execution, names: profile.joins, config: parseConfig({ env: {}, readFile: () => '' }) },
  );
  const runPlan = createRunPlan(createForwardToLedger(options));
  const openOperation = createOpenOperation({ timeouts });

  /** Runs a valid operation in one of the two ways, and lets go of its deadline. */
  const run = async (
    { text, operationName }: CorpusOperation,
    way: (document: DocumentNode, context: OperationContext) => ExecutionResult | Promise<ExecutionResult>,
  ): Promise<ExecutionResult> => {
    const document = parse(text);
    const [invalid] = validate(generation.schema, document);
    if (invalid) throw invalid;
    const operation = openOperation(toServer(), { caller: toTestCaller(), document, operationName });
    try {
      return operation.finish(await way(document, operation.context));
    } finally {
      operation.end();
    }
  };
  return {
    generation,
    isValid: (text) => validate(generation.schema, parse(text)).length === 0,
    planOf: ({ text, operationName = null }) => runPlan.planOf(generation, parse(text), operationName),
    planned(operation) {
      const { text, variables = {}, operationName = null } = operation;
      return run(operation, (document, context) =>
        runPlan.run({ generation, document, text, operationName, variables, context }),
      );
    },
    stitched(operation) {
      const { variables = {}, operationName = null } = operation;
      const { schema } = generation;
      return run(operation, async (document, context) => {
        const asked = getOperationAST(document, operationName);
        if (!asked) throw new Error('no such operation');
        const coerced = coerceVariables(schema, asked, variables);
        if (coerced.errors) return { errors: coerced.errors };
        const result = await createExecuteStitched(schema, document, operationName)(variables, context);
        const answered = { schema, operation: asked, fragments: fragmentsOf(document), variables: coerced.values };
        return settleErrors(result, answered, true);
      });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([ledger, rpc, sponsor].map((upstream) => upstream.close()));
    },
  };
}

function toServer(): ServerContext {
  return {
    requestId: 'r',
    sender: {
      authorization: null,
      apiKey: null,
      origin: undefined,
      remoteAddress: '127.0.0.1',
      forwardedFor: undefined,
    },
    isGone: () => false,
    onStanding: () => {},
    showUsage: false,
    operations: [],
  };
}
