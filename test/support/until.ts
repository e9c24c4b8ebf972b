import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until a condition holds.
 * @param what is awaited, for the error message of a timeout
 * @param everyMs pause after the condition did not hold; longer if checking it is expensive
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string | (() => string),
  timeoutMs = 60_000,
  everyMs = 5,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) {
      throw new Error(`not within ${timeoutMs} ms: ${typeof what === 'string' ? what : what()}`);
    }
    await pause(everyMs);
  }
}
