import { vi } from 'vitest';
import { until } from './until.ts';

/**
 * What is answered where the time that somebody has is over: it is, as soon as it has come so far as the test wants it. For
 * what runs in this process; timers that are left run no more.
 * @param timeMs how much time passes then
 * @param ask starts it; its time begins within
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
