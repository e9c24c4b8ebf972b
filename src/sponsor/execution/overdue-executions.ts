import type { OverdueExecution } from '../store/sponsorship-store.ts';
import type { ExecutionWorld } from './execution-world.ts';

/** Looks for executions whose process died, or could not write how they ended, until it is closed. */
export interface OverdueExecutions {
  /** What is being asked at the moment comes to nothing: another process takes it some time later. */
  close(): void;
}

export interface OverdueExecutionsOptions {
  /** Questions to the ledger at once. */
  readonly maxLooks?: number;
}

type World<Effects> = Pick<ExecutionWorld<Effects>, 'store' | 'ledger' | 'answers' | 'audit' | 'now' | 'pace'>;

/**
 * What nobody asks about again has an end too: of the executions whose time is over and whose end is not in the store, a
 * few at a time are taken, by one process each, and looked up in the ledger. What is there is settled; what is not stays
 * unknown, since nobody can say that it will not run, and is looked for again after a longer pause. Nothing is sent.
 */
export function watchOverdueExecutions<Effects>(
  { store, ledger, answers, audit, now, pace }: World<Effects>,
  { maxLooks = 8 }: OverdueExecutionsOptions = {},
): OverdueExecutions {
  const { firstMs, longestMs } = pace.overdue;
  let isClosed = false;
  let pauseMs = firstMs;
  let timer = later();

  function later(): NodeJS.Timeout {
    const start = () => {
      void lookForSome().then(() => {
        if (!isClosed) timer = later();
      });
    };
    // Each at times of its own, so that instances take turns.
    return setTimeout(start, pauseMs * (1 + Math.random() / 2)).unref();
  }

  async function lookForSome(): Promise<void> {
    // What would be taken in vain is left to those who can ask their ledger.
    if (!ledger.canFind()) return;
    let isWell = true;
    try {
      for (let taken = maxLooks; taken === maxLooks && isWell && !isClosed; ) {
        const overdue = await store.claimOverdue({ most: maxLooks, nowMs: now() });
        isWell = (await Promise.all(overdue.map(lookFor))).every(Boolean);
        taken = overdue.length;
      }
    } catch {
      // The store is away, which is in the log.
      isWell = false;
    }
    pauseMs = isWell ? firstMs : Math.min(2 * pauseMs, longestMs);
  }

  /** @returns whether the ledger could tell */
  async function lookFor(overdue: OverdueExecution): Promise<boolean> {
    const { caller, leaseId, digest, amount, budget, requestId } = overdue;
    try {
      const found = await ledger.find(digest);
      if (!found || isClosed) return true;
      const { gasUsed } = found;
      const outcome = { kind: 'executed', gasUsed: gasUsed ?? amount } as const;
      const answer = answers.fromResult({ digest, outcome: 'RECOVERED', effects: null });
      const isNew = await store.endExecution({ caller, leaseId, digest, answer, outcome, nowMs: now() });
      if (isNew) audit({ event: 'recovered', caller, leaseId, digest, budget, gasUsed, code: null, requestId });
      return true;
    } catch {
      return false;
    }
  }

  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
