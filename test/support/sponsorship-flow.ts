import { expect } from 'vitest';
import type { SponsorshipStore } from '../../src/sponsor/store/decide.ts';
import type {
  BeginExecution,
  BeginReservation,
  EndExecution,
  EndReservation,
  GasAllowance,
  HoldRequest,
  StoreBounds,
} from '../../src/sponsor/store/sponsorship-store.ts';
import { dayOf } from '../../src/sponsor/store/sponsorship-store.ts';

/** Stores that share one memory, like two processes with one Redis. */
export interface StorePair {
  readonly one: SponsorshipStore;
  readonly other: SponsorshipStore;
}

export interface StoreBench {
  open(bounds?: StoreBounds): StorePair | Promise<StorePair>;
  close(): unknown;
}

/** Noon UTC, far from the ends of the day. */
export const noon = Date.UTC(2027, 4, 5, 12);
export const midnight = Date.UTC(2027, 4, 6);

/** A daily budget of some callers, in the smallest unit of the gas coin. */
export interface TestBudget {
  readonly key: string;
  readonly perDay: number;
}

export function holdOf({ key, perDay }: TestBudget, amount = 100, nowMs = noon): HoldRequest {
  return { rule: 'gas.perDay', account: `gas:${dayOf(nowMs)}:${key}`, amount, limit: perDay, shareOf: null };
}

export async function allowanceOf(
  store: Pick<SponsorshipStore, 'gasAllowance'>,
  gas: TestBudget,
  nowMs: number,
): Promise<GasAllowance> {
  return (await store.gasAllowance({ bounds: [holdOf(gas, 0, nowMs)], nowMs })) as GasAllowance;
}

interface ReservationForm extends Partial<BeginReservation> {
  /** Held as the only account. */
  readonly gas?: TestBudget;
  readonly amount?: number;
}

let named = 0;
/** A unique name, since all tests may share one Redis. */
export const newName = (what: string) => `${what}-${++named}`;

/** Values that differ only by caller; a test sets those it is about. */
export function newFlow(caller = newName('client:caller')) {
  const leaseId = newName('lease');
  const reservation = ({ gas, amount, ...more }: ReservationForm = {}): BeginReservation => ({
    caller,
    leaseId,
    expiresAtMs: noon + 60_000,
    sender: null,
    holds: gas ? [holdOf(gas, amount, more.nowMs)] : [],
    idempotency: null,
    answerByMs: noon + 15_000,
    nowMs: noon,
    ...more,
  });
  const reservationEnd = (outcome: EndReservation['outcome'], nowMs = noon): EndReservation => ({
    caller,
    leaseId,
    nowMs,
    outcome,
  });
  const execution = (more: Partial<BeginExecution> = {}): BeginExecution => ({
    caller,
    leaseId,
    digest: 'digest-1',
    expiresAtMs: noon + 60_000,
    mustBeKnown: true,
    amount: 100,
    sender: null,
    senderHolds: [],
    idempotency: null,
    bodyHash: 'body-1',
    attempt: newName('attempt'),
    answerByMs: noon + 30_000,
    budget: 100,
    requestId: 'request-1',
    needsReservation: false,
    nowMs: noon + 1,
    ...more,
  });
  const executionEnd = (outcome: EndExecution['outcome'], more: Partial<EndExecution> = {}): EndExecution => ({
    caller,
    leaseId,
    digest: 'digest-1',
    nowMs: noon + 2,
    answer: null,
    outcome,
    ...more,
  });
  return { caller, leaseId, reservation, reservationEnd, execution, executionEnd };
}

/** A reserved lease. */
export async function reserve(store: SponsorshipStore, more: ReservationForm = {}, caller?: string) {
  const flow = newFlow(caller);
  expect(await store.beginReservation(flow.reservation(more))).toEqual({ kind: 'begun' });
  await store.endReservation(flow.reservationEnd({ kind: 'reserved', answer: 'coins' }));
  return flow;
}

/** Overdue executions of this caller, since all tests may share one Redis. */
export const claimOf = async (caller: string, store: SponsorshipStore, nowMs: number) =>
  (await store.claimOverdue({ most: 1_000, nowMs })).filter((overdue) => overdue.caller === caller);

export type Stores = () => StorePair;
