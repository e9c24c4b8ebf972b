import type { GraphQLError } from 'graphql';
import type { Usage } from '../documents/cost/usage.ts';
import type { Caller } from '../upstream/operation-context.ts';
import type { PreparedOperation } from './prepared-operation.ts';

/** An operation that may run, and was counted for its caller. */
export interface AdmittedOperation {
  readonly kind: 'admitted';
  readonly caller: Caller;
  readonly operation: PreparedOperation;
  /** As they were sent. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** As it was sent. */
  readonly operationName: string | null;
  /** `null` if the document asks for the schema alone. */
  readonly usage: Usage | null;
}

export interface RefusedOperation {
  readonly kind: 'refused';
  readonly errors: readonly GraphQLError[];
  /** `null` if the document was refused before it was counted to its end. */
  readonly usage: Usage | null;
}

export type OperationAdmission = AdmittedOperation | RefusedOperation;
