import { buildSchema, type ExecutionResult } from 'graphql';
import { expect, it } from 'vitest';
import { LedgerStream } from '../../../../src/ledger/ledger-streams.ts';
import { createOpenLedgerStream } from '../../../../src/operation/subscriptions/run-stream.ts';
import type { OperationContext } from '../../../../src/upstream/operation-context.ts';
import { pull } from '../../../support/pushed-items.ts';
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
    inForce: {},
  },
  { text: 'subscription { ticks }' },
);

/** A stream of the ledger, and how often it was closed at the ledger. */
async function openStream() {
  const counts = { closed: 0 };
  const onEnd = () => {
    counts.closed += 1;
  };
  const stream = new LedgerStream({ bytes: 0 }, null, onEnd);
  const part = { text: 'subscription{ticks}', variables: null, amend: (answer: ExecutionResult) => answer };
  const open = createOpenLedgerStream(operation, part, () => stream);
  const opened = await open({ sent: {}, values: {} }, { caller: toTestCaller() } as OperationContext);
  if (!('items' in opened)) throw new Error('the stream was not opened');
  return { items: pull(opened.items), stream, counts };
}

it('a stream of the ledger that fails ends with the error, and is closed at the ledger', async () => {
  const { items, stream, counts } = await openStream();
  stream.sink.next('not a result', 12);
  expect((await items.next()).value).toMatchObject({ data: { ticks: null }, errors: [{ path: ['ticks'] }] });
  expect(counts.closed).toBe(1);
  expect(await items.next()).toEqual({ done: true, value: undefined });
});

it('a stream of the ledger that is left is closed at the ledger, even while it waits', async () => {
  const { items, counts } = await openStream();
  const waiting = items.next();
  await items.return(undefined);
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(counts.closed).toBe(1);
});
