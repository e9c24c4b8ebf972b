import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CancelCause, createCancellation } from '../../../src/upstream/cancellation.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a cancellation', () => {
  it('tells everybody once, and the first cause counts', () => {
    const cancellation = createCancellation();
    const heard: [string, CancelCause][] = [];
    cancellation.onCancel((cause) => heard.push(['first', cause]));
    cancellation.onCancel((cause) => heard.push(['second', cause]));
    expect(cancellation.cause).toBe(null);
    cancellation.cancel('aborted');
    cancellation.cancel('timeout');
    expect(heard).toEqual([
      ['first', 'aborted'],
      ['second', 'aborted'],
    ]);
    expect(cancellation.cause).toBe('aborted');
  });

  it('tells who comes late at once', () => {
    const cancellation = createCancellation();
    cancellation.cancel('timeout');
    const heard: CancelCause[] = [];
    cancellation.onCancel((cause) => heard.push(cause));
    expect(heard).toEqual(['timeout']);
  });

  it('tells nothing to who has stopped listening, also while it tells the others', () => {
    const cancellation = createCancellation();
    const heard: string[] = [];
    const stop = cancellation.onCancel(() => heard.push('stopped before'));
    const stopFirst = cancellation.onCancel(() => {
      heard.push('stops itself');
      stopFirst();
    });
    cancellation.onCancel(() => heard.push('last'));
    stop();
    stop();
    cancellation.cancel('aborted');
    expect(heard).toEqual(['stops itself', 'last']);
  });

  it('comes by itself when the time is up, and not before', () => {
    const cancellation = createCancellation(1_000);
    vi.advanceTimersByTime(999);
    expect(cancellation.cause).toBe(null);
    vi.advanceTimersByTime(2);
    expect(cancellation.cause).toBe('timeout');
  });

  it('leaves no timer and tells nobody once it is finished', () => {
    const cancellation = createCancellation(1_000);
    let heard = 0;
    const hear = () => {
      heard += 1;
    };
    cancellation.onCancel(hear);
    cancellation.finish();
    expect(vi.getTimerCount()).toBe(0);
    cancellation.onCancel(hear);
    cancellation.cancel('aborted');
    expect([heard, cancellation.cause]).toEqual([0, null]);
  });

  it('leaves no timer once it was cancelled', () => {
    createCancellation(1_000).cancel('aborted');
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('its signal', () => {
  it.each<[CancelCause, string]>([
    ['aborted', 'AbortError'],
    ['timeout', 'TimeoutError'],
  ])('fires when it is %s, with the reason of the platform, whenever it was asked for', (cause, name) => {
    const [before, after] = [createCancellation(), createCancellation()];
    const { signal } = before;
    for (const each of [before, after]) each.cancel(cause);
    for (const each of [signal, after.signal]) expect([each.aborted, each.reason.name]).toEqual([true, name]);
  });

  it('is one, does not fire while the operation goes on, and not after it', () => {
    const cancellation = createCancellation();
    expect(cancellation.signal).toBe(cancellation.signal);
    cancellation.finish();
    cancellation.cancel('aborted');
    expect(cancellation.signal.aborted).toBe(false);
  });
});
