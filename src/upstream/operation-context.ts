import type { DocumentPolicy } from '../config/document-manifest.ts';
import type { Policy, Shares } from '../config/policy.ts';
import type { Secret } from '../config/secret.ts';
import type { Cancellation } from './cancellation.ts';

export type Scope = 'read' | 'sponsor' | 'admin';

/** What a resolver may know about its operation. The transport that received the request creates it. */
export interface OperationContext {
  /** Also in the `x-request-id` response header and in every log line. */
  readonly requestId: string;
  /**
   * Cancelled when the caller disconnects or the timeout expires. Upstream reads are then cancelled. Mutations that have not
   * begun are not sent; those in flight continue.
   */
  readonly cancellation: Cancellation;
  readonly caller: Caller;
  /**
   * Charges additional work to the caller's rate limit. Resolves to the rejection, or to `null`. Absent if callers are not
   * counted.
   * @param isDone the work is done already, so it cannot be rejected
   */
  readonly charge?: ((points: number, isDone?: boolean) => Promise<Error | null>) | undefined;
  /** Absent if the client's transport keeps no cursor. */
  readonly streamSlot?: StreamSlot | undefined;
}

/** Read position of a stream's client, which its transport sends beside the results. */
export interface StreamSlot {
  /** Overrides the operation's cursor; `null` = use the operation's. */
  readonly after: string | null;
  /**
   * Everything up to this position was sent, and no result is pending.
   * @param toText returns the cursor as the client gets it
   */
  readonly quietAt: (toText: () => string) => void;
}

type CallerKind = 'ANONYMOUS' | 'API_KEY' | 'JWT' | 'FORWARDED';

export interface Caller {
  /** For logs and clients: `client:web-app`, `address:203.0.113.9`, `credential:` and a short hash. */
  readonly id: string;
  readonly kind: CallerKind;
  /**
   * The caller's own `Authorization` header, complete; `null` if none. In forward mode it is sent to the sponsor, and never to
   * another service.
   */
  readonly authorization: Secret | null;
  readonly scopes: ReadonlySet<Scope>;
  /**
   * One of those who share a credential: a JWT's subject, else the network of the client's address. What one visitor may use
   * is bounded within the totals of the credential. The text is unique in the gateway.
   */
  readonly visitor: string;
  readonly rate: {
    /** Callers with the same key share one rate limit: those of one visitor. */
    readonly key: string;
    /** Requests per minute; 0 = no limit; `null` = the default. */
    readonly perMinute: number | null;
    /** All visitors of the credential together. Left out: not limited. */
    readonly total?: { readonly key: string; readonly perMinute: number } | undefined;
  };
  /** Live streams and their readers. Left out: the gateway's limits, and none for the credential. */
  readonly live?: LiveShares | undefined;
  /** What its sponsored transactions may do and spend; `null`: the sponsor decides. */
  readonly policy: CallerPolicy | null;
  /** Left out: the gateway's policy applies. */
  readonly documents?: DocumentPolicy | undefined;
  /** Validity of its credential. Left out: it does not expire. */
  readonly validity?: Validity | undefined;
}

/** Live streams and readers of a visitor, and of all visitors of the credential. */
export interface LiveShares extends Pick<Shares, 'streams' | 'readers'> {
  /** Identifies the credential. */
  readonly key: string;
}

/** What all visitors of a key share. */
export function toQuotaGroups({ key, streams, readers }: LiveShares) {
  return { streams: { key, ...streams }, readers: { key, ...readers } };
}

/** A policy, and the accounts that it applies to. */
export interface CallerPolicy {
  /** Identifies what all visitors use together: a client, the subjects with one policy, or all anonymous callers. */
  readonly group: string;
  /** With the shares of a visitor that are in force. */
  readonly rules: Policy;
  /** Gas per UTC day of several groups together, in the smallest unit; `null` = no bound. */
  readonly total: { readonly key: string; readonly perDay: number } | null;
}

/** Validity of a credential. Streams that were opened with it end when it does. */
export interface Validity {
  /** Calls back when the credential expires, immediately if it has. @returns removes the listener */
  onEnd(then: () => void): () => void;
}

/**
 * Gives each operation one value, created on first use and stored on the context itself. A `WeakMap` allocates a new table
 * every few operations, and old tables keep their values alive until the next full garbage collection.
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

/** Receives the items of a stream as they come. */
export interface ItemReader<Item> {
  /** Does it take another one now? When it does again, it calls `resume` of the stream. */
  readonly isReady: boolean;
  take(item: Item): void;
  end(): void;
  fail(error: unknown): void;
}

/** The items of a subscription; subscribers of the same item get the same object. */
export interface PushedItems<Item = object> {
  /** Pushes items to this reader from now on. */
  pushTo(reader: ItemReader<Item>): void;
  resume(): void;
  /** Leaves the stream, even while it waits. */
  leave(): void;
  /** Ends it early. Its last item says where to resume, if possible, or why it ends. */
  stop(why?: Error): void;
}

/** Key of the resume cursor after an item of a stream, and after its result. A symbol, so that JSON omits it. */
export const resumeCursorKey: unique symbol = Symbol('resume cursor');

/** An item with a cursor. The cursor is a function, because only some transports send it. */
export interface ResumableItem {
  readonly [resumeCursorKey]?: () => string;
}

export interface ResumableResult {
  [resumeCursorKey]?: string;
}
