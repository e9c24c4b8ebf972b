import type { DailyCap } from './daily-cap.ts';
import type { GasPool } from './gas-pool.ts';
import type { ReserveGasBody } from './request-body.ts';
import { jsonAnswer, type SponsorAnswer } from './sponsor-answer.ts';

/**
 * The service refuses budgets above this. Exactly this amount passes, although the message of the rejection says otherwise.
 */
const maxGasBudget = 2_000_000_000n;
const maxReserveDurationSecs = 600n;

export interface ReserveGasContext {
  readonly pool: GasPool;
  readonly cap: DailyCap;
  readonly sponsorAddress: string;
  readonly isInMaintenance: boolean;
}

/** Answers an authorised request. Envelope: `{ result, error }`, one of them null. */
export function reserveGas(body: ReserveGasBody, context: ReserveGasContext): SponsorAnswer {
  if (context.isInMaintenance) return refuseReserve(503, maintenanceText);
  const broken = checkRules(body);
  if (broken !== null) return refuseReserve(400, broken);
  if (context.cap.isExceeded()) return refuseReserve(500, 'Gas usage exceeds daily cap');
  const reservation = context.pool.reserve(body.gasBudget, Number(body.reserveDurationSecs) * 1000);
  if (!reservation) return refuseReserve(500, exhaustedText);
  return jsonAnswer(200, {
    result: {
      sponsor_address: context.sponsorAddress,
      reservation_id: Number(reservation.id),
      gas_coins: reservation.coins,
    },
    error: null,
  });
}

export const exhaustedText = 'Unable to reserve gas coins for the given budget.';
const maintenanceText = 'Gas station is in maintenance mode. Please try again later.';

export function refuseReserve(status: number, error: string): SponsorAnswer {
  return jsonAnswer(status, { result: null, error });
}

function checkRules({ gasBudget, reserveDurationSecs }: ReserveGasBody): string | null {
  if (gasBudget === 0n) return 'Gas budget must be positive';
  if (gasBudget > maxGasBudget) return `Gas budget must be less than ${maxGasBudget}`;
  if (reserveDurationSecs === 0n) return 'Reserve duration must be positive';
  if (reserveDurationSecs > maxReserveDurationSecs) {
    return `Reserve duration must be less than ${maxReserveDurationSecs} seconds`;
  }
  return null;
}
