/** How much is kept. Of what is bounded per caller, nobody can push out what is kept of others. */
export interface StoreBounds {
  /** Reservations and executions of one caller, those included that expired less than `lingerMs` ago. More: `full`. */
  readonly maxLeasesPerCaller: number;
  /** Of all callers. For the memory of one process; a Redis has bounds of its own. */
  readonly maxLeases: number;
  /** Idempotency keys of one caller. More: the oldest is forgotten, and what is still under way is begun no second time. */
  readonly maxKeysPerCaller: number;
  readonly maxKeys: number;
  /** Bytes of one answer; a longer one is not kept. */
  readonly maxAnswerBytes: number;
  /** Bytes of all answers under keys of one caller, and as many without a key. More: the oldest are forgotten. */
  readonly maxAnswerBytesPerCaller: number;
  readonly maxAnswerBytesInAll: number;
}

export const defaultStoreBounds: StoreBounds = {
  maxLeasesPerCaller: 20_000,
  maxLeases: 100_000,
  maxKeysPerCaller: 10_000,
  maxKeys: 50_000,
  maxAnswerBytes: 256 * 1024,
  maxAnswerBytesPerCaller: 4 * 1024 * 1024,
  maxAnswerBytesInAll: 64 * 1024 * 1024,
};

/** Idempotency keys under which one execution is remembered: more twins that join it find it `spent` when they ask again. */
export const maxKeysPerExecution = 8;
/** How long an idempotency key is known, with its answer. */
export const keyLifeMs = 24 * 60 * 60_000;
/** How long an execution whose end is not known can still be ended. */
export const unresolvedLifeMs = 24 * 60 * 60_000;
/** How long an answer without a key is kept: longer than a reservation can last, and than any twin waits. */
export const textLifeMs = 15 * 60_000;
/** A lease is kept for so long after its expiry: the clocks of instances differ, and callers ask what became of it. */
export const lingerMs = 5 * 60_000;

/** Who executed something whose outcome it does not know looks for it alone for so long; then anybody does. */
export const ownLookMs = 60_000;
/** An execution that is overdue is looked for after such a pause at least; each is half as long as it is overdue. */
export const minClaimPauseMs = 30_000;

export const dayMs = 24 * 60 * 60_000;

/** Days since the Unix epoch, in UTC. */
export function dayOf(nowMs: number): number {
  return Math.floor(nowMs / dayMs);
}
