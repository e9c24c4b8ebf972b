import type { Secret } from '../config/secret.ts';

export type Scope = 'read' | 'sponsor' | 'admin';

/** What a resolver may know of the operation it serves. One per operation, made by the shell that received it. */
export interface OperationContext {
  /** Also in the `x-request-id` response header and in every log line. */
  readonly requestId: string;
  /** Fires when the caller hangs up or the operation's deadline passes. Upstream reads take it; mutations never do. */
  readonly signal: AbortSignal;
  readonly caller: Caller;
}

export interface Caller {
  /** The caller's own `Authorization` header, whole; `null` if none. Goes to the sponsor in forward mode, nowhere else. */
  readonly authorization: Secret | null;
  readonly scopes: ReadonlySet<Scope>;
}
