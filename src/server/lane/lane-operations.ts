import type { GraphQLError } from 'graphql';
import { withUsage } from '../../documents/cost/usage.ts';
import { maxJsonNesting, nestsDeeper } from '../../json/json-shape.ts';
import { parseRequestJson } from '../../json/parse-json.ts';
import type { AdmitOperation } from '../../operation/admit-operation.ts';
import type { UnreadOutcome } from '../../operation/operation-answer.ts';
import type { OperationRunner } from '../../operation/operation-runner.ts';
import type { AdmittedOperation } from '../../operation/prepared-operation.ts';
import type { ServerContext } from '../../operation/server-context.ts';
import type { Caller } from '../../upstream/operation-context.ts';

/** How an operation left the lane. */
export type LaneOutcome =
  | Exclude<UnreadOutcome, { kind: 'failed' }>
  /** Left to Yoga, which opens its stream. */
  | { readonly kind: 'subscription'; readonly admitted: AdmittedOperation };

export interface LaneOperations {
  /**
   * Reads the operation that a request asks for; `null` if its body has anything that the lane does not understand.
   * @param body whole
   */
  read(body: Buffer): LaneRequest | null;
  /**
   * Admits the operation of a caller who was counted, and runs it. What is new is prepared first.
   * @param canStream can the caller be sent an answer whose length is not known?
   * @param done called once, perhaps from within the connection to the ledger
   */
  run(
    request: LaneRequest,
    caller: Caller,
    server: ServerContext,
    canStream: boolean,
    done: (outcome: LaneOutcome) => void,
  ): Promise<void>;
}

export interface LaneOperationsOptions {
  readonly admit: Pick<AdmitOperation, 'decide'>;
  readonly runner: Pick<OperationRunner, 'runUnread'>;
  readonly maskError: (error: unknown, requestId: string) => GraphQLError;
}

/** The lane serves plain requests without Yoga, whatever their answer is; it leaves subscriptions to Yoga. */
export function createLaneOperations({ admit, runner, maskError }: LaneOperationsOptions): LaneOperations {
  return {
    read: toLaneRequest,
    async run(request, caller, server, canStream, done) {
      const decided = admit.decide(server, caller, request);
      const admission = decided instanceof Promise ? await decided : decided;
      const refuse = (errors: readonly GraphQLError[]) =>
        done({ kind: 'result', result: withUsage({ errors }, server.showUsage ? admission.usage : null) });
      if (admission.kind === 'refused') return refuse(admission.errors);
      // A stream leaves in many pieces, in a form of its own.
      if (admission.operation.openStream) return done({ kind: 'subscription', admitted: admission });
      await runner.runUnread(admission, server, canStream, (outcome) => {
        if (outcome.kind === 'failed') refuse([maskError(outcome.error, server.requestId)]);
        else done(outcome);
      });
    },
  };
}

/** What the body of a request asks for. */
export interface LaneRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
}

/** Reads the body of a request; `null` for anything unusual, valid or not, which Yoga then judges. */
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
    if (key === 'query' && typeof member === 'string' && member !== '') query = member;
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
