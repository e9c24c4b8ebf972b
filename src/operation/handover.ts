import type { ExecutionResult } from 'graphql';
import type { OperationAdmission } from './admit-operation.ts';
import type { ServerContext } from './open-operation.ts';

/** What has been done of an operation that somebody else finishes. */
export interface BegunOperation {
  /** The caller has been counted, and is not counted again. */
  readonly admission: OperationAdmission;
  /** What the ledger made of it; throws where it did not answer. `null`: it has not been asked. */
  readonly answer: (() => ExecutionResult) | null;
}

/** Under this name the context of a request says what has been done of it. */
const begunKey = 'begunOperation';

/** Hands an operation over: whoever serves it with this context goes on from there. */
export function withBegun(server: ServerContext, begun: BegunOperation): ServerContext {
  return { ...server, [begunKey]: begun } as ServerContext;
}

export function begunIn(context: object): BegunOperation | undefined {
  return (context as { readonly [begunKey]?: BegunOperation })[begunKey];
}
