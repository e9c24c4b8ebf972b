import { hash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { gatewayError } from '../errors/gateway-error.ts';
import { withExtensions } from '../errors/light-error.ts';
import type { SponsorshipFacts } from '../telemetry/sponsorship-line.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import { type CoinReference, createLeaseId, hashCoins, type Lease, type LeaseKeys } from './leases.ts';
import {
  checkPolicy,
  msUntil,
  type Spender,
  toAuditedReason,
  toDenialError,
  toHoldDenialError,
  toHolds,
  toSpending,
} from './sponsor-policy.ts';
import { mayHaveRun } from './sponsor-refusal.ts';
import type { SponsorshipStore } from './store/decide.ts';
import type { EndReservation, ReservationStart } from './store/sponsorship-store.ts';

export interface ReservedCoins {
  /** The sponsor's own number, exact decimal text. */
  readonly rawReservationId: string;
  readonly sponsorAddress: string;
  readonly gasCoins: readonly CoinReference[];
}

/**
 * A reservation as it is stored, for repeated calls. Does not authorise anything by itself. Times in milliseconds since the
 * Unix epoch.
 */
export interface ReservationRecord extends ReservedCoins {
  readonly leaseId: string;
  /** The only sender of its transaction; left out: any. */
  readonly sender?: string;
  readonly gasBudget: number;
  /** As in `ReservationOrder`. */
  readonly gasPrice?: number | undefined;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

/** A reservation as its caller sees it. */
export interface Reservation extends Omit<ReservedCoins, 'rawReservationId'> {
  /** The id that authorises one execution. */
  readonly reservationId: string;
  readonly sender: string | null;
  readonly gasBudget: number;
  /** As in `ReservationOrder`. */
  readonly gasPrice?: number | undefined;
  readonly expiresAtMs: number;
  /** Was the reservation sent to the sponsor with a transaction, whatever the outcome? */
  readonly isConsumed: boolean;
}

/**
 * @param leases sign the id; `null`: the id is the sponsor's own number
 * @param holder the only caller that may use it
 */
function toReservation(
  kept: ReservationRecord,
  { leases, holder, isConsumed }: { leases: LeaseKeys | null; holder: string; isConsumed: boolean },
): Reservation {
  const { rawReservationId, sponsorAddress, gasCoins, gasBudget, gasPrice, expiresAtMs, sender = null } = kept;
  const reservationId = leases ? leases.sign(toLease(kept), holder) : rawReservationId;
  return { reservationId, sponsorAddress, gasCoins, sender, gasBudget, gasPrice, expiresAtMs, isConsumed };
}

function toLease(kept: ReservationRecord): Lease {
  const { leaseId, rawReservationId, sponsorAddress, gasBudget, issuedAtMs, expiresAtMs } = kept;
  const coinsHash = hashCoins(kept.gasCoins);
  return { leaseId, rawReservationId, sponsorAddress, gasBudget, issuedAtMs, expiresAtMs, coinsHash };
}

/** One call that reserves coins, with checked arguments. */
export interface ReservationOrder {
  /** The only caller that may use the coins. */
  readonly holder: string;
  /** Whose idempotency key it is. */
  readonly visitor: string;
  readonly gasBudget: number;
  /** The price in the bytes of the transaction that the coins are for, if the gateway completed it. */
  readonly gasPrice?: number;
  readonly reserveDurationSecs: number;
  /** The arguments that a repeat under the same key must have too. Left out: budget, duration and sender. */
  readonly asked?: readonly unknown[];
  /** The only sender of its transaction, 0x and 64 digits in lower case; `null` = any. */
  readonly sender: string | null;
  readonly idempotencyKey: string | null;
  /** Whose policy applies. */
  readonly spender: Spender;
  /** The operation of the call; nothing begins after its end. */
  readonly cancellation: Cancellation;
  /** Calls the sponsor, once. Rejects with an error meant for the client. */
  readonly send: (terms: Pick<ReservationOrder, 'gasBudget' | 'reserveDurationSecs'>) => Promise<ReservedCoins>;
  readonly requestId: string;
}

type ReservationEvent = Extract<SponsorshipFacts['event'], `reserve${string}`>;

export interface ReservationWorld {
  /** `null`: clients get the sponsor's own reservation numbers. */
  readonly leases: LeaseKeys | null;
  readonly store: SponsorshipStore;
  /** Must the store answer before the sponsor is called? */
  readonly isStoreNeeded: boolean;
  /** Open reservations of all callers together; `null` = no bound. */
  readonly maxOpenReservations: number | null;
  readonly now: () => number;
  /** Milliseconds after which other processes treat an attempt as dead. */
  readonly answerMs: number;
  /** Called once for each order, with its outcome. Must not throw. */
  readonly audit: (event: SponsorshipFacts) => void;
}

/** Pauses while a twin is in flight: each is twice as long as the one before. */
const [firstPauseMs, longestPauseMs] = [25, 1_000];

/** Characters of a lease id, or of a u64. */
const maxNumberLength = 32;

const nothing = () => {};

export type Reservations = ReturnType<typeof createReservations>;

/**
 * Reserves coins for callers. The store holds the gas budget and looks up the idempotency key before the sponsor is called,
 * and records the end before the client is answered. Of the calls under one key, one goes to the sponsor; its twins wait for
 * it.
 */
export function createReservations(world: ReservationWorld) {
  const { leases, store, isStoreNeeded, maxOpenReservations, now } = world;
  /** Calls that this process has begun: when one with a key ends, its twins here poll the store immediately. */
  const inFlight = new Map<string, Promise<unknown>>();

  return {
    /** Reserves coins, or repeats the answer given under the same key. Rejects with an error meant for the client. */
    async reserve(order: ReservationOrder): Promise<Reservation> {
      const { spender, gasBudget, reserveDurationSecs: durationSecs, sender } = order;
      const denial = checkPolicy(spender.policy, { nowMs: now(), gasBudget, durationSecs, sender, outline: null });
      if (denial) throw refused(order, toDenialError(denial));
      const attempt: Attempt = { order, leaseId: createLeaseId(), issuedAtMs: 0, expiresAtMs: 0 };
      const known = await begun(attempt);
      if (known) return known;
      if (order.idempotencyKey === null) return send(attempt);
      const name = nameOf(order);
      const sent = send(attempt);
      inFlight.set(name, sent.catch(nothing));
      return sent.finally(() => inFlight.delete(name));
    },

    /** The answer given under the same key; `null` if there is none, or no key. Waits for a twin in flight. */
    async repeat(order: ReservationOrder): Promise<Reservation | null> {
      if (order.idempotencyKey === null) return null;
      return begun({ order, leaseId: '', isLookup: true, issuedAtMs: 0, expiresAtMs: 0 });
    },

    /** A reservation of this holder; `null` if it is another holder's, forged, or ended long ago. */
    async find(reservationId: string, holder: string): Promise<Reservation | null> {
      const leaseId = leases ? leases.open(reservationId, holder)?.leaseId : reservationId;
      // Many fields may have the same long text, and the store would hash it for each.
      if (leaseId === undefined || leaseId.length > maxNumberLength) return null;
      const kept = await store.findReservation({ caller: holder, leaseId, nowMs: now() }).catch(() => {
        throw storeAway();
      });
      if (!kept) return null;
      return toReservation(parseReservation(kept.answer), { leases, holder, isConsumed: kept.state === 'consumed' });
    },
  };

  /** The answer given under the same key; `null` if there is none, so that the reservation has begun. */
  async function begun(attempt: Attempt): Promise<Reservation | null> {
    const { order } = attempt;
    const start = await begin(attempt);
    if (start.kind === 'replay') return replay(order, parseReservation(start.answer));
    if (start.kind === 'begun') return null;
    throw refused(order, toDeclined(start, order.gasBudget, now()));
  }

  /** Looks up the key and holds the budget. Waits for a twin in flight. */
  async function begin(attempt: Attempt): Promise<Exclude<ReservationStart, { kind: 'in-progress' }>> {
    const { order, leaseId, isLookup = false } = attempt;
    const { holder: caller, visitor, sender, idempotencyKey, cancellation } = order;
    const idempotency = idempotencyKey === null ? null : { key: idempotencyKey, bodyHash: bodyHashOf(order), visitor };
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const nowMs = now();
      // Measured before the sponsor is called, so that no lease outlives the sponsor's reservation.
      const expiresAtMs = nowMs + order.reserveDurationSecs * 1_000;
      attempt.issuedAtMs = nowMs;
      attempt.expiresAtMs = expiresAtMs;
      const answerByMs = nowMs + world.answerMs;
      let start: ReservationStart;
      try {
        const isOptional = isLookup || (!isStoreNeeded && idempotency === null && sender === null);
        const holds = isLookup ? [] : toHolds(order.spender, order.gasBudget, sender, nowMs, maxOpenReservations);
        const spending = toSpending(order.spender, order.gasBudget);
        const terms = { expiresAtMs, sender, holds, spending, idempotency, answerByMs };
        start = await store.beginReservation({ caller, leaseId, ...terms, nowMs, isOptional, isLookup });
      } catch {
        return beginWithoutStore(order);
      }
      // If the store is optional, a full one counts as none: callers with made-up credentials can fill it.
      if (start.kind === 'full' && !isStoreNeeded && idempotency === null && sender === null) return { kind: 'begun' };
      if (start.kind !== 'in-progress') return start;
      await pauseUnlessOver(pauseMs, cancellation, inFlight.get(nameOf(order)));
      if (cancellation.cause) throw refused(order, twinUnderWay());
    }
  }

  function beginWithoutStore(order: ReservationOrder): { readonly kind: 'begun' } {
    if (isStoreNeeded) throw refused(order, storeAway());
    if (order.idempotencyKey !== null) throw refused(order, keyNotKept());
    if (order.sender !== null) throw refused(order, storeAway());
    return { kind: 'begun' };
  }

  /** Calls the sponsor, and stores the end before the client is answered. */
  async function send(attempt: Attempt): Promise<Reservation> {
    const { order, issuedAtMs, expiresAtMs } = attempt;
    const { gasBudget, gasPrice, reserveDurationSecs, holder, sender } = order;
    let coins: ReservedCoins;
    try {
      coins = await order.send({ gasBudget, reserveDurationSecs });
    } catch (error) {
      const isLost = mayHaveRun(error);
      await end(attempt, { kind: isLost ? 'lost' : 'refused' });
      const isKeyHeld = isLost && order.idempotencyKey !== null && error instanceof GraphQLError;
      const advised = isKeyHeld
        ? withExtensions(error, { ...error.extensions, ...sameKeyFrom(attempt.expiresAtMs, now()) })
        : error;
      throw refused(order, advised, attempt.leaseId, isLost ? 'reserve-lost' : 'reserve-refused');
    }
    const { rawReservationId, sponsorAddress, gasCoins } = coins;
    const leaseId = leases ? attempt.leaseId : rawReservationId;
    const terms = { leaseId, rawReservationId, sponsorAddress, gasCoins, gasBudget, gasPrice, issuedAtMs, expiresAtMs };
    const kept = sender === null ? terms : { ...terms, sender };
    const knownAs = leases ? undefined : rawReservationId;
    await end(attempt, { kind: 'reserved', answer: JSON.stringify(kept), knownAs });
    audit(order, 'reserved', leaseId);
    return toReservation(kept, { leases, holder, isConsumed: false });
  }

  /** If the store is unavailable, it stores the end later by itself, or lets the hold expire. */
  function end({ order, leaseId }: Attempt, outcome: EndReservation['outcome']): Promise<void> {
    return store.endReservation({ caller: order.holder, leaseId, nowMs: now(), outcome }).catch(nothing);
  }

  async function replay(order: ReservationOrder, kept: ReservationRecord): Promise<Reservation> {
    const { leaseId } = kept;
    audit(order, 'reserve-replayed', leaseId);
    const at = { caller: order.holder, leaseId, nowMs: now() };
    const found = await store.findReservation(at).catch(() => null);
    return toReservation(kept, { leases, holder: order.holder, isConsumed: found?.state === 'consumed' });
  }

  function refused<Reason>(
    order: ReservationOrder,
    error: Reason,
    leaseId: string | null = null,
    event: ReservationEvent = 'reserve-refused',
  ): Reason {
    audit(order, event, leaseId, error);
    return error;
  }

  /** @param leaseId `null` if nothing was begun */
  function audit(
    { holder: caller, visitor, sender, requestId, gasBudget: budget }: ReservationOrder,
    event: ReservationEvent,
    leaseId: string | null,
    error: unknown = null,
  ): void {
    // All events have the same members, so that they share one hidden class.
    const { code, rule } = toAuditedReason(error);
    world.audit({ event, caller, leaseId, requestId, budget, code, rule, visitor, sender });
  }
}

/** Parses a stored reservation. */
export function parseReservation(answer: string): ReservationRecord {
  return JSON.parse(answer) as ReservationRecord;
}

interface Attempt {
  readonly order: ReservationOrder;
  readonly leaseId: string;
  readonly isLookup?: boolean;
  issuedAtMs: number;
  expiresAtMs: number;
}

/** Identifies a call by its visitor and idempotency key. */
function nameOf({ visitor, idempotencyKey }: ReservationOrder): string {
  return JSON.stringify([visitor, idempotencyKey]);
}

function bodyHashOf({ gasBudget, reserveDurationSecs, sender, asked }: ReservationOrder): string {
  const body = asked ?? [gasBudget, reserveDurationSecs, ...(sender === null ? [] : [sender])];
  return hash('sha256', JSON.stringify(body), 'base64url');
}

/** Resolves after a time, when `sooner` does, or when the operation ends: whichever comes first. */
export function pauseUnlessOver(ms: number, cancellation: Cancellation, sooner?: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    let stopListening = nothing;
    const go = (): void => {
      clearTimeout(timer);
      stopListening();
      resolve();
    };
    const timer = setTimeout(go, ms);
    stopListening = cancellation.onCancel(go);
    void sooner?.then(go);
  });
}

