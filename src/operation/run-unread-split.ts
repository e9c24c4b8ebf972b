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
/** Returns our part's result. Throws what its execution threw. */
type OwnAnswer = () => ExecutionResult;

/** Runs a split operation, and joins our members to the ledger's, whose answer is not parsed. Never rejects. */
export async function runUnreadSplit(
  form: UnreadSplit,
  admitted: AdmittedOperation,
  server: ServerContext,
  run: OperationRun,
  ledger: RawLedger,
  done: (outcome: UnreadOutcome) => void,
): Promise<void> {
  const { operation, variables } = admitted;
  const { context, complete } = run;
  const asked = askLedger(form, variables, context, ledger);
  const ours = await attempt(() => form.executeOwn(variables, context));
  const theirs = await asked;
  run.end();
  const body = putTogether(form, theirs, ours, server.showUsage ? admitted.usage : null);
  if (body) {
    complete(0);
    return done({ kind: 'bytes', body });
  }
  const settle = async () => settleSplitAnswer(operation, variables, () => theirs.read(), ours());
  return tellResult(settle(), run, done);
}

function askLedger(
  form: UnreadSplit,
  variables: AdmittedOperation['variables'],
  { cancellation }: OperationContext,
  ledger: RawLedger,
): Promise<LedgerAnswer> {
  const request = {
    queryJson: form.queryJson,
    operationName: null,
    variables: form.ledgerVariables(variables),
    isMutation: false,
    operation: cancellation,
    isClientsText: false,
    usage: null,
    canStream: false,
  };
  return new Promise((resolve) => {
    const giveUp = ledger(request, (answer) => {
      if (answer.kind === 'stream') throw new Error('the ledger streams an answer that was asked for whole');
      resolve(answer);
    });
    cancellation.onCancel(giveUp);
  });
}

async function attempt(execute: () => ExecutionResult | Promise<ExecutionResult>): Promise<OwnAnswer> {
  try {
    const result = await execute();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** The whole response, joined from both texts; `null` if one part has errors or no data and they must be merged. */
function putTogether(form: UnreadSplit, theirs: LedgerAnswer, ours: OwnAnswer, usage: Usage | null) {
  const json = theirs.kind === 'plain' ? toMembers(ours) : null;
  if (theirs.kind !== 'plain' || json === null) return null;
  return spliceData(theirs.body, theirs.plainEnd, { json, isLast: form.isLedgerFirst }, usage);
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

/** `null` if the operation has one owner, or interleaves root keys of both, which must be merged key by key. */
export function toUnreadSplit(prepared: PreparedOperation): UnreadSplit | null {
  if (prepared.plan !== 'SPLIT' || prepared.isConditional) return null;
  const owners = [...prepared.rootFields({}).values()].map(([node]) => prepared.isLedgers(node?.name.value ?? ''));
  // All keys of one owner must come first: the owner changes exactly once.
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
