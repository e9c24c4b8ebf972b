import type { ExecutionResult } from 'graphql';
import { spliceData } from '../answers/splice-data.ts';
import { printJson } from '../json/exact-number.ts';
import type { RawLedger, RawLedgerAnswer } from '../subschemas/ledger/raw-ledger.ts';
import type { OperationRun } from './open-operation.ts';
import type { AdmittedOperation } from './operation-admission.ts';
import type { UnreadOutcome } from './operation-answer.ts';
import type { UnreadSplit } from './prepared-operation.ts';
import { mergeAnswers } from './run-plan.ts';
import type { ServerContext } from './server-context.ts';

type LedgerAnswer = Exclude<RawLedgerAnswer, { kind: 'stream' }>;

/** Runs a split operation with the ledger's part unread: our members are put beside its own. */
export function runUnreadSplit(
  form: UnreadSplit,
  { operation, variables, usage }: AdmittedOperation,
  server: ServerContext,
  { context, end, complete }: OperationRun,
  ledger: RawLedger,
  done: (outcome: UnreadOutcome) => void,
): void {
  let theirs: LedgerAnswer | null = null;
  let ours: (() => ExecutionResult) | null = null;

  const finish = () => {
    if (!theirs || !ours) return;
    end();
    if (context.cancellation.cause === 'aborted') return done({ kind: 'gone' });
    const json = theirs.kind === 'plain' ? toMembers(ours) : null;
    if (theirs.kind === 'plain' && json !== null) {
      const members = { json, isLast: form.isLedgerFirst };
      const body = spliceData(theirs.body, theirs.plainEnd, members, server.showUsage ? usage : null);
      complete(0);
      return done({ kind: 'bytes', body });
    }
    complete(null);
    done({ kind: 'unfinished', answer: toMerged(theirs, ours) });
  };
  const toMerged = (ledgers: LedgerAnswer, own: () => ExecutionResult) => () =>
    mergeAnswers(operation, variables, () => ledgers.read(), own());
  const own = (answer: () => ExecutionResult) => {
    ours = answer;
    finish();
  };
  const failed = (error: unknown) =>
    own(() => {
      throw error;
    });

  const giveUp = ledger(
    {
      queryJson: form.queryJson,
      operationName: null,
      variables: form.ledgerVariables(variables),
      isMutation: false,
      isClientsText: false,
      ending: form.ending,
      usage: null,
      canStream: false,
    },
    (answer) => {
      if (answer.kind === 'stream') throw new Error('an answer is passed on that cannot be');
      theirs = answer;
      finish();
    },
  );
  context.cancellation.onCancel(giveUp);
  let result: ReturnType<UnreadSplit['executeOwn']>;
  try {
    result = form.executeOwn(variables, context);
  } catch (error) {
    failed(error);
    return;
  }
  const begun = result;
  if ('then' in begun) begun.then((answer) => own(() => answer), failed);
  else own(() => begun);
}

/** Our part as JSON, if there is nothing to complain of. */
function toMembers(answer: () => ExecutionResult): string | null {
  try {
    const { data, errors } = answer();
    return data && !errors ? printJson(data) : null;
  } catch {
    return null;
  }
}
