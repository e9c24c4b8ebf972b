import { setImmediate as inNextTurn } from 'node:timers/promises';
import type { Telemetry } from '../telemetry/events.ts';
import type { FairTurns } from '../upstream/fair-turns.ts';

export interface PrepareInTurnsOptions {
  /** The share of this preparation in the fair turns of callers. */
  readonly turnKey: string;
  readonly turns: Pick<FairTurns, 'run'>;
  readonly telemetry: Pick<Telemetry, 'errorMasked'>;
}

/**
 * Prepares something beside requests, each step in a turn of its own. Call `start` whenever it must be prepared anew; it ends an
 * earlier run.
 * @param toSteps called in a turn after `start`
 */
export function createPrepareInTurns(
  { turnKey, turns, telemetry }: PrepareInTurnsOptions,
  toSteps: () => Iterator<unknown>,
) {
  let runs = 0;

  const prepare = async (run: number): Promise<void> => {
    // The gateway is ready first.
    await inNextTurn();
    const steps = toSteps();
    let isDone = false;
    while (!isDone && run === runs) isDone = (await turns.run(turnKey, null, () => steps.next())).done === true;
  };

  return {
    start(): void {
      runs += 1;
      prepare(runs).catch((error: unknown) => telemetry.errorMasked(error, undefined));
    },
    stop(): void {
      runs += 1;
    },
  };
}
