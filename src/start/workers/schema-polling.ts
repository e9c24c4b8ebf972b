/** Milliseconds between two rounds in which all workers check, so that a schema that changes back and forth costs little. */
const roundEveryMs = 1_000;

export interface SchemaPollingOptions<Worker extends object> {
  /** Milliseconds between two checks of all workers together; 0 = only after a change. */
  readonly pollMs: number;
  /** The serving workers, in a stable order. */
  readonly workers: () => readonly Worker[];
  /** Makes a worker check the ledger's schema. */
  readonly check: (worker: Worker) => void;
}

/** Makes workers check the ledger's schema one after another, and all of them when one has seen a change. */
export function startSchemaPolling<Worker extends object>(options: SchemaPollingOptions<Worker>) {
  const { pollMs, workers, check } = options;
  let turn = 0;
  let known: string | null = null;
  let pause: NodeJS.Timeout | undefined;
  let isRoundWanted = false;

  const checkInTurn = () => {
    const all = workers();
    const next = all[turn++ % all.length];
    if (next) check(next);
  };
  const polling = pollMs > 0 ? setInterval(checkInTurn, pollMs) : undefined;

  const startRound = (reporter: object | null) => {
    for (const worker of workers()) if (worker !== reporter) check(worker);
    pause = setTimeout(() => {
      pause = undefined;
      if (!isRoundWanted) return;
      isRoundWanted = false;
      startRound(null);
    }, roundEveryMs);
  };

  return {
    /** A worker adopted this schema: the other workers check the ledger's schema, unless this one was reported before. */
    replaced(schema: string, worker: object): void {
      if (schema === known) return;
      known = schema;
      if (pause) isRoundWanted = true;
      else startRound(worker);
    },
    stop(): void {
      clearInterval(polling);
      clearTimeout(pause);
    },
  };
}
