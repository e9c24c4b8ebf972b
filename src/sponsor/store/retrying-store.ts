import { setTimeout as pause } from 'node:timers/promises';
import { type EndExecution, type EndReservation, type SponsorshipStore, StoreAwayError } from './sponsorship-store.ts';

/** What was to be written of how something ended. */
export type GivenUpEnd =
  | { readonly kind: 'reservation'; readonly end: EndReservation }
  | { readonly kind: 'execution'; readonly end: EndExecution };

export interface RetryingStoreOptions {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Told of what was not written and will not be: too much was waiting, or the store did not come back before the end. */
  readonly givenUp: (end: GivenUpEnd) => void;
  /** Ends that may wait; the oldest is given up for one more. */
  readonly maxWaiting?: number;
  /** Characters of the answers in them; of what ends beyond that how it ended is written, and no answer. */
  readonly maxWaitingCharacters?: number;
  /** Milliseconds until the first attempt to write again; doubled with each that fails, up to the longest. */
  readonly firstPauseMs?: number;
  readonly maxPauseMs?: number;
  /** Milliseconds that closing may wait for what is not written yet. */
  readonly closeWithinMs?: number;
}

/**
 * A store that writes how something ended as soon as it can: `endReservation` and `endExecution` never reject, and what could
 * not be written is written later, in the background. A step that was to begin something and whose answer was lost may have
 * happened; since whoever asked for it is told that it did not, it is taken back the same way.
 */
export function createRetryingStore(store: SponsorshipStore, options: RetryingStoreOptions): SponsorshipStore {
  const { now, givenUp, maxWaiting = 10_000, maxWaitingCharacters = 16 * 1024 * 1024 } = options;
  const { firstPauseMs = 100, maxPauseMs = 2_000, closeWithinMs = 2_000 } = options;
  const waiting = new Set<GivenUpEnd>();
  /** What is to be taken back, if it happened at all: given up before any end of what certainly did. */
  const takenBack = new Set<GivenUpEnd>();
  const areWaiting = () => waiting.size + takenBack.size > 0;
  let waitingCharacters = 0;
  let pauseMs = firstPauseMs;
  let timer: NodeJS.Timeout | undefined;
  let isClosing = false;
  /** What is being written at this moment. */
  let writing: Promise<void> | null = null;

  const write = ({ kind, end }: GivenUpEnd): Promise<unknown> => {
    // It is said now; the time at which it happened may be long ago.
    const nowMs = Math.max(end.nowMs, now());
    return kind === 'reservation'
      ? store.endReservation({ ...(end as EndReservation), nowMs })
      : store.endExecution({ ...(end as EndExecution), nowMs });
  };

  /** Writes what waits, oldest first, until something fails. */
  async function writeAll(): Promise<void> {
    for (const queue of [waiting, takenBack]) {
      for (const end of queue) {
        await write(end);
        remove(end, queue);
        pauseMs = firstPauseMs;
      }
    }
  }

  function tryAll(): Promise<void> {
    timer = undefined;
    writing ??= writeAll()
      .catch(() => {
        pauseMs = Math.min(pauseMs * 2, maxPauseMs);
      })
      .finally(() => {
        writing = null;
        if (areWaiting() && !isClosing) later();
      });
    return writing;
  }

  function later(): void {
    timer ??= setTimeout(tryAll, pauseMs).unref();
  }

  function keep(end: GivenUpEnd, queue: Set<GivenUpEnd>): void {
    const [oldest] = takenBack.size > 0 ? takenBack : waiting;
    if (oldest && waiting.size + takenBack.size >= maxWaiting) {
      remove(oldest, waiting);
      remove(oldest, takenBack);
      givenUp(oldest);
    }
    const kept = waitingCharacters + charactersOf(end) > maxWaitingCharacters ? withoutAnswer(end) : end;
    waitingCharacters += charactersOf(kept);
    queue.add(kept);
    if (!writing) later();
  }

  /** What was given up while it was being written is in there no more. */
  function remove(end: GivenUpEnd, queue: Set<GivenUpEnd>): void {
    if (queue.delete(end)) waitingCharacters -= charactersOf(end);
  }

  async function orLater<Ended>(step: Promise<Ended>, end: GivenUpEnd, later: Ended): Promise<Ended> {
    try {
      return await step;
    } catch (error) {
      if (!(error instanceof StoreAwayError)) throw error;
      keep(end, waiting);
      return later;
    }
  }

  async function orTakeBack<Start>(step: Promise<Start>, end: GivenUpEnd): Promise<Start> {
    try {
      return await step;
    } catch (error) {
      if (error instanceof StoreAwayError && !error.isUntaken) keep(end, takenBack);
      throw error;
    }
  }

  return {
    beginReservation(begin) {
      const { caller, leaseId, nowMs } = begin;
      const end: EndReservation = { caller, leaseId, nowMs, outcome: { kind: 'refused' } };
      return orTakeBack(store.beginReservation(begin), { kind: 'reservation', end });
    },
    endReservation: (end) => orLater(store.endReservation(end), { kind: 'reservation', end }, undefined),
    beginExecution(begin) {
      const { caller, leaseId, digest, nowMs, attempt, mustBeKnown } = begin;
      // Who can do without the store goes on, and says how that ended.
      if (!mustBeKnown) return store.beginExecution(begin);
      const outcome = { kind: 'not-sent', attempt } as const;
      const end: EndExecution = { caller, leaseId, digest, nowMs, answer: null, outcome };
      return orTakeBack(store.beginExecution(begin), { kind: 'execution', end });
    },
    findExecution: (twin) => store.findExecution(twin),
    endExecution: (end) => orLater(store.endExecution(end), { kind: 'execution', end }, true),
    claimOverdue: (claim) => store.claimOverdue(claim),
    findReservation: (caller, leaseId, nowMs) => store.findReservation(caller, leaseId, nowMs),
    gasAllowance: (gas, nowMs) => store.gasAllowance(gas, nowMs),
    async close() {
      isClosing = true;
      clearTimeout(timer);
      const deadline = performance.now() + closeWithinMs;
      while (areWaiting() && performance.now() < deadline) {
        await Promise.race([tryAll(), pause(deadline - performance.now())]);
        if (areWaiting()) await pause(firstPauseMs);
      }
      for (const end of [...waiting, ...takenBack]) givenUp(end);
      waiting.clear();
      takenBack.clear();
      await store.close();
    },
  };
}

function charactersOf({ kind, end }: GivenUpEnd): number {
  if (kind === 'execution') return end.answer?.length ?? 0;
  return end.outcome.kind === 'reserved' ? end.outcome.answer.length : 0;
}

/** Repeats are told `spent`, or that the answer was lost: all else is as it would be. */
function withoutAnswer(given: GivenUpEnd): GivenUpEnd {
  if (given.kind === 'execution') return { kind: 'execution', end: { ...given.end, answer: null } };
  return { kind: 'reservation', end: { ...given.end, outcome: { kind: 'lost' } } };
}
