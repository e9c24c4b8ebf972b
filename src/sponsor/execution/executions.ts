import { randomBytes } from 'node:crypto';
import type { Cancellation } from '../../upstream/cancellation.ts';
import type { OverdueExecution } from '../store/sponsorship-store.ts';
import { Execution } from './execution.ts';
import type { ExecutionOrder, ExecutionResult, ExecutionWorld } from './execution-order.ts';
import { ExecutionRecords, lookUp, neverRunsError, notSentError } from './execution-records.ts';

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
  /** Ledger queries by caller. */
  const looksOf = new Map<string, number>();
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
    for (const execution of open.values()) if (execution.isSwept) swept += 1;
    const toLook = new Map<string, Execution[]>();
    for (const execution of open.values()) {
      if (execution.isSwept && swept > maxSwept) {
        swept -= 1;
        execution.abandon();
      } else if (execution.dueMs <= nowMs) {
        if (!execution.isLook) void execution.takeTurn(false);
        else toLook.set(execution.caller, [...(toLook.get(execution.caller) ?? []), execution]);
      }
    }
    // First the callers with the fewest queries, so that nobody's many executions keep another's waiting.
    for (let round = 0; round < maxLooks && toLook.size > 0; round += 1)
      for (const [caller, executions] of toLook)
        if ((looksOf.get(caller) ?? 0) <= round) lookForOne(caller, executions);

    function lookForOne(caller: string, executions: Execution[]): void {
      const at = executions.findIndex(({ isSwept }) => looks < (isSwept ? maxLooks / 2 : maxLooks));
      const [next] = at === -1 ? [] : executions.splice(at, 1);
      const look = next?.takeTurn(true) ?? null;
      if (look !== null) void count(look, caller);
      else if (at === -1) toLook.delete(caller);
    }
  }

  async function count(look: Promise<void>, caller: string): Promise<void> {
    looks += 1;
    looksOf.set(caller, (looksOf.get(caller) ?? 0) + 1);
    await look;
    looks -= 1;
    const own = (looksOf.get(caller) ?? 1) - 1;
    if (own === 0) looksOf.delete(caller);
    else looksOf.set(caller, own);
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
      void execution.start();
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
 */
export function watchOverdueExecutions(
  { store, ledger, audit, now, pace }: Pick<ExecutionWorld, 'store' | 'ledger' | 'audit' | 'now' | 'pace'>,
  { maxLooks = 8 }: { readonly maxLooks?: number } = {},
) {
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

  async function recoverAll(): Promise<boolean> {
    // If this instance cannot query the ledger, it leaves lost executions to instances that can.
    while (ledger.canFind() && !isClosed) {
      const overdue = await store.claimOverdue({ most: maxLooks, nowMs: now() });
      await Promise.all(overdue.map(recover));
      if (overdue.length < maxLooks) break;
    }
    return true;
  }

  async function recover(overdue: OverdueExecution): Promise<void> {
    const { leaseId, digest, sentAtMs } = overdue;
    const found = await lookUp(ledger, overdue, now() >= sentAtMs + pace.deathMs);
    if (isClosed || !found) return;
    const records = new ExecutionRecords(overdue, undefined, { store, audit, now });
    if (found === 'dead') await records.release(neverRunsError({ digest, reservationId: leaseId }), true);
    else await records.settle({ digest, outcome: 'RECOVERED', effects: null }, found.gasUsed);
  }

  return {
    /** Claims and looks up what is due now. A timer calls it. @returns whether store and ledger answered */
    recoverAll,
    /** Stops the recovery. Another process later takes over pending lookups. */
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
