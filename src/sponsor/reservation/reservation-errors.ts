import type { GraphQLError } from 'graphql';
import { gatewayError } from '../../errors/gateway-error.ts';
import type { GasAllowance, ReservationStart } from '../store/sponsorship-store.ts';

const nothingSent = 'Nothing was sent to the sponsor.';
const argument = 'idempotencyKey';

/** The client hung up or the call timed out while it waited for a twin. */
export function twinUnderWay(): GraphQLError {
  const message = `The request ended while another one under the same idempotencyKey was in flight. ${nothingSent}`;
  return gatewayError('REQUEST_TIMEOUT', message, { upstream: 'sponsor', argument });
}

export function storeAway(): GraphQLError {
  const message = `The store that the instances of this gateway share is unavailable. ${nothingSent} Try again.`;
  return gatewayError('UPSTREAM_UNAVAILABLE', message, { upstream: 'sponsor' });
}

/** Without the store a repeat would not be recognised, and would reserve coins again. */
export function keyNotKept(): GraphQLError {
  const message = `The idempotencyKey cannot be stored: the store that the instances of this gateway share is unavailable. ${nothingSent} Without a key coins can be reserved.`;
  return gatewayError('UPSTREAM_UNAVAILABLE', message, { upstream: 'sponsor', argument });
}

/** The error for a reservation that the store does not let begin. */
export function toDeclined(
  start: Exclude<ReservationStart, { kind: 'begun' | 'replay' | 'in-progress' }>,
  gasBudget: number,
  nowMs: number,
): GraphQLError {
  switch (start.kind) {
    case 'conflict':
      return gatewayError(
        'IDEMPOTENCY_CONFLICT',
        `The idempotencyKey was used with another gasBudget or reserveDurationSecs. ${nothingSent}`,
        { argument },
      );
    case 'lost':
      return gatewayError(
        'UPSTREAM_TIMEOUT',
        `The sponsor was asked under this idempotencyKey before, and its answer was lost: coins may stay reserved until ${toText(start.untilMs)}. ${nothingSent} Ask again after that, or under another key.`,
        { upstream: 'sponsor', argument, retryAfterSeconds: secondsUntil(start.untilMs, nowMs) },
      );
    case 'full':
      return gatewayError(
        'RATE_LIMITED',
        `This caller, or all callers together, have too many reservations that have not expired. ${nothingSent}`,
        { retryAfterSeconds: 60 },
      );
    case 'over-budget':
      return overBudget(start.allowance, gasBudget, nowMs);
  }
}

function overBudget({ limit, held, settled, free, resetsAtMs }: GasAllowance, gasBudget: number, nowMs: number) {
  const left = Math.max(0, free);
  const resetsAt = toText(resetsAtMs);
  return gatewayError(
    'RATE_LIMITED',
    `A gas budget of ${gasBudget} is more than this caller has left today: ${left} of ${limit}, ${settled} being spent and ${held} held by reservations and executions that have not ended. The day ends at ${resetsAt}. ${nothingSent}`,
    {
      argument: 'gasBudget',
      gas: { limit, held, settled, left, resetsAt },
      retryAfterSeconds: secondsUntil(resetsAtMs, nowMs),
    },
  );
}

function toText(atMs: number): string {
  return new Date(atMs).toISOString();
}

function secondsUntil(atMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((atMs - nowMs) / 1_000));
}
