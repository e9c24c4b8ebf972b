import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createForwardToLedger } from '../../../src/ledger/ledger-executor.ts';
import { createRpcVersion } from '../../../src/ledger/rpc-version.ts';

it('answers that arrive together go on in their order, eight in each turn', async () => {
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const forward = createForwardToLedger({
    call: async () => {
      await arrived;
      return { status: 200, headers: new Map(), body: Buffer.from('{"data":{}}') };
    },
    path: '/graphql',
    timeouts: { queryMs: 1_000, mutationMs: 1_000 },
    versionHeader: 'x-version',
    version: createRpcVersion(() => {}),
  });
  const request = { text: '{a}', isClientsText: false, operationName: null, variables: undefined, isMutation: false };
  const done: number[] = [];
  const all = Array.from({ length: 20 }, (_, answer) => forward(request).then(() => done.push(answer)));
  arrive();
  const counts: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    await nextTurn();
    counts.push(done.length);
  }
  await Promise.all(all);
  expect(counts).toEqual([8, 16, 20]);
  expect(done).toEqual(Array.from({ length: 20 }, (_, answer) => answer));
});
