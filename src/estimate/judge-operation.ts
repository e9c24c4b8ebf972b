import { GraphQLError, type OperationDefinitionNode } from 'graphql';
import type { ReadDocument } from '../documents/prepared-document.ts';
import type { Generation } from '../graph/generation.ts';
import type { Usage } from '../limits/usage.ts';
import type { Variables } from '../limits/variables.ts';
import { admitPrepared } from '../operation/admit-operation.ts';
import { createCheckWaits } from '../operation/check-waits.ts';
import { coerceVariables } from '../operation/coerce-variables.ts';
import { findOperation } from '../operation/find-operation.ts';
import { refusedSubscription } from '../operation/refused-subscription.ts';
import { fragmentsOf } from '../planning/fragments-of.ts';

/** An operation that is asked about and not executed. */
export interface JudgedRequest {
  readonly query: string;
  readonly variables: Variables;
  readonly operationName: string | null;
}

export interface Judgement extends ReadDocument {
  /** `null` where the document is refused before it is counted, or asks only for the schema. */
  readonly usage: Usage | null;
  /** What it would be refused with; empty when it would be executed. */
  readonly errors: readonly GraphQLError[];
  /** What would be executed; `null` when refused. */
  readonly bound: { readonly operation: OperationDefinitionNode; readonly variables: Variables } | null;
}

/**
 * Decides what becomes of an operation up to the moment at which it would be executed: everything that admission says of
 * its document, then which operation is meant, then whether the variables fit it. Nothing of it is kept.
 * @param read the document, where it was read already
 */
export function judgeOperation(
  generation: Generation,
  request: JudgedRequest,
  read: ReadDocument = generation.documents.read(request.query),
): Judgement {
  const admission = admitPrepared(generation, read.prepared, request.variables);
  const refused = (errors: readonly GraphQLError[]) => ({ ...read, usage: admission.usage, errors, bound: null });
  if (admission.kind === 'refused') return refused(admission.errors);
  const operation = findOperation(admission.document, request.operationName);
  if (operation instanceof GraphQLError) return refused([operation]);
  if (operation.operation === 'subscription') return refused([refusedSubscription()]);
  const coerced = coerceVariables(generation.schema, operation, request.variables);
  if (coerced.errors) return refused(coerced.errors);
  const errors =
    createCheckWaits(generation.schema, operation, fragmentsOf(admission.document))?.(coerced.values) ?? [];
  if (errors.length > 0) return refused(errors);
  return { ...read, usage: admission.usage, errors: [], bound: { operation, variables: coerced.values } };
}
