import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createForwardToLedger, createToLedgerPost } from '../../../src/ledger/ledger-executor.ts';
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
