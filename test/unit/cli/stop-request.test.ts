import { expect, test } from 'vitest';
import { createStopRequest } from '../../../src/cli/stop-request.ts';

function createStop() {
  const seen = { nowMs: 0, insisted: [] as string[] };
  return { seen, stop: createStopRequest({ now: () => seen.nowMs, onInsist: (signal) => seen.insisted.push(signal) }) };
}

test('the first signal requests a stop', async () => {
  const { seen, stop } = createStop();
  stop.signal('SIGTERM');
  await stop.requested;
  expect(seen.insisted).toEqual([]);
});

test('a second one, a moment later, forces it', () => {
  const { seen, stop } = createStop();
  stop.signal('SIGTERM');
  seen.nowMs = 251;
  stop.signal('SIGINT');
  expect(seen.insisted).toEqual(['SIGINT']);
});

test('signals in quick succession force it once the first is old enough', () => {
  const { seen, stop } = createStop();
  for (seen.nowMs = 0; seen.nowMs <= 300; seen.nowMs += 100) stop.signal('SIGINT');
  expect(seen.insisted).toEqual(['SIGINT']);
});

test('the copy of Ctrl-C that npm forwards is not a second request', () => {
  const { seen, stop } = createStop();
  stop.signal('SIGINT');
  seen.nowMs = 20;
  stop.signal('SIGINT');
  expect(seen.insisted).toEqual([]);
});
