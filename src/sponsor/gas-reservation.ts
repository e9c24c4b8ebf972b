import type { GasReservationResolvers, GasReservationState, ReservedGasCoinResolvers } from '../generated/own.ts';
import type { Reservation } from './reservation/reservation.ts';
import { toUInt53 } from './to-uint53.ts';
import type { WireObjectRef } from './wire.ts';

export function secondsLeft({ expiresAtMs }: Reservation, nowMs: number): number {
  return Math.max(0, Math.floor((expiresAtMs - nowMs) / 1000));
}

export function reservationState({ expiresAtMs, isConsumed }: Reservation, nowMs: number): GasReservationState {
  if (isConsumed) return 'CONSUMED';
  return nowMs < expiresAtMs ? 'ACTIVE' : 'EXPIRED';
}

/** @param now milliseconds since the Unix epoch */
export function createGasReservationResolvers(now: () => number): {
  readonly GasReservation: GasReservationResolvers;
  readonly ReservedGasCoin: ReservedGasCoinResolvers;
} {
  return {
    GasReservation: {
      expiresAt: ({ expiresAtMs }: Reservation) => new Date(expiresAtMs).toISOString(),
      secondsLeft: (reservation: Reservation) => secondsLeft(reservation, now()),
      state: (reservation: Reservation) => reservationState(reservation, now()),
    },
    ReservedGasCoin: { version: ({ version }: WireObjectRef) => toUInt53(version) },
  };
}
