import type { GasReservationResolvers, GasReservationState, ReservedGasCoinResolvers } from '../../generated/own.ts';
import type { SponsorReservation } from './sponsor-client.ts';
import { toUInt53 } from './to-uint53.ts';
import type { WireObjectRef } from './wire.ts';

export interface GasReservationRecord extends SponsorReservation {
  readonly gasBudget: number;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
}

/**
 * The sponsor starts counting at some moment between being asked and answering. Counting from before it was asked never
 * promises coins for longer than the sponsor holds them.
 */
export function toGasReservation(
  reservation: SponsorReservation,
  asked: { readonly gasBudget: number; readonly reserveDurationSecs: number; readonly atMs: number },
): GasReservationRecord {
  return {
    ...reservation,
    gasBudget: asked.gasBudget,
    expiresAtMs: asked.atMs + asked.reserveDurationSecs * 1000,
  };
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
