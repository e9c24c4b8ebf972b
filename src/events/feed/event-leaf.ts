import { isCanonicalJsonOf } from '../../json/canonical-json.ts';
import { type JsonPointer, valueAtPointer } from '../../json/json-pointer.ts';
import { toCanonicalAddress, toCanonicalMoveType } from '../../ledger/values/move-types.ts';

/** One test of an event. Addresses, types and values are canonical. */
export type EventLeaf =
  | { readonly kind: 'package'; readonly address: string }
  | { readonly kind: 'moveModule'; readonly address: string; readonly module: string }
  /** A type without parameters stands for all its instantiations. */
  | { readonly kind: 'moveEventType'; readonly type: string }
  | {
      readonly kind: 'moveEventModule';
      readonly address: string;
      readonly module: string;
      readonly event: string | null;
    }
  | { readonly kind: 'moveEventField'; readonly pointer: JsonPointer; readonly value: string }
  | { readonly kind: 'sender'; readonly address: string }
  | { readonly kind: 'transaction'; readonly digest: string }
  /** Both ends included. */
  | { readonly kind: 'timeRange'; readonly startMs: number; readonly endMs: number };

/** The parts of an event that filters test. */
export interface EventFacts {
  readonly digest: string;
  readonly package: string;
  readonly module: string;
  readonly sender: string;
  readonly type: string;
  /** `undefined` if the node leaves it out. */
  readonly json: unknown;
  readonly timestampMs: number | null;
}

export interface UpstreamEvent {
  readonly txDigest: string;
  readonly packageId: string;
  readonly transactionModule: string;
  readonly sender: string;
  readonly type: string;
  readonly parsedJson?: unknown;
  readonly timestampMs?: string | null;
}

/** Writes addresses and types in one form, however the node writes them. */
export function toEventFacts(event: UpstreamEvent): EventFacts {
  const time = event.timestampMs == null ? Number.NaN : Number(event.timestampMs);
  return {
    digest: event.txDigest,
    package: toCanonicalAddress(event.packageId) ?? event.packageId,
    module: event.transactionModule,
    sender: toCanonicalAddress(event.sender) ?? event.sender,
    type: toCanonicalMoveType(event.type) ?? event.type,
    json: event.parsedJson ?? undefined,
    timestampMs: Number.isSafeInteger(time) ? time : null,
  };
}

export function matchesLeaf(leaf: EventLeaf, event: EventFacts): boolean {
  switch (leaf.kind) {
    case 'package':
      return event.package === leaf.address;
    case 'moveModule':
      return event.package === leaf.address && event.module === leaf.module;
    case 'moveEventType':
      return event.type === leaf.type || event.type.startsWith(`${leaf.type}<`);
    case 'moveEventModule': {
      const prefix = `${leaf.address}::${leaf.module}::`;
      if (leaf.event === null) return event.type.startsWith(prefix);
      const type = prefix + leaf.event;
      return event.type === type || event.type.startsWith(`${type}<`);
    }
    case 'moveEventField': {
      const value = valueAtPointer(event.json, leaf.pointer);
      return value !== undefined && isCanonicalJsonOf(value, leaf.value);
    }
    case 'sender':
      return event.sender === leaf.address;
    case 'transaction':
      return event.digest === leaf.digest;
    case 'timeRange':
      return event.timestampMs !== null && leaf.startMs <= event.timestampMs && event.timestampMs <= leaf.endMs;
  }
}
