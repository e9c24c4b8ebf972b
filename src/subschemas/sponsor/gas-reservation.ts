import type { GasReservationResolvers, GasReservationState, ReservedGasCoinResolvers } from '../../generated/own.ts';
import type { SponsorReservation } from './sponsor-client.ts';
import { toUInt53 } from './to-uint53.ts';
import type { WireObjectRef } from './wire.ts';

export interface GasReservationRecord extends Omit<SponsorReservation, 'rawReservationId'> {
  /** What the caller gets for it, and gives back to spend it. */
  readonly reservationId: string;
  readonly gasBudget: number;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
}

export function secondsLeft({ expiresAtMs }: GasReservationRecord, nowMs: number): number {
  return Math.max(0, Math.floor((expiresAtMs - nowMs) / 1000));
}

export function reservationState({ expiresAtMs }: GasReservationRecord, nowMs: number): GasReservationState {
  return nowMs < expiresAtMs ? 'ACTIVE' : 'EXPIRED';
}

/** @param now milliseconds since the Unix epoch */
export function createGasReservationResolvers(now: () => number): {
  readonly GasReservation: GasReservationResolvers;
  readonly ReservedGasCoin: ReservedGasCoinResolvers;
} {
  return {
    GasReservation: {
      expiresAt: ({ expiresAtMs }: GasReservationRecord) => new Date(expiresAtMs).toISOString(),
      secondsLeft: (reservation: GasReservationRecord) => secondsLeft(reservation, now()),
      state: (reservation: GasReservationRecord) => reservationState(reservation, now()),
    },
    ReservedGasCoin: { version: ({ version }: WireObjectRef) => toUInt53(version) },
  };
}
