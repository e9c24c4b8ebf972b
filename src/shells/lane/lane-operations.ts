import type { DocumentNode, ExecutionResult, OperationDefinitionNode } from 'graphql';
import type { PreparedDocument } from '../../documents/prepared-document.ts';
import { createFitsVariables } from '../../execution/fits-variables.ts';
import type { Generation } from '../../graph/generation.ts';
import type { SchemaKeeper } from '../../graph/schema-keeper.ts';
import { printJson } from '../../json/exact-number.ts';
import type { Usage } from '../../limits/usage.ts';
import { withUsage } from '../../limits/usage-extension.ts';
import type { AdmitOperation, OperationAdmission } from '../../operation/admit-operation.ts';
import { coerceVariables } from '../../operation/coerce-variables.ts';
import type { OpenOperation, OperationRecord, ServerContext } from '../../operation/open-operation.ts';
import { isForwarded, type UnreadSplit } from '../../operation/prepared-operation.ts';
import type { RunPlan } from '../../operation/run-plan.ts';
import { type AnswerEnding, toAnswerEnding } from '../../subschemas/ledger/answer-ending.ts';
import type { StreamedAnswer } from '../../subschemas/ledger/answer-stream.ts';
import type { RawLedger } from '../../subschemas/ledger/raw-ledger.ts';
import type { Caller } from '../../subschemas/operation-context.ts';
import type { LaneOutcome, LaneRequest } from './lane-outcome.ts';
import { createRunUnreadSplit } from './lane-split.ts';

/** A request that needs nothing of the ordinary way unless something goes wrong. */
export interface LaneOperation {
  readonly request: LaneRequest;
  readonly generation: Generation;
  readonly form: LaneForm;
}

/** What of it the text alone decides. */
interface LaneForm {
  readonly prepared: PreparedDocument;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** The document as JSON has it, if it can go to the ledger as it came; `null` for one that is executed here. */
  readonly queryJson: string | null;
  /** How the ledger's answers end, if it goes there as it came. */
  readonly ending: AnswerEnding;
  /** For an operation whose parts can be put side by side unread. */
  readonly unreadSplit: UnreadSplit | null;
  readonly isMutation: boolean;
  readonly name: string | null;
  /** Do variables fit for certain? */
  readonly fits: ReturnType<typeof createFitsVariables>;
}

export interface LaneOperations {
  /** Whether the short way can serve a request. Pure, microseconds; nothing is counted and nothing is kept. */
  find(request: LaneRequest): LaneOperation | null;
  /**
   * Admits the operation of a caller who was counted, and asks the ledger.
   * @param canStream can the caller be sent an answer whose length is not known?
   * @param onHangUp is given what to do when the caller is gone, and does it at once if it already is
   */
  run(
    operation: LaneOperation,
    caller: Caller,
    server: ServerContext,
    canStream: boolean,
    onHangUp: (giveUp: () => void) => void,
    done: (outcome: LaneOutcome) => void,
  ): Promise<void>;
}

export interface LaneOperationsOptions {
  readonly keeper: Pick<SchemaKeeper, 'current'>;
  readonly admit: AdmitOperation;
  readonly openOperation: OpenOperation;
  readonly runPlan: Pick<RunPlan, 'operationOf' | 'unreadSplitOf' | 'merge' | 'settle' | 'run'>;
  readonly ledger: RawLedger;
}

/**
 * The short way for operations that have been seen before. Those that are the ledger's alone it forwards, their answer
 * unread; the others it executes by their plan. It decides nothing that is decided elsewhere: what is not plain it leaves
 * to the ordinary way, with what was found out so far.
 */
