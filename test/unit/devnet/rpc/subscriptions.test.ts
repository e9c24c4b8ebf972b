import { describe, expect, test } from 'vitest';
import { createSubscriptions } from '../../../../src/devnet/rpc/subscriptions.ts';
import { address, digestOf, type LiteralTransaction, literalLedger } from './literal-ledger.ts';

function connection(maxSubscriptions = 100) {
  const sent: {
    method: string;
    params: { subscription: number; result: { id: { txDigest: string; eventSeq: string } } };
  }[] = [];
  let lastId = 0;
  const subscriptions = createSubscriptions({
    ledger: literalLedger([]),
    maxSubscriptions,
    nextId: () => ++lastId,
    send: (text) => sent.push(JSON.parse(text)),
  });
  const call = (method: string, ...params: unknown[]) =>
    subscriptions.answer({ id: 1, calledAs: `suix_${method}`, method, params });
  return {
    sent,
    call,
    publish: (...literals: LiteralTransaction[]) => subscriptions.publish(literalLedger(literals).all),
  };
}

test('an event is pushed under the method name of its subscription, until it ends', () => {
  const { sent, call, publish } = connection();
  expect(call('subscribeEvent', { All: [] })).toBe(1);
  publish({ events: [{}] });
  expect(sent).toEqual([
    {
      jsonrpc: '2.0',
      method: 'suix_subscribeEvent',
      params: { subscription: 1, result: expect.objectContaining({ id: { txDigest: digestOf(0), eventSeq: '0' } }) },
    },
  ]);
  expect(call('unsubscribeEvent', 1)).toBe(true);
  expect(call('unsubscribeEvent', 1)).toBe(false);
  publish({ events: [{}] });
  expect(sent).toHaveLength(1);
});

test('of a transaction the effects are pushed', () => {
  const { sent, call, publish } = connection();
  call('subscribeTransaction', { FromAddress: '0x1' });
  publish({ sender: address(1) }, { sender: address(2) });
  expect(sent.map(({ params }) => params.result)).toEqual([
    expect.objectContaining({ messageVersion: 'v1', transactionDigest: digestOf(0) }),
  ]);
});

test('a subscription cannot be ended as another kind', () => {
  const { call } = connection();
  call('subscribeEvent', { All: [] });
  expect(call('unsubscribeTransaction', 1)).toBe(false);
});

test('one subscription over the limit is rejected, and accepted once another has ended', () => {
  const { call } = connection(2);
  call('subscribeEvent', { All: [] });
  call('subscribeTransaction', { FromAddress: '0x1' });
  expect(() => call('subscribeEvent', { All: [] })).toThrow(expect.objectContaining({ code: -32006 }));
  call('unsubscribeEvent', 1);
  expect(call('subscribeEvent', { All: [] })).toBe(3);
});

test('ignores other methods', () => {
  expect(connection().call('queryEvents')).toBeUndefined();
});

const coin = `${address(2)}::coin`;
const history: LiteralTransaction[] = [
  {
    sender: address(1),
    timestampMs: 10,
    events: [{ type: `${coin}::Minted`, json: { amount: '5', 'a/b': { '~': [1] } } }, { type: `${coin}::Burned` }],
  },
  {
    sender: address(2),
    timestampMs: 20,
    events: [{ packageId: address(3), module: 'market', type: `${coin}::Minted<${address(7)}::g::G>` }],
  },
];

describe('each filter passes what it names:', () => {
  const sender1 = { Sender: '0x1' };
  const minted = { MoveEventType: '0x2::coin::Minted' };
  test.each<[unknown, string[]]>([
    [{ All: [] }, ['0.0', '0.1', '1.0']],
    [{ Package: '0x3' }, ['1.0']],
    [{ MoveModule: { package: '0x3', module: 'market' } }, ['1.0']],
    [minted, ['0.0', '1.0']],
    [{ MoveEventModule: { package: '0x2', module: 'coin' } }, ['0.0', '0.1', '1.0']],
    [{ MoveEventModule: { package: '0x2', module: 'coin', event: 'Burned' } }, ['0.1']],
    [{ MoveEventField: { path: '/amount', value: '5' } }, ['0.0']],
    [{ MoveEventField: { path: '/amount', value: 5 } }, []],
    [{ MoveEventField: { path: '/a~1b', value: { '~': [1] } } }, ['0.0']],
    [{ MoveEventField: { path: '/a~1b/~0/0', value: 1 } }, ['0.0']],
    [{ MoveEventField: { path: '/toString', value: null } }, []],
    [{ MoveEventField: { path: '', value: {} } }, ['0.1', '1.0']],
    [{ SenderAddress: '0x2' }, ['1.0']],
    [sender1, ['0.0', '0.1']],
    [{ Transaction: digestOf(1) }, ['1.0']],
    [{ TimeRange: { start_time: '10', end_time: '19' } }, ['0.0', '0.1']],
    [{ TimeRange: { startTime: 20, endTime: 20 } }, ['1.0']],
    [{ All: [sender1, minted] }, ['0.0']],
    [{ And: [sender1, minted] }, ['0.0']],
    [{ Any: [sender1, minted] }, ['0.0', '0.1', '1.0']],
    [{ Or: [{ Package: '0x3' }, { MoveEventField: { path: '/amount', value: '5' } }] }, ['0.0', '1.0']],
    [{ Any: [] }, []],
    [{ And: [{ Or: [sender1, { Sender: '0x9' }] }, { All: [minted, { All: [] }] }] }, ['0.0']],
  ])('%j', (filter, expected) => {
    const { sent, call, publish } = connection();
    call('subscribeEvent', filter);
    publish(...history);
    const number = new Map([
      [digestOf(0), 0],
      [digestOf(1), 1],
    ]);
    expect(sent.map(({ params: { result } }) => `${number.get(result.id.txDigest)}.${result.id.eventSeq}`)).toEqual(
      expected,
    );
  });
});

test.each<[unknown[], string]>([
  [[], 'filter is required'],
  [[{ And: [{ All: [] }] }], 'filter.And must have two'],
  [[{ Or: 5 }], 'filter.Or must be a list'],
  [[{ Any: [{ Nonsense: 1 }] }], 'unknown variant'],
  [[{ MoveEventField: { path: 'amount', value: 1 } }], 'must be a JSON pointer'],
  [[Array.from({ length: 20 }).reduce((inner) => ({ All: [inner] }), { All: [] })], 'nested deeper'],
])('%j is no filter of a subscription', (params, text) => {
  expect(() => connection().call('subscribeEvent', ...params)).toThrow(
    expect.objectContaining({ code: -32602, message: expect.stringContaining(text) }),
  );
});
