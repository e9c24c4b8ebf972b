import { type RequestLineFields, requestLine, toJsonText } from './logger.ts';

/** One event of a sponsored transaction: which caller spends how much of the sponsor's gas, and the outcome. */
export interface SponsorshipFacts {
  readonly event:
    | 'reserved'
    | 'reserve-refused'
    | 'reserve-lost'
    | 'reserve-replayed'
    /** Refused by the preflight: nothing was sent, nothing is spent. */
    | 'declined'
    | 'dispatched'
    | 'executed'
    | 'failed'
    | 'recovered'
    | 'refused'
    | 'unsent'
    | 'unknown'
    | 'replayed'
    | 'abandoned';
  readonly caller: string;
  /** The name of the lease, or the sponsor's own number, but not the secret that spends it. `null` if there is none. */
  readonly leaseId: string | null;
  readonly requestId: string;
  /** Of the transaction. */
  readonly digest?: string | null;
  /** Gas held for it, in the smallest unit of the gas coin; `null` if unknown. */
  readonly budget: number | null;
  /** `null` while unknown, and if nothing ran. */
  readonly gasUsed?: number | null;
  /** Of the error, if nothing ran. */
  readonly code?: string | null;
}

/** The part of a lease's name that its secret has too. */
export const shownLeaseCharacters = 20;

/** A forwarded credential is named by its hash, of which request lines show so much. */
const shownCredentialCharacters = 'credential:'.length + 32;

export function toShownCaller(caller: string): string {
  return caller.startsWith('credential:') ? caller.slice(0, shownCredentialCharacters) : caller;
}

/**
 * An event as the fields of its log line, without those that have no value. It writes itself, as a request line does, because
 * there are as many: it holds no free text, and nothing that could be spent.
 */
export class SponsorshipLine implements RequestLineFields {
  readonly event: SponsorshipFacts['event'];
  readonly caller: string;
  readonly lease: string | undefined;
  readonly digest: string | undefined;
  readonly budget: number | undefined;
  readonly gasUsed: number | undefined;
  readonly code: string | undefined;
  readonly requestId: string;

  constructor({ event, caller, leaseId, digest, budget, gasUsed, code, requestId }: SponsorshipFacts) {
    this.event = event;
    this.caller = toShownCaller(caller);
    this.lease = leaseId?.slice(0, shownLeaseCharacters);
    this.digest = digest ?? undefined;
    this.budget = budget ?? undefined;
    this.gasUsed = gasUsed ?? undefined;
    this.code = code ?? undefined;
    this.requestId = requestId;
  }

  [requestLine](): string {
    const { event, caller, lease, digest, budget, gasUsed, code, requestId } = this;
    let text = `"event":"${event}","caller":${toJsonText(caller)}`;
    if (lease !== undefined) text += `,"lease":${toJsonText(lease)}`;
    if (digest !== undefined) text += `,"digest":${toJsonText(digest)}`;
    if (budget !== undefined) text += `,"budget":${budget}`;
    if (gasUsed !== undefined) text += `,"gasUsed":${gasUsed}`;
    if (code !== undefined) text += `,"code":${toJsonText(code)}`;
    return `${text},"requestId":${toJsonText(requestId)}`;
  }
}
