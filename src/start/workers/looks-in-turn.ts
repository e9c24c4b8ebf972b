/** Milliseconds between two rounds in which all workers look, so that a schema that changes back and forth costs little. */
const roundEveryMs = 1_000;

export interface LooksInTurn {
  /** A worker adopted this schema: the others are told to look, unless they were told so for this one. */
  replaced(schema: string, worker: object): void;
  stop(): void;
}

export interface LooksInTurnOptions<Worker extends object> {
  /** Milliseconds between two looks of the workers together; 0 = none but those after a change. */
  readonly pollMs: number;
  /** The workers that serve, in a stable order. */
  readonly workers: () => readonly Worker[];
  readonly tellToLook: (worker: Worker) => void;
}

/** Has workers look at the ledger's schema one after another, and all of them when one has seen a change. */
export function startLooksInTurn<Worker extends object>(options: LooksInTurnOptions<Worker>): LooksInTurn {
  const { pollMs, workers, tellToLook } = options;
  let turn = 0;
  let known: string | null = null;
  let pause: NodeJS.Timeout | undefined;
  let isRoundWanted = false;

  const lookInTurn = () => {
    const all = workers();
    const next = all[turn++ % all.length];
    if (next) tellToLook(next);
  };
  const polling = pollMs > 0 ? setInterval(lookInTurn, pollMs) : undefined;

  const startRound = (workerThatLooked: object | null) => {
    for (const worker of workers()) if (worker !== workerThatLooked) tellToLook(worker);
    pause = setTimeout(() => {
      pause = undefined;
      if (!isRoundWanted) return;
      isRoundWanted = false;
      startRound(null);
    }, roundEveryMs);
  };

  return {
    replaced(schema, worker) {
      if (schema === known) return;
      known = schema;
      if (pause) isRoundWanted = true;
      else startRound(worker);
    },
    stop() {
      clearInterval(polling);
      clearTimeout(pause);
    },
  };
}
