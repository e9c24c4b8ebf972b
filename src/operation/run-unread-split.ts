import type { ExecutionResult } from 'graphql';
import type { Usage } from '../documents/cost/usage.ts';
import { variablesOf } from '../documents/plan/split-document.ts';
import { printJson } from '../json/exact-number.ts';
import { spliceData } from '../ledger/answers/plain-answer.ts';
import type { RawLedger, RawLedgerAnswer } from '../ledger/raw-ledger.ts';
import type { OperationContext } from '../upstream/operation-context.ts';
import type { OperationRun } from './open-operation.ts';
import { tellResult, type UnreadOutcome } from './operation-answer.ts';
import type { AdmittedOperation, PreparedOperation, UnreadSplit } from './prepared-operation.ts';
import { settleSplitAnswer } from './run-plan.ts';
import type { ServerContext } from './server-context.ts';

type LedgerAnswer = Exclude<RawLedgerAnswer, { kind: 'stream' }>;
/** Our part's answer. Throws what executing it threw. */
type OwnAnswer = () => ExecutionResult;

/** Runs a split operation, and puts our members beside the ledger's, whose answer is not parsed. */
export function runUnreadSplit(
  form: UnreadSplit,
  admitted: AdmittedOperation,
  server: ServerContext,
  run: OperationRun,
  ledger: RawLedger,
  done: (outcome: UnreadOutcome) => void,
): void {
  const { variables } = admitted;
  const { context, complete } = run;
  const usage = server.showUsage ? admitted.usage : null;
  let theirs: LedgerAnswer | null = null;
  let ours: OwnAnswer | null = null;
  const finish = () => {
    if (!theirs || !ours) return;
    run.end();
    const body = putTogether(form, theirs, ours, usage);
    if (!body) return void tellResult(toMerged(admitted, theirs, ours), run, done);
    complete(0);
    done({ kind: 'bytes', body });
  };

  const giveUp = ledger(toLedgerRequest(form, variables, context), (answer) => {
    if (answer.kind === 'stream') throw new Error('the ledger room streams an answer that was asked for whole');
    theirs = answer;
    finish();
  });
  context.cancellation.onCancel(giveUp);
  executeOwn(form, variables, context, (answer) => {
    ours = answer;
    finish();
  });
}

function toLedgerRequest(
  form: UnreadSplit,
  variables: AdmittedOperation['variables'],
  { cancellation }: OperationContext,
): Parameters<RawLedger>[0] {
  return {
    queryJson: form.queryJson,
    operationName: null,
    variables: form.ledgerVariables(variables),
    isMutation: false,
    operation: cancellation,
    isClientsText: false,
    usage: null,
    canStream: false,
  };
}

/** Executes our part. @param done called once, perhaps before this returns */
function executeOwn(
  form: UnreadSplit,
  variables: AdmittedOperation['variables'],
  context: OperationContext,
  done: (answer: OwnAnswer) => void,
): void {
  const failed = (error: unknown) =>
    done(() => {
      throw error;
    });
  let begun: ReturnType<UnreadSplit['executeOwn']>;
  try {
    begun = form.executeOwn(variables, context);
  } catch (error) {
    failed(error);
    return;
  }
  const result = begun;
  if ('then' in result) result.then((answer) => done(() => answer), failed);
  else done(() => result);
}

/** The whole answer, made of both texts; `null` if one part has errors or no data, so that they must be merged. */
function putTogether(form: UnreadSplit, theirs: LedgerAnswer, ours: OwnAnswer, usage: Usage | null) {
  const json = theirs.kind === 'plain' ? toMembers(ours) : null;
  if (theirs.kind !== 'plain' || json === null) return null;
  return spliceData(theirs.body, theirs.plainEnd, { json, isLast: form.isLedgerFirst }, usage);
}

async function toMerged({ operation, variables }: AdmittedOperation, theirs: LedgerAnswer, ours: OwnAnswer) {
  return settleSplitAnswer(operation, variables, () => theirs.read(), ours());
}

/** Our part as JSON; `null` if it has errors or no data. */
function toMembers(answer: OwnAnswer): string | null {
  try {
    const { data, errors } = answer();
    return data && !errors ? printJson(data) : null;
  } catch {
    return null;
  }
}

/** `null` if the operation has one owner, or mixes root keys of both, so that its answer must be merged key by key. */
export function toUnreadSplit(prepared: PreparedOperation): UnreadSplit | null {
  if (prepared.plan !== 'SPLIT' || prepared.isConditional) return null;
  const owners = [...prepared.rootFields({}).values()].map(([node]) => prepared.isLedgers(node?.name.value ?? ''));
  // All keys of one owner must come before all of the other: the owner changes exactly once.
  if (owners.filter((owner, index) => index > 0 && owner !== owners[index - 1]).length !== 1) return null;
  const { ledger, own } = prepared.parts();
  return {
    kind: 'split',
    queryJson: JSON.stringify(ledger.text),
    ledgerVariables: (sent) => variablesOf(ledger, sent),
    isLedgerFirst: owners[0] === true,
    executeOwn: (sent, context) => own.execute(variablesOf(own, sent), context),
  };
}
