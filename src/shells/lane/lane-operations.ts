import type { PreparedDocument } from '../../documents/prepared-document.ts';
import { printJson } from '../../json/exact-number.ts';
import { maxJsonNesting, nestsDeeper } from '../../json/json-shape.ts';
import { parseRequestJson } from '../../json/parse-json.ts';
import type { AdmitOperation } from '../../operation/admit-operation.ts';
import type { UnreadOutcome } from '../../operation/operation-answer.ts';
import type { OperationRunner } from '../../operation/operation-runner.ts';
import type { PreparedOperation, ServedGeneration } from '../../operation/prepared-operation.ts';
import type { BegunOperation, ServerContext } from '../../operation/server-context.ts';
import type { Caller } from '../../subschemas/operation-context.ts';

/** A request that the lane can serve unless something goes wrong. */
export interface LaneOperation {
  readonly request: LaneRequest;
  readonly generation: ServedGeneration;
  readonly prepared: PreparedDocument<PreparedOperation>;
}

/** What the lane made of it. */
export type LaneOutcome =
  | Extract<UnreadOutcome, { kind: 'bytes' | 'stream' | 'gone' }>
  /** The body of an answer that was made here. */
  | { readonly kind: 'text'; readonly text: string }
  /** Left to Yoga, which goes on from here. */
  | { readonly kind: 'handover'; readonly begun: BegunOperation };

export interface LaneOperations {
  /**
   * The request as the lane can serve it; `null` where it cannot. Counts as a use of the document. Microseconds, but for
   * the first time that an operation is found: what its text decides is then worked out, and kept.
   * @param body of the request, whole
   */
  find(body: Buffer): LaneOperation | null;
  /**
   * Admits the operation of a caller who was counted, and runs it.
   * @param canStream can the caller be sent an answer whose length is not known?
   * @param done called once, perhaps from within the connection to the ledger
   */
  run(
    operation: LaneOperation,
    caller: Caller,
    server: ServerContext,
    canStream: boolean,
    done: (outcome: LaneOutcome) => void,
  ): Promise<void>;
}

export interface LaneOperationsOptions {
  readonly keeper: { readonly current: ServedGeneration };
  readonly admit: Pick<AdmitOperation, 'decide'>;
  readonly runner: Pick<OperationRunner, 'runUnread'>;
}

/**
 * The lane, for operations that have been seen before. It decides nothing that is decided elsewhere: what is not plain it
 * leaves to Yoga, with what was found out so far.
 */
export function createLaneOperations({ keeper, admit, runner }: LaneOperationsOptions): LaneOperations {
  return {
    find(body) {
      const request = toLaneRequest(body);
      if (!request) return null;
      const generation = keeper.current;
      const prepared = generation.documents.find(request.query);
      const operation = prepared?.kind === 'readable' ? prepared.operation(request.operationName) : null;
      if (!prepared || !operation || operation.refusal) return null;
      // Nobody is admitted yet: that something is wrong is all that is asked.
      if (!operation.fits(request.variables) && operation.coerce(request.variables, 1).errors) return null;
      return { request, generation, prepared };
    },
    async run({ request, generation, prepared }, caller, server, canStream, done) {
      const decided = admit.decide(server, caller, { ...request, found: { generation, prepared } });
      const admission = decided instanceof Promise ? await decided : decided;
      const handOver = (answer: BegunOperation['answer']) => done({ kind: 'handover', begun: { admission, answer } });
      if (admission.kind === 'refused') return handOver(null);
      await runner.runUnread(admission, server, canStream, (outcome) => {
        if (outcome.kind === 'unfinished') handOver(outcome.answer);
        else if (outcome.kind === 'result') done({ kind: 'text', text: printJson(outcome.result) });
        else done(outcome);
      });
    },
  };
}

/** An operation as the body of a request asks for it. */
export interface LaneRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
}

/** Reads a body that says nothing but what the lane understands; `null` for any other, right or wrong. */
export function toLaneRequest(body: Buffer): LaneRequest | null {
  let value: unknown;
  try {
    value = parseRequestJson(body.toString('utf8'));
  } catch {
    return null;
  }
  if (!isObject(value) || nestsDeeper(value, maxJsonNesting)) return null;
  let query: string | undefined;
  let variables: LaneRequest['variables'] = {};
  let operationName: string | null = null;
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (key === 'query' && typeof member === 'string') query = member;
    else if (key === 'variables' && isObject(member)) variables = member;
    else if (key === 'operationName' && typeof member === 'string' && member !== '') operationName = member;
    else if (key === 'extensions' && isObject(member)) continue;
    else if (key === 'query' || member !== null || !optionalKeys.has(key)) return null;
  }
  return query === undefined ? null : { query, variables, operationName };
}

const optionalKeys: ReadonlySet<string> = new Set(['variables', 'operationName', 'extensions']);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
