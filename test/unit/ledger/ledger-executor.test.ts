import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createForwardToLedger, createToLedgerPost } from '../../../src/ledger/ledger-executor.ts';
import { createRpcVersion } from '../../../src/ledger/rpc-version.ts';
import { createCancellation } from '../../../src/upstream/cancellation.ts';
import { FairTurns, thisEventLoop } from '../../../src/upstream/fair-turns.ts';
import { toWhole } from '../../../src/upstream/upstream-call.ts';

it('answers that arrive together each go on in a turn of their caller', async () => {
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
    turns: new FairTurns(thisEventLoop),
  });
  const request = { text: '{a}', isClientsText: false, operationName: null, variables: undefined, isMutation: false };
  const done: string[] = [];
  const ask = async (caller: string) => {
    const cancellation = createCancellation();
    cancellation.caller = caller;
    await forward({ ...request, cancellation });
    // The work that follows belongs to the turn.
    for (const until = performance.now() + 3; performance.now() < until; );
    done.push(caller);
  };
  const all = [...Array.from({ length: 10 }, () => ask('many')), ask('one')];
  arrive();
  await nextTurn();
  await nextTurn();
  expect(done.length).toBeLessThan(8);
  await Promise.all(all);
  expect(done.indexOf('one')).toBeLessThan(3);
});

it.each([true, false])(
  'operations that share a response share its answer if they only read it: %s',
  async (isReadOnly) => {
    const long = { data: { text: 'x'.repeat(20_000) } };
    const whole = Buffer.from(JSON.stringify(long));
    const chunks = [whole.subarray(0, 9), whole.subarray(9)];
    const response = { status: 200, headers: new Map(), chunks, size: whole.length };
    const forward = createForwardToLedger({
      call: async () => toWhole(response),
      path: '/graphql',
      timeouts: { queryMs: 1_000, mutationMs: 1_000 },
      versionHeader: 'x-version',
      version: createRpcVersion(() => {}),
      turns: new FairTurns(thisEventLoop),
    });
    const request = { text: '{a}', isClientsText: false, operationName: null, variables: undefined, isMutation: false };
    const [one, other] = await Promise.all([forward({ ...request, isReadOnly }), forward({ ...request, isReadOnly })]);
    expect(one).toEqual(long);
    expect(other.data === one.data).toBe(isReadOnly);
  },
);

describe('a request to the ledger', () => {
  const toPost = createToLedgerPost({ path: '/graphql', timeouts: { queryMs: 1_000, mutationMs: 2_000 } });
  const content = { queryJson: '"{a}"', variables: undefined, operationName: null, isMutation: false };

  it.each<[Partial<Parameters<typeof toPost>[0]>, body: string, variablesText: string]>([
    [{}, '{"query":"{a}"}', ''],
    [{ variables: {} }, '{"query":"{a}"}', ''],
    [{ operationName: 'A"' }, '{"query":"{a}","operationName":"A\\""}', ''],
    [{ variables: { n: 1, no: null } }, '{"query":"{a}","variables":{"n":1,"no":null}}', '{"n":1,"no":null}'],
    [{ variables: { n: 1 }, operationName: 'A' }, '{"query":"{a}","variables":{"n":1},"operationName":"A"}', '{"n":1}'],
  ])('has only what the client sent: %j', (given, body, variablesText) => {
    expect(toPost({ ...content, ...given })).toEqual({
      method: 'POST',
      path: '/graphql',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body,
      timeoutMs: 1_000,
      runOnMs: undefined,
      isShareable: true,
      variablesText,
      cancellation: undefined,
    });
  });

  it('is never shared for a mutation, which has its own timeout and runs on', () => {
    const facts = { timeoutMs: 2_000, runOnMs: 2_000, isShareable: false };
    expect(toPost({ ...content, isMutation: true })).toMatchObject(facts);
  });

  it('is encoded once above 16 KiB, and then compared by all of its bytes', () => {
    const variables = (length: number) => ({ t: 'x'.repeat(length) });
    const usual = '{"query":"{a}","variables":{"t":""}}'.length;
    const [text, bytes] = [0, 1].map((more) => toPost({ ...content, variables: variables(16 * 1024 - usual + more) }));
    expect([text?.body.length, typeof text?.body, text?.variablesText === undefined]).toEqual([
      16_384,
      'string',
      false,
    ]);
    expect([bytes?.body.length, typeof bytes?.body, bytes?.variablesText === undefined]).toEqual([
      16_385,
      'object',
      true,
    ]);
  });
});
