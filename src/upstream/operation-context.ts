import type { Secret } from '../config/secret.ts';
import type { Cancellation } from './cancellation.ts';

export type Scope = 'read' | 'sponsor' | 'admin';

/** What a resolver may know of the operation it serves. One per operation, made by the shell that received it. */
export interface OperationContext {
  /** Also in the `x-request-id` response header and in every log line. */
  readonly requestId: string;
  /**
   * When the caller hangs up or the operation's deadline passes. It cuts upstream reads; of what cannot be taken back it
   * only says that no more may be begun, and that nobody waits for what has been.
   */
  readonly cancellation: Cancellation;
  readonly caller: Caller;
  /**
   * Counts work beside the operation's own against the caller's limit. `isDone`: it cannot be refused any more. Resolves to
   * why the caller may not have it, or to `null`. Absent where nobody is counted.
   */
  readonly charge?: ((points: number, isDone?: boolean) => Promise<Error | null>) | undefined;
  /** Absent where the client's transport keeps no place for it. */
  readonly streamPlace?: StreamPlace | undefined;
}

/** Where the client of a stream is, told beside what it asked for, and kept by its transport. */
export interface StreamPlace {
  /** Where it goes on, whatever the operation says; `null` = where the operation says. */
  readonly after: string | null;
  /** Everything up to a place has been told, and nothing is on its way. @param toText the place, as the client is told it */
  readonly quietAt: (toText: () => string) => void;
}

export type CallerKind = 'ANONYMOUS' | 'API_KEY' | 'JWT' | 'FORWARDED';

export interface Caller {
  /** For logs and for the caller: `client:web-app`, `address:203.0.113.9`, `credential:` and a short hash. */
  readonly id: string;
  readonly kind: CallerKind;
  /** The caller's own `Authorization` header, whole; `null` if none. Goes to the sponsor in forward mode, nowhere else. */
  readonly authorization: Secret | null;
  readonly scopes: ReadonlySet<Scope>;
  readonly rate: {
    /** Whose attempts these are: callers of one network are counted together. */
    readonly key: string;
    /** Attempts a minute; 0 = no limit; `null` = what everybody may. */
    readonly perMinute: number | null;
  };
  /**
   * How much of the sponsor's gas it may use in one UTC day, of the smallest unit of the gas coin, and whose budget that is;
   * `null` = no budget.
   */
  readonly gas: { readonly key: string; readonly perDay: number } | null;
  /**
   * What its sponsored transactions may call, the package as 0x and 64 digits in lower case: `package::module::function`,
   * `package::module` or `package`; `null` = anything.
   */
  readonly moveCalls: readonly string[] | null;
  /** Of the credential that it is known by. Left out: it has none that ends. */
  readonly validity?: Validity | undefined;
}

/** For how long a credential is good. Streams that were opened with it end when it does. */
export interface Validity {
  /** Calls back when it ends, at once if it has. @returns stops waiting for that */
  onEnd(then: () => void): () => void;
}

/**
 * Gives each operation one value of its own, made when it is first asked for and gone with the operation. The value is kept
 * on the context itself: a `WeakMap` makes itself a new table every few operations, and what old tables held stays alive
 * until the next full garbage collection.
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
