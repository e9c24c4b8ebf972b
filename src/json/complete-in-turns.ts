/** Runs a part of some work in a turn of the event loop, now if this turn has time left. */
export type TakeTurn = <Result>(work: () => Result) => Result | Promise<Result>;

/** Takes each step of long work in a turn. */
export async function completeInTurns<Result>(steps: Iterator<void, Result>, takeTurn: TakeTurn): Promise<Result> {
  for (;;) {
    const step = await takeTurn(() => steps.next());
    if (step.done) return step.value;
  }
}
