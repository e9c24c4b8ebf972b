import type { Secret } from '../config/secret.ts';
import type { Cancellation } from './cancellation.ts';

export type Scope = 'read' | 'sponsor' | 'admin';

/** What a resolver may know about the operation that it serves. The shell that received the request makes it. */
export interface OperationContext {
  /** Also in the `x-request-id` response header and in every log line. */
  readonly requestId: string;
  /**
   * Cancelled when the caller disconnects or the operation's deadline passes. Upstream reads are cut. No mutation is begun any
   * more; one in flight goes on.
   */
  readonly cancellation: Cancellation;
  readonly caller: Caller;
  /**
   * Counts additional work against the caller's rate limit. Resolves to the refusal, or to `null`. Absent where callers are not
   * counted.
   * @param isDone the work was done, and cannot be refused any more
   */
  readonly charge?: ((points: number, isDone?: boolean) => Promise<Error | null>) | undefined;
  /** Absent where the client's transport keeps no cursor. */
  readonly streamSlot?: StreamSlot | undefined;
}

/** Read position of a stream's client, which its transport keeps beside the results. */
export interface StreamSlot {
  /** Overrides the cursor in the operation; `null` = use the operation's. */
  readonly after: string | null;
  /** Everything up to this position was sent, and nothing is in flight. @param toText the cursor as the client gets it */
  readonly quietAt: (toText: () => string) => void;
}

export type CallerKind = 'ANONYMOUS' | 'API_KEY' | 'JWT' | 'FORWARDED';

export interface Caller {
  /** For logs and clients: `client:web-app`, `address:203.0.113.9`, `credential:` and a short hash. */
  readonly id: string;
  readonly kind: CallerKind;
  /** The caller's own `Authorization` header, whole; `null` if none. Goes to the sponsor in forward mode, nowhere else. */
  readonly authorization: Secret | null;
  readonly scopes: ReadonlySet<Scope>;
  readonly rate: {
    /** Callers with one key are counted together, such as those of one network. */
    readonly key: string;
    /** Requests per minute; 0 = no limit; `null` = the default. */
    readonly perMinute: number | null;
  };
  /** Sponsored gas per UTC day, in the smallest unit of the gas coin, and the key of the budget; `null` = no budget. */
  readonly gas: { readonly key: string; readonly perDay: number } | null;
  /**
   * Functions that its sponsored transactions may call: `package::module::function`, `package::module` or `package`, the package
   * as 0x and 64 digits in lower case; `null` = all.
   */
  readonly moveCalls: readonly string[] | null;
  /** Of its credential. Left out: it does not expire. */
  readonly validity?: Validity | undefined;
}

/** Validity of a credential. Streams that were opened with it end when it does. */
export interface Validity {
  /** Calls back when it ends, at once if it has ended. @returns stops waiting */
  onEnd(then: () => void): () => void;
}

/**
 * Gives each operation one value of its own, made on first use. The value is kept on the context itself: a `WeakMap` makes
 * itself a new table every few operations, and old tables keep their values alive until the next full garbage collection.
 */
export function createPerOperation<Value, Rest extends unknown[] = []>(
  make: (context: OperationContext, ...rest: Rest) => Value,
): (context: OperationContext, ...rest: Rest) => Value {
  const key = Symbol('of one operation');
  return (context, ...rest) => {
    const kept = context as { [key]?: { readonly value: Value } };
    kept[key] ??= { value: make(context, ...rest) };
    return kept[key].value;
  };
}
