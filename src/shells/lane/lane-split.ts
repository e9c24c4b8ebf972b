import type { ExecutionResult } from 'graphql';
import { printJson } from '../../json/exact-number.ts';
import type { OperationAdmission } from '../../operation/admit-operation.ts';
import type { OpenOperation, ServerContext } from '../../operation/open-operation.ts';
import type { UnreadSplit } from '../../operation/prepared-operation.ts';
import type { RunPlan } from '../../operation/run-plan.ts';
import type { RawLedger, RawLedgerAnswer } from '../../subschemas/ledger/raw-ledger.ts';
import { spliceData } from '../../subschemas/ledger/splice-data.ts';
import type { LaneOutcome, LaneRequest } from './lane-outcome.ts';

type Answered = Exclude<RawLedgerAnswer, { kind: 'stream' }>;
type Admitted = Extract<OperationAdmission, { kind: 'admitted' }>;

export interface RunUnreadSplitOptions {
  readonly openOperation: OpenOperation;
  readonly merge: RunPlan['merge'];
  readonly ledger: RawLedger;
}

/** Runs a split operation with the ledger's part unread: our members are put beside its own. */
export type RunUnreadSplit = (
  unreadSplit: UnreadSplit,
  request: LaneRequest,
  admission: Admitted,
  server: ServerContext,
  onHangUp: (giveUp: () => void) => void,
  done: (outcome: LaneOutcome) => void,
) => void;

export function createRunUnreadSplit({ openOperation, merge, ledger }: RunUnreadSplitOptions): RunUnreadSplit {
  return (unreadSplit, { variables, operationName }, admission, server, onHangUp, done) => {
    const { caller, document, generation } = admission;
    const usage = server.showUsage ? admission.usage : null;
    const { context, end, hangUp } = openOperation(server, { caller, document, operationName });
    let theirs: Answered | null = null;
    let ours: (() => ExecutionResult) | null = null;

    const finish = () => {
      if (!theirs || !ours) return;
      end();
      if (context.cancellation.cause === 'aborted') return done({ kind: 'gone' });
      const json = theirs.kind === 'plain' ? toMembers(ours) : null;
      if (theirs.kind === 'plain' && json !== null) {
        const { body, plainEnd } = theirs;
        return done({
          kind: 'plain',
          body: spliceData(body, plainEnd, { json, isLast: unreadSplit.isLedgerFirst }, usage),
        });
      }
      // It is the ordinary way's to record.
      server.operations.pop();
      done({ kind: 'handover', begun: { admission, answer: toMerged(theirs, ours) } });
    };
    const toMerged = (ledgers: Answered, own: () => ExecutionResult) => () =>
      merge({ generation, document, operationName, variables }, () => ledgers.read(), own());
    const own = (answer: () => ExecutionResult) => {
      ours = answer;
      finish();
    };

    const giveUp = ledger(
      {
        queryJson: unreadSplit.queryJson,
        operationName: null,
        variables: unreadSplit.ledgerVariables(variables),
        isMutation: false,
        isClientsText: false,
        ending: unreadSplit.ending,
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
    onHangUp(hangUp);
    let result: ReturnType<UnreadSplit['executeOwn']>;
    try {
      result = unreadSplit.executeOwn(variables, context);
    } catch (error) {
      return own(() => {
        throw error;
      });
    }
    const settled = result;
    if (!('then' in settled)) return own(() => settled);
    settled.then(
      (answer) => own(() => answer),
      (error: unknown) =>
        own(() => {
          throw error;
        }),
    );
  };
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
