import { type RequestLineFields, requestLine, toJsonText } from './logger.ts';

export const sponsorshipEvents = [
  'reserved',
  'reserve-refused',
  'reserve-lost',
  'reserve-replayed',
  // Rejected by the preflight: nothing was sent, nothing is spent.
  'declined',
  'dispatched',
  'executed',
  'failed',
  'recovered',
  'refused',
  'unsent',
  'unknown',
  'replayed',
  'abandoned',
] as const;

/**
 * What moved money, or ended it. Their lines are written at any `LOG_LEVEL` and before the gateway goes on: after a crash,
 * nothing else tells an operator who spent what.
 */
export const durableEvents: ReadonlySet<SponsorshipFacts['event']> = new Set([
  'dispatched',
  'executed',
  'failed',
  'recovered',
  'refused',
]);

/** One event of a sponsored transaction: which caller spends how much of the sponsor's gas, and the outcome. */
export interface SponsorshipFacts {
  readonly event: (typeof sponsorshipEvents)[number];
  readonly caller: string;
  /** The name of the lease, or the sponsor's own number, but not the secret that spends it. `null` if there is none. */
  readonly leaseId: string | null;
  readonly requestId: string;
  readonly digest?: string | null;
  /** Gas held for it, in the smallest unit of the gas coin; `null` if unknown. */
  readonly budget: number | null;
  /** `null` while unknown, and if nothing ran. */
  readonly gasUsed?: number | null;
  /** Error code, if nothing ran. */
  readonly code?: string | null;
  /** The rule of the caller's policy that refused it. */
  readonly rule?: string | null;
  /** Who asks of those who share the credential. */
  readonly visitor?: string | null;
  /** Sender of the transaction; `null` if it is not known. */
  readonly sender?: string | null;
  /** The called functions, separated by spaces. */
  readonly targets?: string | null;
}

/** Characters of the called functions that a line has. */
const maxTargetsLength = 1_000;

/** The part of a lease's name that is also in its `reservationId`. */
export const shownLeaseCharacters = 20;

/** A forwarded credential is logged as its hash, as long as in request lines. */
const shownCredentialCharacters = 'credential:'.length + 32;

export function toShownCaller(caller: string): string {
  return caller.startsWith('credential:') ? caller.slice(0, shownCredentialCharacters) : caller;
}

type SponsorshipLine = RequestLineFields & Readonly<Record<string, string | number | undefined>>;

/**
 * An event as the fields of its log line, without absent values. It prints itself, like a request line, because there are as
 * many: it contains no free text and no spendable secret.
 */
export function toSponsorshipLine(facts: SponsorshipFacts): SponsorshipLine {
  const { event, caller, leaseId, digest, budget, gasUsed, code, rule, visitor, sender, targets, requestId } = facts;
  return {
    event,
    caller: toShownCaller(caller),
    lease: leaseId?.slice(0, shownLeaseCharacters),
    digest: digest ?? undefined,
    budget: budget ?? undefined,
    gasUsed: gasUsed ?? undefined,
    code: code ?? undefined,
    rule: rule ?? undefined,
    visitor: visitor ? toShownCaller(visitor) : undefined,
    sender: sender ?? undefined,
    targets: targets?.slice(0, maxTargetsLength) || undefined,
    requestId,
    [requestLine]: toMembers,
  };
}

function toMembers(this: SponsorshipLine): string {
  let text = '';
  for (const name in this) {
    const value = this[name];
    if (value === undefined) continue;
    text += `${text && ','}"${name}":${typeof value === 'string' ? toJsonText(value) : value}`;
  }
  return text;
}
