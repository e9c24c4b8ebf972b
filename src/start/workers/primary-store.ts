import { type SponsorshipStore, StoreAwayError } from '../../sponsor/store/sponsorship-store.ts';

type Step = Exclude<keyof SponsorshipStore, 'close'>;

/** A step of the store that the primary has, as plain data. */
export interface StoreCall {
  /** Tells the calls of one worker from one another. */
  readonly id: number;
  readonly step: Step;
  readonly args: readonly unknown[];
}

export interface StoreAnswer {
  readonly id: number;
  /** Absent: the step failed. */
  readonly answer?: { readonly value: unknown };
}

/** A store that remembers in the primary, so that all workers remember the same. */
export interface PrimaryStore extends SponsorshipStore {
  hear(answer: StoreAnswer): void;
}

/**
 * Milliseconds that the primary may take. It does little else, and a worker does not outlive it: it is late only where
 * everything is.
 */
const defaultTimeoutMs = 2_000;

/** @param send resolves when the call was sent, or the primary is gone */
export function createPrimaryStore(
  send: (call: StoreCall) => Promise<void>,
  timeoutMs: number = defaultTimeoutMs,
): PrimaryStore {
  const waiting = new Map<number, (answer: StoreAnswer) => void>();
  let calls = 0;

  function call(step: Step, args: readonly unknown[]): Promise<unknown> {
    calls += 1;
    const id = calls;
    return new Promise((resolve, reject) => {
      const patience = setTimeout(() => hear({ id }), timeoutMs);
      waiting.set(id, ({ answer }) => {
        clearTimeout(patience);
        if (answer) resolve(answer.value);
        else reject(new StoreAwayError());
      });
      void send({ id, step, args });
    });
  }

  function hear(answer: StoreAnswer): void {
    // One that comes too late is nobody's.
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  }

  const step =
    <Name extends Step>(name: Name) =>
    (...args: Parameters<SponsorshipStore[Name]>) =>
      call(name, args) as ReturnType<SponsorshipStore[Name]>;
  return {
    beginReservation: step('beginReservation'),
    endReservation: step('endReservation'),
    beginExecution: step('beginExecution'),
    findExecution: step('findExecution'),
    endExecution: step('endExecution'),
    claimOverdue: step('claimOverdue'),
    findReservation: step('findReservation'),
    gasAllowance: step('gasAllowance'),
    close: () => {},
    hear,
  };
}

/** Takes the step that a worker asked for. */
export async function answerStoreCall(store: SponsorshipStore, { id, step, args }: StoreCall): Promise<StoreAnswer> {
  const take = store[step] as (...args: readonly unknown[]) => Promise<unknown>;
  try {
    return { id, answer: { value: await take(...args) } };
  } catch {
    return { id };
  }
}