export function createLaneOperations(options: LaneOperationsOptions): LaneOperations {
  const { keeper, admit, openOperation, runPlan, ledger } = options;
  const runUnreadSplit = createRunUnreadSplit({ openOperation, merge: runPlan.merge, ledger });
  const forms = new WeakMap<PreparedDocument, Map<string | null, LaneForm | null>>();

  const toForm = (
    generation: Generation,
    prepared: PreparedDocument,
    { query, operationName }: LaneRequest,
  ): LaneForm | null => {
    const validity = prepared.kind === 'readable' ? prepared.validate() : null;
    if (validity?.kind !== 'valid') return null;
    const { document } = validity;
    const found = runPlan.operationOf(generation, document, operationName);
    if (!found || found.operation.operation === 'subscription') return null;
    const { operation, fragments } = found;
    const isAsItCame = isForwarded(found);
    return {
      prepared,
      document,
      operation,
      queryJson: isAsItCame ? JSON.stringify(query) : null,
      ending: isAsItCame ? toAnswerEnding(generation.schema, operation, fragments) : [],
      unreadSplit: runPlan.unreadSplitOf(generation, document, operationName),
      isMutation: operation.operation === 'mutation',
      name: operation.name?.value ?? null,
      fits: createFitsVariables(generation.schema, operation),
    };
  };

  const lookUp = (generation: Generation, request: LaneRequest): LaneForm | null => {
    const prepared = generation.documents.find(request.query);
    if (!prepared) return null;
    let byName = forms.get(prepared);
    if (!byName) {
      byName = new Map();
      forms.set(prepared, byName);
    }
    const known = byName.get(request.operationName);
    if (known !== undefined) return known;
    const made = toForm(generation, prepared, request);
    // Names that the document has not are the caller's invention, and without number.
    if (made) byName.set(request.operationName, made);
    return made;
  };

  return {
    find(request) {
      const generation = keeper.current;
      const form = lookUp(generation, request);
      if (!form) return null;
      if (!form.fits(request.variables)) {
        // Nobody is admitted yet: that something is wrong is all that is asked.
        const { errors } = coerceVariables(generation.schema, form.operation, request.variables, 1);
        if (errors) return null;
      }
      return { request, generation, form };
    },
    async run({ request, generation, form }, caller, server, canStream, onHangUp, done) {
      const found = { generation, prepared: form.prepared };
      const decided = admit.decide(server, caller, { ...request, found });
      const admission = decided instanceof Promise ? await decided : decided;
      if (admission.kind === 'refused') return done({ kind: 'handover', begun: { admission, answer: null } });
      const { operation, queryJson, ending, unreadSplit, isMutation, name } = form;
      if (unreadSplit) return runUnreadSplit(unreadSplit, request, admission, server, onHangUp, done);
      if (queryJson === null) return execute(request, form, admission, server, onHangUp, done);
      const record: OperationRecord = { caller: admission.caller.id, name, type: operation.operation, errors: 0 };
      server.operations.push(record);
      let isGone = false;
      let giveUp: ReturnType<RawLedger> = () => {};
      onHangUp(() => {
        isGone = true;
        giveUp('aborted');
      });
      // Being admitted took its time: for a caller who has left meanwhile nothing is begun.
      if (isGone) return done({ kind: 'gone' });
      giveUp = ledger(
        {
          queryJson,
          operationName: request.operationName,
          variables: request.variables,
          isMutation,
          isClientsText: true,
          ending,
          usage: server.showUsage ? admission.usage : null,
          canStream,
          settle: (errors) =>
            runPlan.settle({ ...request, generation, document: form.document }, { data: {}, errors }).errors ?? errors,
        },
        (answer) => {
          if (isGone) return done({ kind: 'gone' });
          if (answer.kind === 'plain') return done(answer);
          if (answer.kind === 'stream')
            return done({ kind: 'stream', body: recordErrors(answer.body, record, () => isGone) });
          // It is the ordinary way's to record.
          server.operations.pop();
          done({ kind: 'handover', begun: { admission, answer: answer.read } });
        },
      );
    },
  };

  async function execute(
    { query, operationName, variables }: LaneRequest,
    { document }: LaneForm,
    admission: Extract<OperationAdmission, { kind: 'admitted' }>,
    server: ServerContext,
    onHangUp: (giveUp: () => void) => void,
    done: (outcome: LaneOutcome) => void,
  ): Promise<void> {
    const { caller, generation } = admission;
    const { context, hangUp, end } = openOperation(server, { caller, document, operationName });
    onHangUp(hangUp);
    const answer = await runPlan
      .run({ generation, document, text: query, operationName, variables, context: { ...context } })
      .then(
        (result) => () => result,
        (error: unknown) => () => {
          throw error;
        },
      );
    end();
    if (context.cancellation.cause === 'aborted') return done({ kind: 'gone' });
    const text = toPlainText(answer, server.showUsage ? admission.usage : null);
    if (text !== null) return done({ kind: 'text', text });
    // It is the ordinary way's to record.
    server.operations.pop();
    done({ kind: 'handover', begun: { admission, answer } });
  }
}

/** Notes how an answer ended whose errors are known at its end alone; one that breaks off is one, if anybody waited for it. */
function recordErrors(body: StreamedAnswer, record: OperationRecord, isGone: () => boolean): StreamedAnswer {
  return {
    resume: () => body.resume(),
    start: (writer) =>
      body.start({
        write: (bytes) => writer.write(bytes),
        end: (errorCount) => {
          record.errors = errorCount;
          writer.end(errorCount);
        },
        fail: () => {
          if (!isGone()) record.errors = 1;
          writer.fail();
        },
      }),
  };
}

/** The answer as JSON if it has data and nothing to complain of; `null` for any other. */
function toPlainText(answer: () => ExecutionResult, usage: Usage | null): string | null {
  let result: ExecutionResult;
  try {
    result = answer();
  } catch {
    return null;
  }
  const { data, errors } = result;
  if (errors || !data) return null;
  return printJson(withUsage({ data }, usage));
}
