import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExecutionResult } from 'graphql';
import { expect, it } from 'vitest';
import { createForwardToLedger } from '../../../src/ledger/ledger-executor.ts';
import { createRawLedger } from '../../../src/ledger/raw-ledger.ts';
import { createRpcVersion } from '../../../src/ledger/rpc-version.ts';
import { createCancellation } from '../../../src/upstream/cancellation.ts';
import { FairTurns, thisEventLoop } from '../../../src/upstream/fair-turns.ts';
import type { RawCall, RawListener } from '../../../src/upstream/raw-call.ts';

const forwardOver = (rawCall: RawCall) =>
  createForwardToLedger(
    createRawLedger({
      rawCall,
      path: '/graphql',
      timeouts: { queryMs: 1_000, mutationMs: 1_000 },
      versionHeader: 'x-version',
      version: createRpcVersion(() => {}),
    }),
    new FairTurns(thisEventLoop),
  );
const request = { text: '{a}', isClientsText: false, operationName: null, variables: undefined, isMutation: false };
const toResponse = (...chunks: Buffer[]) => ({
  status: 200,
  headers: new Map(),
  chunks,
  size: Buffer.concat(chunks).length,
});

it('answers that arrive together each go on in a turn of their caller', async () => {
  const listeners: RawListener[] = [];
  const forward = forwardOver((_, listener) => {
    listeners.push(listener);
    return { isSent: true, cancel() {} };
  });
  const done: string[] = [];
  const ask = async (caller: string) => {
    const cancellation = createCancellation();
    cancellation.caller = caller;
    await (await forward({ ...request, cancellation })).read();
    // The work that follows belongs to the turn.
    for (const until = performance.now() + 3; performance.now() < until; );
    done.push(caller);
  };
  const all = [...Array.from({ length: 10 }, () => ask('many')), ask('one')];
  for (const listener of listeners) listener.answered(toResponse(Buffer.from('{"data":{}}')));
  await nextTurn();
  await nextTurn();
  expect(done.length).toBeLessThan(8);
  await Promise.all(all);
  expect(done.indexOf('one')).toBeLessThan(3);
});

it('operations that share a response share its answer', async () => {
  const long = { data: { text: 'x'.repeat(20_000) } };
  const whole = Buffer.from(JSON.stringify(long));
  const response = toResponse(whole.subarray(0, 9), whole.subarray(9));
  const forward = forwardOver((_, listener) => {
    listener.answered(response);
    return { isSent: true, cancel() {} };
  });
  const replies = await Promise.all([forward(request), forward(request)]);
  const [one, other] = (await Promise.all(replies.map((reply) => reply.read()))) as [ExecutionResult, ExecutionResult];
  expect(one).toEqual(long);
  expect(other.data).toBe(one.data);
});

it.each([
  [false, 'UPSTREAM_TIMEOUT'],
  [true, 'REQUEST_TIMEOUT'],
])('sends nothing for an operation that is over: isMutation %s', async (isMutation, code) => {
  const cancellation = createCancellation();
  cancellation.cancel('timeout');
  const forward = forwardOver(() => {
    throw new Error('it was sent');
  });
  const reply = await forward({ ...request, isMutation, cancellation });
  await expect(reply.read()).rejects.toMatchObject({ extensions: { code } });
});
