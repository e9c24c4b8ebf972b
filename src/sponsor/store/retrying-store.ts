import { setTimeout as pause } from 'node:timers/promises';
import type { SponsorshipStore } from './decide.ts';
import { type EndExecution, type EndReservation, StoreUnavailableError } from './sponsorship-store.ts';

/** An end that is still to be written. */
export type AbandonedOutcome =
  | { readonly kind: 'reservation'; readonly end: EndReservation }
  | { readonly kind: 'execution'; readonly end: EndExecution };

export interface RetryingStoreOptions {
  readonly now: () => number;
  /** Called for an end that is dropped unwritten: too many were waiting, or the store was unavailable until the shutdown. */
  readonly givenUp: (end: AbandonedOutcome) => void;
  /** Maximum of waiting ends; beyond that the oldest is dropped. */
  readonly maxWaiting?: number;
  /** Characters of their answers; beyond that, ends are kept without their answers. */
  readonly maxWaitingCharacters?: number;
  /** Milliseconds until the first retry; doubled after each failure. */
  readonly firstPauseMs?: number;
  readonly maxPauseMs?: number;
  /** Milliseconds that closing may wait for pending writes. */
  readonly closeWithinMs?: number;
}

/**
 * Wraps a store so that `endReservation` and `endExecution` never reject: failed writes are retried in the background. A begin
 * with a lost answer may have succeeded although its caller got an error, so it is undone in the same way.
 */
export function createRetryingStore(store: SponsorshipStore, options: RetryingStoreOptions): SponsorshipStore {
  const { now, givenUp, maxWaiting = 10_000, maxWaitingCharacters = 16 * 1024 * 1024 } = options;
  const { firstPauseMs = 100, maxPauseMs = 2_000, closeWithinMs = 2_000 } = options;
  /** Ends that wait for the store, oldest first. */
  const ends = new Set<AbandonedOutcome>();
  /** Uncertain begins to undo: written after the ends, and dropped before them. */
  const undos = new Set<AbandonedOutcome>();
  const areWaiting = () => ends.size + undos.size > 0;
  let waitingCharacters = 0;
  let pauseMs = firstPauseMs;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | null = null;
  let isClosed = false;

  function write({ kind, end }: AbandonedOutcome): Promise<unknown> {
    // The execution may have ended long ago, but the store must date this step now.
    const nowMs = Math.max(end.nowMs, now());
    return kind === 'reservation' ? store.endReservation({ ...end, nowMs }) : store.endExecution({ ...end, nowMs });
  }

  /** Writes everything that waits, oldest first, until a write fails. */
  async function writeAll(): Promise<void> {
    for (const queue of [ends, undos]) {
      for (const end of queue) {
        await write(end);
        remove(end, queue);
        pauseMs = firstPauseMs;
      }
    }
  }

  function retry(): Promise<void> {
    timer = undefined;
    writing ??= writeAll()
      .catch(() => {
        pauseMs = Math.min(pauseMs * 2, maxPauseMs);
      })
      .finally(() => {
        writing = null;
        if (areWaiting()) retryLater();
      });
    return writing;
  }

  function retryLater(): void {
    if (!timer) timer = setTimeout(retry, pauseMs).unref();
  }

  function keep(end: AbandonedOutcome, queue: Set<AbandonedOutcome>): void {
    if (isClosed) {
      givenUp(end);
      return;
    }
    const oldestIn = undos.size > 0 ? undos : ends;
    const [oldest] = oldestIn;
    if (oldest && ends.size + undos.size >= maxWaiting) {
      remove(oldest, oldestIn);
      givenUp(oldest);
    }
    const kept = waitingCharacters + charactersOf(end) > maxWaitingCharacters ? withoutAnswer(end) : end;
    waitingCharacters += charactersOf(kept);
    queue.add(kept);
    retryLater();
  }

  /** Does nothing for an end that was dropped while it was being written. */
  function remove(end: AbandonedOutcome, queue: Set<AbandonedOutcome>): void {
    if (queue.delete(end)) waitingCharacters -= charactersOf(end);
  }

  async function writeOrKeep<Ended>(step: Promise<Ended>, end: AbandonedOutcome, kept: Ended): Promise<Ended> {
    try {
      return await step;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      keep(end, ends);
      return kept;
    }
  }

  async function beginOrUndo<Start>(step: Promise<Start>, undo: AbandonedOutcome): Promise<Start> {
    try {
      return await step;
    } catch (error) {
      if (error instanceof StoreUnavailableError && !error.isUntaken) keep(undo, undos);
      throw error;
    }
  }

  return {
    ...store,
    beginReservation(begin) {
      const { caller, leaseId, nowMs, isOptional } = begin;
      if (isOptional) return store.beginReservation(begin);
      const end: EndReservation = { caller, leaseId, nowMs, outcome: { kind: 'refused', isUndo: true } };
      return beginOrUndo(store.beginReservation(begin), { kind: 'reservation', end });
    },
    endReservation: (end) => writeOrKeep(store.endReservation(end), { kind: 'reservation', end }, undefined),
    beginExecution(begin) {
      const { caller, leaseId, digest, nowMs, attempt, mustBeKnown } = begin;
      // In forward mode the execution continues without the store, and writes its own end.
      if (!mustBeKnown) return store.beginExecution(begin);
      const outcome = { kind: 'not-sent', attempt } as const;
      const end: EndExecution = { caller, leaseId, digest, nowMs, answer: null, outcome };
      return beginOrUndo(store.beginExecution(begin), { kind: 'execution', end });
    },
    endExecution: (end) => writeOrKeep(store.endExecution(end), { kind: 'execution', end }, true),
    async close() {
      const deadline = performance.now() + closeWithinMs;
      while (areWaiting() && performance.now() < deadline) {
        await Promise.race([retry(), pause(deadline - performance.now())]);
        if (areWaiting()) await pause(firstPauseMs);
      }
      isClosed = true;
      for (const end of [...ends, ...undos]) givenUp(end);
      ends.clear();
      undos.clear();
      await store.close();
    },
  };
}

function charactersOf({ kind, end }: AbandonedOutcome): number {
  if (kind === 'execution') return end.answer?.length ?? 0;
  return end.outcome.kind === 'reserved' ? end.outcome.answer.length : 0;
}

/** Repeated calls get `spent`, or `lost`; everything else stays the same. */
function withoutAnswer(given: AbandonedOutcome): AbandonedOutcome {
  if (given.kind === 'execution') return { kind: 'execution', end: { ...given.end, answer: null } };
  return { kind: 'reservation', end: { ...given.end, outcome: { kind: 'lost' } } };
}
