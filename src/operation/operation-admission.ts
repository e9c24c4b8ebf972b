import type { GraphQLError } from 'graphql';
import type { Usage } from '../limits/usage.ts';
import type { Caller } from '../subschemas/operation-context.ts';
import type { PreparedOperation } from './prepared-operation.ts';

/** An operation that may run, and that whoever asks for it was counted for. */
export interface AdmittedOperation {
  readonly kind: 'admitted';
  readonly caller: Caller;
  readonly operation: PreparedOperation;
  /** As they were sent. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** As it was sent. */
  readonly operationName: string | null;
  /** `null` where the document only asks for the schema. */
  readonly usage: Usage | null;
}

export interface RefusedOperation {
  readonly kind: 'refused';
  readonly errors: readonly GraphQLError[];
  /** `null` where the document was never counted to its end. */
  readonly usage: Usage | null;
}

export type OperationAdmission = AdmittedOperation | RefusedOperation;