const nothingSent = 'Nothing was sent to the sponsor.';
const argument = 'idempotencyKey';

/** The client hung up or the call timed out while it waited for a twin. */
function twinUnderWay(): GraphQLError {
  const message = `The request ended while another one under the same idempotencyKey was in flight. ${nothingSent}`;
  return gatewayError('REQUEST_TIMEOUT', message, { upstream: 'sponsor', argument });
}

function storeAway(): GraphQLError {
  const message = `The sponsorship store of this gateway is unavailable. ${nothingSent} Try again.`;
  return gatewayError('UPSTREAM_UNAVAILABLE', message, { upstream: 'sponsor' });
}

/** Without the store, a repeated call would not be recognised, and would reserve coins again. */
function keyNotKept(): GraphQLError {
  const message = `The idempotencyKey cannot be stored: the sponsorship store of this gateway is unavailable. ${nothingSent} Without a key coins can be reserved.`;
  return gatewayError('UPSTREAM_UNAVAILABLE', message, { upstream: 'sponsor', argument });
}

/** The error for a reservation that the store rejects. */
function toDeclined(
  start: Exclude<ReservationStart, { kind: 'begun' | 'replay' | 'in-progress' }>,
  gasBudget: number,
  nowMs: number,
): GraphQLError {
  switch (start.kind) {
    case 'conflict':
      return gatewayError('IDEMPOTENCY_CONFLICT', `The idempotencyKey was used with other arguments. ${nothingSent}`, {
        argument,
      });
    case 'lost':
      return gatewayError(
        'UPSTREAM_TIMEOUT',
        `The sponsor was asked under this idempotencyKey before, and its answer was lost: coins may stay reserved until ${toText(start.untilMs)}. ${nothingSent} Ask again after that, or under another key.`,
        { upstream: 'sponsor', argument, ...sameKeyFrom(start.untilMs, nowMs) },
      );
    case 'full':
      return gatewayError(
        'RATE_LIMITED',
        `This caller, or all callers together, have too many reservations that have not expired. ${nothingSent}`,
        { retryAfterMs: 60_000 },
      );
    case 'denied':
      return toHoldDenialError(start, gasBudget, nowMs);
  }
}

function toText(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** The sponsor may have reserved coins under the key: the key works again when they have returned. */
function sameKeyFrom(untilMs: number, nowMs: number) {
  return { retry: 'same-key', retryAfterMs: msUntil(untilMs, nowMs) } as const;
}
