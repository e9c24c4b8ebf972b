import { expect, it } from 'vitest';
import { executeJoined } from '../../../../src/operation/subscriptions/run-stream.ts';
import { type Cancellation, createCancellation } from '../../../../src/upstream/cancellation.ts';
import type { OperationContext } from '../../../../src/upstream/operation-context.ts';
import { toTestCaller } from '../../../support/test-caller.ts';

it('an executed item is not kept by its stream, whether it failed or not', async () => {
  const own = createCancellation();
  let listening = 0;
  const cancellation: Cancellation = {
    ...own,
    cause: null,
    signal: own.signal,
    bytesRead: 0,
    calls: 0,
    onCancel(listener) {
      const stop = own.onCancel(listener);
      listening += 1;
      return () => {
        listening -= 1;
        stop();
      };
    },
  };
  const context: OperationContext = { requestId: 'r', caller: toTestCaller(), cancellation };
  const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = countTimers();
  let items = 0;
  const execute = async () => {
    items += 1;
    expect(listening).toBe(1);
    if (items % 2 === 0) throw new Error('broken');
    return { data: null };
  };
  for (let item = 0; item < 4; item += 1) await executeJoined(execute, item, context, 60_000).catch(() => {});
  expect([items, listening, countTimers()]).toEqual([4, 0, before]);
});
