import { expect, it } from 'vitest';
import { HistoryCalls } from '../../../src/live/history.ts';
import { type Cancellation, createCancellation } from '../../../src/upstream/cancellation.ts';
import { Turns } from '../../../src/upstream/fair-turns.ts';
import { createTestClock, settled } from '../../support/memory-source.ts';

/** A call that ends when a test says so, whatever becomes of those who wait for it. */
function createCalls() {
  const ends: ((answer: string) => void)[] = [];
  const call = () => new Promise<string>((resolve) => ends.push(resolve));
  return { ends, call };
}

function createShared(maxAtOnce: number): HistoryCalls {
  return new HistoryCalls({ clock: createTestClock(), maxAtOnce, maxPerSecond: 50, turns: new Turns() });
}

const asker = (cancellation: Cancellation = createCancellation()) => ({ caller: 'somebody', cancellation });

it('a newcomer does not join a call that was cancelled and has not ended yet', async () => {
  const calls = createShared(4);
  const { ends, call } = createCalls();
  const first = createCancellation();
  const givenUp = calls.get('page', call, asker(first)).catch((error: Error) => error.message);
  first.cancel('aborted');
  expect(await givenUp).toBe('given up');
  const answer = calls.get('page', call, asker());
  await settled();
  expect(ends).toHaveLength(2);
  ends[1]?.('new');
  expect(await answer).toBe('new');
  ends[0]?.('old');
});

it('a call that ends late does not take another with the same key from those who share it', async () => {
  const calls = createShared(4);
  const { ends, call } = createCalls();
  const first = createCancellation();
  calls.get('page', call, asker(first)).catch(() => {});
  first.cancel('aborted');
  const second = calls.get('page', call, asker());
  ends[0]?.('old');
  await settled();
  const third = calls.get('page', call, asker());
  await settled();
  expect(ends).toHaveLength(2);
  ends[1]?.('new');
  expect(await Promise.all([second, third])).toEqual(['new', 'new']);
});

it('a call is cancelled when the last of those who share it has left, and not before', async () => {
  const calls = createShared(4);
  const members = [createCancellation(), createCancellation(), createCancellation()];
  let isCancelled = false;
  const call = (cancellation: Cancellation) =>
    new Promise<string>(() => void cancellation.onCancel(() => (isCancelled = true)));
  for (const member of members) calls.get('page', call, asker(member)).catch(() => {});
  await settled();
  const seen = members.map((member) => {
    member.cancel('aborted');
    return isCancelled;
  });
  expect(seen).toEqual([false, false, true]);
});

it('calls that are cancelled while they wait for their turn take no place of others', async () => {
  const calls = createShared(2);
  const { ends, call } = createCalls();
  const running = ['a', 'b'].map((key) => calls.get(key, call, asker()));
  const left = createCancellation();
  const waiting = ['c', 'd', 'e'].map((key) => calls.get(key, call, asker(left)).catch(() => 'left'));
  const last = calls.get('f', call, asker());
  left.cancel('aborted');
  ends[0]?.('a');
  ends[1]?.('b');
  await settled();
  expect(ends).toHaveLength(3);
  ends[2]?.('f');
  expect(await Promise.all([...running, ...waiting, last])).toEqual(['a', 'b', 'left', 'left', 'left', 'f']);
});

it('a call that has ended leaves no listener with those that asked for it', async () => {
  const calls = createShared(4);
  const { ends, call } = createCalls();
  const own = createCancellation();
  let listeners = 0;
  const onCancel: Cancellation['onCancel'] = (listener) => {
    listeners += 1;
    const stop = own.onCancel(listener);
    return () => {
      listeners -= 1;
      stop();
    };
  };
  const answer = calls.get('page', call, asker({ onCancel } as Cancellation));
  expect(listeners).toBe(1);
  ends[0]?.('page');
  expect(await answer).toBe('page');
  await settled();
  expect(listeners).toBe(0);
});
