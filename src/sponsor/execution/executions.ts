import { randomBytes } from 'node:crypto';
import type { Cancellation } from '../../upstream/cancellation.ts';
import { Execution, type ExecutionKeeper } from './execution.ts';
import { neverSent } from './execution-errors.ts';
import type { ExecutionOrder, ExecutionResult } from './execution-order.ts';
import type { ExecutionWorld } from './execution-world.ts';

/** All executions of this process that have not ended. */
export interface Executions<Effects> {
  /**
   * Executes an order, or waits for its twin that is under way. Resolves with what is on the ledger; rejects with an error
   * that is meant for the caller.
   */
  execute(order: ExecutionOrder<Effects>, cancellation: Cancellation): Promise<ExecutionResult<Effects>>;
  /** Gives those that are due their turn. Called by itself while there are any. */
  turn(): void;
  /**
   * Waits until the sponsor has answered, or let its time pass, for all that it was handed, and the store was told; looks
   * the rest up a last time. What is not known then is in the store as unknown.
   */
  close(): Promise<void>;
}

export interface ExecutionsOptions {
  /** Questions to the ledger at once; half of them for those for whom nobody waits. */
  readonly maxLooks?: number;
  /** Executions that are looked for while nobody waits; of more, those that were begun first are given up. */
  readonly maxSwept?: number;
  /** Milliseconds between turns. */
  readonly turnMs?: number;
}

export function createExecutions<Effects>(
  world: ExecutionWorld<Effects>,
  { maxLooks = 16, maxSwept = 10_000, turnMs = 25 }: ExecutionsOptions = {},
): Executions<Effects> {
  /** In the order in which they began. */
  const open = new Map<string, Execution<Effects>>();
  const rest = createRest();
  /** No other process has the same. */
  const process = randomBytes(16).toString('base64url');
  let attempts = 0;
  let looks = 0;
  let turns: NodeJS.Timeout | undefined;

  const keeper: ExecutionKeeper<Effects> = {
    ended: ({ key }) => void open.delete(key),
    busy: rest.begin,
    idle: rest.end,
  };

  function add(key: string, order: ExecutionOrder<Effects>): Execution<Effects> {
    const execution = new Execution(key, `${process}.${++attempts}`, order, world, keeper);
    open.set(key, execution);
    // One timer for all of them; what is looked for in the background keeps no process alive.
    turns ??= setInterval(turn, turnMs).unref();
    return execution;
  }

  function turn(): void {
    // Not with the last one that ended: the next may begin at once.
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
        execution.giveUp();
      } else if (execution.dueMs <= nowMs) {
        const question = execution.takeTurn(looks < (isSwept ? maxLooks / 2 : maxLooks));
        if (question !== null) void count(question);
      }
    }
  }

  async function count(question: Promise<void>): Promise<void> {
    looks += 1;
    await question;
    looks -= 1;
  }

  return {
    async execute(order, cancellation) {
      const { subject } = order;
      if (cancellation.cause) throw neverSent(subject);
      const { leaseId, bodyHash, idempotencyKey, caller } = subject;
      // The caller last: only there may be line feeds.
      const key = `${leaseId}\n${bodyHash}\n${idempotencyKey ?? ''}\n${caller}`;
      const twin = open.get(key);
      if (twin) return twin.join(cancellation);
      const execution = add(key, order);
      const ended = execution.join(cancellation);
      execution.start();
      return ended;
    },
    turn,
    async close() {
      await rest.whole();
      clearInterval(turns);
      const left = [...open.values()].slice(0, maxLooks);
      await Promise.all(left.map((execution) => execution.look()));
      await rest.whole();
    },
  };
}

/** Counts what is under way. */
function createRest() {
  let underWay = 0;
  let waiting: (() => void)[] = [];
  return {
    begin: () => {
      underWay += 1;
    },
    end: () => {
      underWay -= 1;
      if (underWay > 0) return;
      const told = waiting;
      waiting = [];
      for (const tell of told) tell();
    },
    /** Resolves when nothing is. */
    whole: (): Promise<void> =>
      underWay === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve)),
  };
}
