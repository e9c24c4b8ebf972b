import type { GraphQLError, OperationDefinitionNode } from 'graphql';
import type { Usage } from '../documents/cost/usage.ts';
import type { Variables } from '../documents/cost/variables.ts';
import type { Plan } from '../documents/plan/plan-operation.ts';
import type { ReadDocument } from '../documents/prepared-document.ts';
import { decideOperation } from '../operation/admit-operation.ts';
import type { PreparedOperation, ServedGeneration } from '../operation/prepared-operation.ts';
import { findRefusedPages } from './find-refused-pages.ts';

/** An operation that is asked about and not executed. */
export interface JudgedRequest {
  readonly query: string;
  readonly variables: Variables;
  readonly operationName: string | null;
}

export interface Judgement extends ReadDocument {
  /** `null` if the document is refused before it is counted, or asks only for the schema. */
  readonly usage: Usage | null;
  /** As `PreparedOperation.ownMutations`; 0 if it is refused before it is counted against the rate limit. */
  readonly ownMutations: number;
  /** Empty if it would be executed. */
  readonly errors: readonly GraphQLError[];
  /** `null` if it is refused. */
  readonly bound: {
    readonly operation: OperationDefinitionNode;
    readonly variables: Variables;
    readonly plan: Plan;
  } | null;
}

/**
 * Decides what would become of an operation, up to the moment of its execution: first what admission says, then whether
 * its variables fit, then whether its pages would be refused. Keeps nothing.
 * @param read the document, if it was read already
 */
export function judgeOperation(
  generation: ServedGeneration,
  request: JudgedRequest,
  read: ReadDocument<PreparedOperation> = generation.documents.read(request.query),
): Judgement {
  const decision = decideOperation(generation, read.prepared, request);
  const { usage } = decision;
  if (decision.kind === 'refused') return { ...read, usage, ownMutations: 0, errors: decision.errors, bound: null };
  const { tree, plan, ownMutations, coerce, checkWaits } = decision.operation;
  const refused = (errors: readonly GraphQLError[]) => ({ ...read, usage, ownMutations, errors, bound: null });
  const coerced = coerce(request.variables);
  if (coerced.errors) return refused(coerced.errors);
  const variables = coerced.values;
  const asked = tree();
  const errors = [...(checkWaits?.(variables) ?? []), ...findRefusedPages(generation, asked, variables)];
  return errors.length > 0
    ? refused(errors)
    : { ...read, usage, ownMutations, errors, bound: { operation: asked.operation, variables, plan } };
}
