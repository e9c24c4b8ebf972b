import { randomBytes } from 'node:crypto';
import type { Cancellation } from '../../upstream/cancellation.ts';
import type { OverdueExecution } from '../store/sponsorship-store.ts';
import { Execution } from './execution.ts';
import type { ExecutionOrder, ExecutionResult, ExecutionWorld } from './execution-order.ts';
import { notSentError, toAnswerText } from './execution-records.ts';

export interface ExecutionsOptions {
  /** Concurrent ledger queries; at most half of them are for executions that no client waits for. */
  readonly maxLooks?: number;
  /** Executions that are looked up while no client waits; beyond that, the oldest lookups stop. */
  readonly maxSwept?: number;
  /** Milliseconds between turns. */
  readonly turnMs?: number;
}

export type Executions = ReturnType<typeof createExecutions>;

/** The unfinished executions of this process. */
export function createExecutions(
  world: ExecutionWorld,
  { maxLooks = 16, maxSwept = 10_000, turnMs = 25 }: ExecutionsOptions = {},
) {
  /** Unfinished executions by call, oldest first. */
  const open = new Map<string, Execution>();
  const work = new Set<Promise<unknown>>();
  /** A random id, unique among all processes. */
  const process = randomBytes(16).toString('base64url');
  let attempts = 0;
  let looks = 0;
  let turns: NodeJS.Timeout | undefined;

  function add(key: string, order: ExecutionOrder): Execution {
    const execution = new Execution(order, `${process}.${++attempts}`, world, {
      ended: () => void open.delete(key),
      working(promise) {
        work.add(promise);
        void promise.then(() => work.delete(promise));
      },
    });
    open.set(key, execution);
    // One timer for all of them. It does not keep the process alive.
    turns ??= setInterval(turn, turnMs).unref();
    return execution;
  }

  function turn(): void {
    // Stopped here and not when the last execution ends, since the next one may begin immediately.
    if (open.size === 0) {
      clearInterval(turns);
      turns = undefined;
    }
    const nowMs = world.clock();
    let swept = 0;
    for (const execution of open.values()) if (execution.state === 'swept') swept += 1;
    for (const execution of open.values()) {
      const isSwept = execution.state === 'swept';
      if (isSwept && swept > maxSwept) {
        swept -= 1;
        execution.abandon();
      } else if (execution.dueMs <= nowMs) {
        const look = execution.takeTurn(looks < (isSwept ? maxLooks / 2 : maxLooks));
        if (look !== null) void count(look);
      }
    }
  }

  async function count(look: Promise<void>): Promise<void> {
    looks += 1;
    await look;
    looks -= 1;
  }

  async function workIsDone(): Promise<void> {
    while (work.size > 0) await Promise.all(work);
  }

  return {
    /** Executes an order, or joins an identical execution in this process. Rejects with an error meant for the client. */
    async execute(order: ExecutionOrder, cancellation: Cancellation): Promise<ExecutionResult> {
      const { subject } = order;
      if (cancellation.cause) throw notSentError(subject);
      const { leaseId, bodyHash, idempotencyKey, caller } = subject;
      // The caller last, since only the caller may contain line feeds.
      const key = `${leaseId}\n${bodyHash}\n${idempotencyKey ?? ''}\n${caller}`;
      const twin = open.get(key);
      if (twin) return twin.join(cancellation);
      const execution = add(key, order);
      const ended = execution.join(cancellation);
      execution.start();
      return ended;
    },
    /** Gives due executions their turn. A timer calls it while there are executions. */
    turn,
    /**
     * Waits until the sponsor has answered or timed out on every call, and every end is stored; then queries the ledger a last
     * time. Outcomes that are still unknown stay unknown in the store.
     */
    async close(): Promise<void> {
      await workIsDone();
      clearInterval(turns);
      const left = [...open.values()].slice(0, maxLooks);
      await Promise.all(left.map((execution) => execution.look()));
      await workIsDone();
    },
  };
}

/**
 * Recovers executions whose process died or could not store their end. Claims some overdue executions from the store, which
 * gives each to one process at a time, and looks them up in the ledger. A transaction that the ledger lacks stays unknown,
 * since it may still run, and is looked up again after a longer pause. Sends nothing.
 * @param maxLooks concurrent ledger queries
 * @returns stops the recovery; another process later takes over pending lookups
 */
export function watchOverdueExecutions(
  { store, ledger, audit, now, pace }: Pick<ExecutionWorld, 'store' | 'ledger' | 'audit' | 'now' | 'pace'>,
  { maxLooks = 8 }: { readonly maxLooks?: number } = {},
): () => void {
  const { firstMs, longestMs } = pace.overdue;
  let isClosed = false;
  let pauseMs = firstMs;
  let timer = schedule();

  function schedule(): NodeJS.Timeout {
    const look = async () => {
      const hasReachedAll = await recoverAll().catch(() => false);
      pauseMs = hasReachedAll ? firstMs : Math.min(2 * pauseMs, longestMs);
      if (!isClosed) timer = schedule();
    };
    // With jitter, so that instances take turns.
    return setTimeout(look, pauseMs * (1 + Math.random() / 2)).unref();
  }

  /** @returns whether store and ledger answered */
  async function recoverAll(): Promise<boolean> {
    // If this instance cannot query the ledger, it leaves lost executions to instances that can.
    while (ledger.canFind() && !isClosed) {
      const overdue = await store.claimOverdue({ most: maxLooks, nowMs: now() });
      await Promise.all(overdue.map(recover));
      if (overdue.length < maxLooks) break;
    }
    return true;
  }

  async function recover({ caller, leaseId, digest, amount, budget, requestId }: OverdueExecution): Promise<void> {
    const found = await ledger.find(digest);
    if (!found || isClosed) return;
    const { gasUsed } = found;
    const outcome = { kind: 'executed', gasUsed: gasUsed ?? amount } as const;
    const answer = toAnswerText({ digest, outcome: 'RECOVERED', effects: null });
    const isNew = await store.endExecution({ caller, leaseId, digest, answer, outcome, nowMs: now() });
    if (isNew) audit({ event: 'recovered', caller, leaseId, digest, budget, gasUsed, code: null, requestId });
  }

  return () => {
    isClosed = true;
    clearTimeout(timer);
  };
}
