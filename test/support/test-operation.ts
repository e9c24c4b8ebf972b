import { type ExecutionResult, getOperationAST, parse } from 'graphql';
import { planOperation } from '../../src/documents/plan-operation.ts';
import { fragmentsOf } from '../../src/documents/selections.ts';
import { createTrustedDocuments } from '../../src/documents/trusted-documents.ts';
import type { Graph } from '../../src/graph/generation.ts';
import type { RawLedger } from '../../src/ledger/raw-ledger.ts';
import type { AdmittedOperation, ServerContext } from '../../src/operation/admit-operation.ts';
import type { OperationRunner } from '../../src/operation/operation-runner.ts';
import { createPrepareOperation } from '../../src/operation/prepare-operation.ts';
import { FairTurns, thisEventLoop } from '../../src/upstream/fair-turns.ts';
import type { CorpusOperation } from './operation-corpus.ts';
import { toTestCaller } from './test-caller.ts';

interface TestRequest extends Pick<CorpusOperation, 'text' | 'variables'> {
  readonly operationName?: string | null;
}

/** A valid operation, admitted without counting its caller. */
export function admitForTest(
  graph: Graph,
  { text, variables = {}, operationName = null }: TestRequest,
): AdmittedOperation {
  const document = parse(text);
  const operation = getOperationAST(document, operationName);
  if (!operation) throw new Error(`no operation ${operationName}`);
  const tree = { document, operation, fragments: fragmentsOf(document) };
  const plan = planOperation(tree, graph.ownership);
  const prepared = createPrepareOperation(graph)({
    text,
    json: JSON.stringify(text),
    plan,
    tree,
    readTree: () => tree,
  });
  return { kind: 'admitted', caller: toTestCaller(), operation: prepared, variables, operationName, usage: null };
}

/** Callers may run every document, and none can be requested by id. */
export const anyDocument = {
  trusted: createTrustedDocuments({ documents: null, automatic: null }),
  policy: 'allow',
  onUntrusted: () => {},
} as const;

/** Fair turns on a clock that stands still: work never waits. */
export const quietTurns = () => new FairTurns({ ...thisEventLoop, now: () => 0 });

/** A client of the ledger that never finds a response plain, so that its bytes are parsed. */
export const parsing =
  (ledger: RawLedger): RawLedger =>
  (request, answered) =>
    ledger({ ...request, isParsed: true }, answered);

/** Runs the parts of an operation over a `parsing` ledger, and merges their answers, even if one could be forwarded as bytes. */
export async function runParsed(
  runner: Pick<OperationRunner, 'runWhole'>,
  admitted: AdmittedOperation,
  server: ServerContext = createTestServer(),
): Promise<ExecutionResult> {
  const answer = await runner.runWhole({ ...admitted, operation: { ...admitted.operation, unread: null } }, server);
  if ('chunks' in answer) throw new Error('the answer was not parsed');
  return answer;
}

/** A request whose client can disconnect. */
export interface TestServer extends ServerContext {
  leave(): void;
}

export function createTestServer(): TestServer {
  let told: (() => void)[] = [];
  let isGone = false;
  return {
    requestId: 'r',
    arrivedAt: performance.now(),
    sender: {
      authorization: null,
      apiKey: null,
      origin: undefined,
      remoteAddress: '127.0.0.1',
      forwardedFor: undefined,
    },
    isGone: () => isGone,
    onGone: (giveUp) => {
      if (isGone) giveUp();
      else told.push(giveUp);
    },
    onStanding: () => {},
    showUsage: false,
    operations: [],
    codes: [],
    leave() {
      isGone = true;
      const all = told;
      told = [];
      for (const giveUp of all) giveUp();
    },
  };
}
