import { buildSchema } from 'graphql';
import { expect, it } from 'vitest';
import { createOpenLedgerStream } from '../../../../src/operation/subscriptions/run-stream.ts';
import type { OperationContext } from '../../../../src/upstream/operation-context.ts';
import { toTestCaller } from '../../../support/test-caller.ts';
import { admitForTest } from '../../../support/test-operation.ts';

const schema = buildSchema('type Query { a: Int } type Subscription { ticks: Int }');
const { operation } = admitForTest(
  {
    schema,
    ownSchema: buildSchema('type Query { own: Int }'),
    ownership: { ownSchema: schema, hasUsualRootNames: true, ownerOf: () => 'upstream' },
    idInputs: new Map(),
    operationJoins: null,
  },
  { text: 'subscription { ticks }' },
);

it('a stream of the ledger that fails ends with the error, and is closed at the ledger', async () => {
  let closed = 0;
  const open = createOpenLedgerStream(operation, () => ({
    next: () => Promise.reject(new Error('unreadable')),
    async return() {
      closed += 1;
      return { done: true, value: undefined };
    },
    fail() {},
  }));
  const opened = await open({}, { caller: toTestCaller() } as OperationContext);
  if (!('items' in opened)) throw new Error('the stream was not opened');
  expect((await opened.items.next()).value).toMatchObject({ data: { ticks: null }, errors: [{ path: ['ticks'] }] });
  expect(closed).toBe(1);
  expect(await opened.items.next()).toEqual({ done: true, value: undefined });
});
