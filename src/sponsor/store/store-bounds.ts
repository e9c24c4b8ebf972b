import { hash } from 'node:crypto';

/** How much the store keeps. Bounds per caller ensure that no caller can displace what is kept for others. */
export interface StoreBounds {
  /** Reservations and executions of one caller, until `lingerMs` after their expiry. Beyond: `full`. */
  readonly maxLeasesPerCaller: number;
  /** Of all callers together. For the memory store; Redis has its own memory limit. */
  readonly maxLeases: number;
  /** Idempotency keys of one caller. Beyond: the oldest key is forgotten; its request goes on. */
  readonly maxKeysPerCaller: number;
  readonly maxKeys: number;
  /** Bytes of one answer. A longer one is not kept. */
  readonly maxAnswerBytes: number;
  /** Bytes of all answers under keys of one caller, and as many for answers without a key. Beyond: the oldest are forgotten. */
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

/** Idempotency keys that one execution is remembered under. Further twins get `spent` when they repeat. */
export const maxKeysPerExecution = 8;
/** How long an idempotency key and its answer are kept. */
export const keyLifeMs = 24 * 60 * 60_000;
/** How long an execution with an unknown outcome can still be ended. */
export const unresolvedLifeMs = 24 * 60 * 60_000;
/** How long an answer without a key is kept: longer than any reservation lasts and any twin waits. */
export const textLifeMs = 15 * 60_000;
/** How long a lease is kept after its expiry: clocks of instances differ, and clients ask for its state. */
export const lingerMs = 5 * 60_000;

/** For how long only the process that executed it looks for an unknown outcome. Then any process does. */
export const ownLookMs = 60_000;
/** The shortest pause between two looks for an overdue execution. Each pause is half the execution's age. */
export const minClaimPauseMs = 30_000;

export const dayMs = 24 * 60 * 60_000;

/** Days since the Unix epoch, in UTC. */
export function dayOf(nowMs: number): number {
  return Math.floor(nowMs / dayMs);
}

/** The id of a caller's idempotency key for one field: of bounded length, whatever the caller wrote. */
export function keyIdOf(field: 'reserve' | 'execute', caller: string, key: string): string {
  return hash('sha256', `${field}\n${caller}\n${key}`, 'base64url');
}
