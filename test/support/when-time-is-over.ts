import { vi } from 'vitest';
import { until } from './until.ts';

/**
 * The result once a timeout has expired, which happens as soon as the work has reached the wanted state. For work in this
 * process; timers that remain never fire.
 * @param timeMs duration of the timeout
 * @param ask starts the work and its timeout
 */
export async function whenTimeIsOver<T>(timeMs: number, isSoFar: () => boolean, ask: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let isOver = false;
    const asked = ask().finally(() => {
      isOver = true;
    });
    await until(() => isOver || isSoFar(), 'an answer, or what comes before it');
    vi.advanceTimersByTime(timeMs);
    return await asked;
  } finally {
    vi.useRealTimers();
  }
}
