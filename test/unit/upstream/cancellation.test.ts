import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CancelCause, createCancellation } from '../../../src/upstream/cancellation.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a cancellation', () => {
  it('calls every listener once, with the first cause', () => {
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

  it('calls late listeners immediately', () => {
    const cancellation = createCancellation();
    cancellation.cancel('timeout');
    const heard: CancelCause[] = [];
    cancellation.onCancel((cause) => heard.push(cause));
    expect(heard).toEqual(['timeout']);
  });

  it('does not call listeners that were removed, even while it calls the others', () => {
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

  it('happens by itself at the timeout, and not before', () => {
    const cancellation = createCancellation(1_000);
    vi.advanceTimersByTime(999);
    expect(cancellation.cause).toBe(null);
    vi.advanceTimersByTime(2);
    expect(cancellation.cause).toBe('timeout');
  });

  it('leaves no timer and calls no listener once it is finished', () => {
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

  it('is one object, and fires only if the operation is cancelled', () => {
    const cancellation = createCancellation();
    expect(cancellation.signal).toBe(cancellation.signal);
    cancellation.finish();
    cancellation.cancel('aborted');
    expect(cancellation.signal.aborted).toBe(false);
  });
});
