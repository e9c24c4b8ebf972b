import type { OverdueExecution } from '../store/sponsorship-store.ts';
import type { ExecutionWorld } from './execution-order.ts';

export interface OverdueExecutions {
  /** Ends the watch. Another process later takes over what is being looked up now. */
  close(): void;
}

type World<Effects> = Pick<ExecutionWorld<Effects>, 'store' | 'ledger' | 'answers' | 'audit' | 'now' | 'pace'>;

/**
 * Settles executions whose process died or could not write their end. Takes some of those that are overdue in the store, which
 * gives each to one process at a time, and looks them up in the ledger. What the ledger lacks stays unknown, since it may still
 * run, and is looked up again after a longer pause. Sends nothing.
 * @param maxLooks concurrent ledger queries
 */
export function watchOverdueExecutions<Effects>(
  { store, ledger, answers, audit, now, pace }: World<Effects>,
  { maxLooks = 8 }: { readonly maxLooks?: number } = {},
): OverdueExecutions {
  const { firstMs, longestMs } = pace.overdue;
  let isClosed = false;
  let pauseMs = firstMs;
  let timer = schedule();

  function schedule(): NodeJS.Timeout {
    const look = async () => {
      const isWell = await lookForAll().catch(() => false);
      pauseMs = isWell ? firstMs : Math.min(2 * pauseMs, longestMs);
      if (!isClosed) timer = schedule();
    };
    // With jitter, so that instances take turns.
    return setTimeout(look, pauseMs * (1 + Math.random() / 2)).unref();
  }

  /** @returns whether store and ledger answered */
  async function lookForAll(): Promise<boolean> {
    // Left to instances that can query their ledger.
    while (ledger.canFind() && !isClosed) {
      const overdue = await store.claimOverdue({ most: maxLooks, nowMs: now() });
      await Promise.all(overdue.map(lookFor));
      if (overdue.length < maxLooks) break;
    }
    return true;
  }

  async function lookFor({ caller, leaseId, digest, amount, budget, requestId }: OverdueExecution): Promise<void> {
    const found = await ledger.find(digest);
    if (!found || isClosed) return;
    const { gasUsed } = found;
    const outcome = { kind: 'executed', gasUsed: gasUsed ?? amount } as const;
    const answer = answers.fromResult({ digest, outcome: 'RECOVERED', effects: null });
    const isNew = await store.endExecution({ caller, leaseId, digest, answer, outcome, nowMs: now() });
    if (isNew) audit({ event: 'recovered', caller, leaseId, digest, budget, gasUsed, code: null, requestId });
  }

  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
