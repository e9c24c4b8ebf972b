import { hash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import type { Cancellation } from '../../upstream/cancellation.ts';
import { createLeaseId } from '../leases/lease-id.ts';
import type { LeaseKeys } from '../leases/lease-keys.ts';
import { mayBeDone } from '../refusals/sponsor-refusal.ts';
import type { EndReservation, GasBudget, ReservationStart, SponsorshipStore } from '../store/sponsorship-store.ts';
import { pauseUnlessOver } from './pause-unless-over.ts';
import {
  type KeptReservation,
  type Reservation,
  type ReservedCoins,
  readKept,
  toReservation,
  writeKept,
} from './reservation.ts';
import { keyNotKept, storeAway, toDeclined, twinUnderWay } from './reservation-errors.ts';

/** Somebody wants coins. All of it has been checked. */
export interface ReservationOrder {
  /** To whom the coins are given. */
  readonly holder: string;
  readonly gasBudget: number;
  readonly reserveDurationSecs: number;
  readonly idempotencyKey: string | null;
  readonly gas: GasBudget | null;
  /** Of the operation: nothing is begun after it. */
  readonly cancellation: Cancellation;
  /** Asks the sponsor, once. Rejects with an error that is meant for the caller. */
  readonly ask: () => Promise<ReservedCoins>;
  /** Told how it ended, once. Must not throw. */
  readonly audit: (event: ReservationEvent) => void;
}

export interface ReservationEvent {
  readonly event: 'reserved' | 'reserve-refused' | 'reserve-lost' | 'reserve-replayed';
  /** `null` where nothing was begun. */
  readonly leaseId: string | null;
  readonly budget: number;
  readonly code?: string;
}

export interface ReservationWorld {
  /** `null`: callers get the sponsor's own numbers. */
  readonly leases: LeaseKeys | null;
  readonly store: SponsorshipStore;
  /** Is nothing sent while the store does not answer? */
  readonly isStoreNeeded: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Milliseconds within which an attempt has ended. */
  readonly answerMs: number;
}

export interface Reservations {
  /** Reserves coins, or gives again what was reserved under the same key. Rejects with an error meant for the caller. */
  reserve(order: ReservationOrder): Promise<Reservation>;
  /** What is known of a reservation of this holder; `null` for one that is somebody else's, made up, or long over. */
  find(reservationId: string, holder: string): Promise<Reservation | null>;
}

/** Pauses between two looks at what a twin in another process does: each is twice as long as the one before. */
const [firstPauseMs, longestPauseMs] = [25, 1_000];

/** Letters of a lease's name, or of a number of the sponsor's: the largest u64 has 20. */
const maxNumberLength = 32;

const nothing = () => {};

export function createReservations(world: ReservationWorld): Reservations {
  const { leases, store, isStoreNeeded, now } = world;
  /** Those with a key that this process has begun, so that twins here need not ask the store again and again. */
  const underWay = new Map<string, Promise<unknown>>();

  return {
    async reserve(order) {
      const attempt: Attempt = { order, leaseId: createLeaseId(), issuedAtMs: 0, expiresAtMs: 0 };
      const start = await begin(attempt);
      if (start.kind === 'replay') return replay(order, readKept(start.answer));
      if (start.kind !== 'begun') {
        const error = toDeclined(start, order.gasBudget, now());
        throw refused(order, null, error);
      }
      const name = nameOf(order);
      if (name === null) return ask(attempt);
      const asked = ask(attempt);
      underWay.set(name, asked.catch(nothing));
      return asked.finally(() => underWay.delete(name));
    },

    async find(reservationId, holder) {
      const leaseId = leases ? leases.recognise(reservationId, holder)?.leaseId : reservationId;
      // The sponsor's own numbers are short. A text without end may stand in many fields, and would be read for each.
      if (leaseId === undefined || leaseId.length > maxNumberLength) return null;
      const kept = await store.findReservation(holder, leaseId, now()).catch(() => {
        throw storeAway();
      });
      if (!kept) return null;
      return toReservation(readKept(kept.answer), { leases, holder, isConsumed: kept.state === 'consumed' });
    },
  };

  /** Looks the key up and holds the budget; waits for a twin. */
  async function begin(attempt: Attempt): Promise<Exclude<ReservationStart, { kind: 'in-progress' }>> {
    const { order, leaseId } = attempt;
    const { holder: caller, gasBudget: amount, gas, idempotencyKey, cancellation } = order;
    const idempotency = idempotencyKey === null ? null : { key: idempotencyKey, bodyHash: bodyHashOf(order) };
    const name = nameOf(order);
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const nowMs = now();
      // Counted from before the sponsor is asked: coins are never promised for longer than the sponsor holds them.
      const expiresAtMs = nowMs + order.reserveDurationSecs * 1_000;
      attempt.issuedAtMs = nowMs;
      attempt.expiresAtMs = expiresAtMs;
      const answerByMs = nowMs + world.answerMs;
      let start: ReservationStart;
      try {
        const begun = { caller, leaseId, amount, expiresAtMs, gas, idempotency, answerByMs, nowMs };
        start = await store.beginReservation(begun);
      } catch {
        return withoutStore(attempt);
      }
      // A store without room is as good as none: callers with made-up credentials can fill it.
      if (start.kind === 'full' && !isStoreNeeded && idempotency === null) return { kind: 'begun' };
      if (start.kind !== 'in-progress') return start;
      const twin = name === null ? undefined : underWay.get(name);
      await pauseUnlessOver(twin === undefined ? pauseMs : longestPauseMs, cancellation, twin);
      if (cancellation.cause) throw refused(order, null, twinUnderWay());
    }
  }

  function withoutStore(attempt: Attempt): { readonly kind: 'begun' } {
    const { order } = attempt;
    // It may have heard of the attempt all the same: what it holds for it would be held until the coins would expire.
    void end(attempt, { kind: 'refused' });
    if (isStoreNeeded) throw refused(order, null, storeAway());
    if (order.idempotencyKey !== null) throw refused(order, null, keyNotKept());
    return { kind: 'begun' };
  }

  /** Asks the sponsor, and has the store know how that ended before the caller does. */
  async function ask(attempt: Attempt): Promise<Reservation> {
    const { order, leaseId, issuedAtMs, expiresAtMs } = attempt;
    const { gasBudget, holder } = order;
    let coins: ReservedCoins;
    try {
      coins = await order.ask();
    } catch (error) {
      const isLost = mayBeDone(error);
      await end(attempt, { kind: isLost ? 'lost' : 'refused' });
      throw refused(order, leaseId, error, isLost ? 'reserve-lost' : 'reserve-refused');
    }
    const { rawReservationId, sponsorAddress, gasCoins } = coins;
    const kept: KeptReservation = {
      leaseId: leases ? leaseId : rawReservationId,
      rawReservationId,
      sponsorAddress,
      gasCoins,
      gasBudget,
      issuedAtMs,
      expiresAtMs,
    };
    const knownAs = leases ? undefined : rawReservationId;
    await end(attempt, { kind: 'reserved', answer: writeKept(kept), knownAs });
    order.audit({ event: 'reserved', leaseId: kept.leaseId, budget: gasBudget });
    return toReservation(kept, { leases, holder, isConsumed: false });
  }

  /** A store that is away is told later, by whoever speaks to it, or lets the hold expire. */
  function end({ order, leaseId }: Attempt, outcome: EndReservation['outcome']): Promise<void> {
    return store.endReservation({ caller: order.holder, leaseId, nowMs: now(), outcome }).catch(nothing);
  }

  async function replay({ holder, gasBudget, audit }: ReservationOrder, kept: KeptReservation): Promise<Reservation> {
    const { leaseId } = kept;
    audit({ event: 'reserve-replayed', leaseId, budget: gasBudget });
    // Where the store forgot it, or is away, the clock tells what there is to tell.
    const found = await store.findReservation(holder, leaseId, now()).catch(() => null);
    return toReservation(kept, { leases, holder, isConsumed: found?.state === 'consumed' });
  }
}

interface Attempt {
  readonly order: ReservationOrder;
  readonly leaseId: string;
  issuedAtMs: number;
  expiresAtMs: number;
}

function refused<Reason>(
  { audit, gasBudget }: ReservationOrder,
  leaseId: string | null,
  error: Reason,
  event: ReservationEvent['event'] = 'reserve-refused',
): Reason {
  const code = error instanceof GraphQLError ? String(error.extensions.code) : 'INTERNAL_SERVER_ERROR';
  audit({ event, leaseId, budget: gasBudget, code });
  return error;
}

/** One text for a holder and a key of theirs. */
function nameOf({ holder, idempotencyKey }: ReservationOrder): string | null {
  return idempotencyKey === null ? null : JSON.stringify([holder, idempotencyKey]);
}

function bodyHashOf({ gasBudget, reserveDurationSecs }: ReservationOrder): string {
  return hash('sha256', JSON.stringify([gasBudget, reserveDurationSecs]), 'base64url');
}
