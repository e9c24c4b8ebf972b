import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createQueries, type QueriedLedger } from '../../../../src/devnet/rpc/queries.ts';
import { address, digestOf, type LiteralTransaction, literalLedger } from './literal-ledger.ts';

interface EventPage {
  readonly data: readonly { readonly id: { readonly txDigest: string; readonly eventSeq: string } }[];
  readonly nextCursor: { readonly txDigest: string; readonly eventSeq: string } | null;
  readonly hasNextPage: boolean;
}

const query = (ledger: QueriedLedger, ...params: unknown[]) => createQueries(ledger).queryEvents(params) as EventPage;
/** `1.0` for the first event of the second transaction. */
const names = (page: EventPage, ledger: QueriedLedger) =>
  page.data.map(({ id }) => `${ledger.transactions.findIndex(({ digest }) => digest === id.txDigest)}.${id.eventSeq}`);
const all = { All: [] };

describe('each filter matches what it names and nothing else:', () => {
  const coin = `${address(2)}::coin`;
  const ledger = literalLedger([
    { sender: address(1), timestampMs: 10, events: [{ type: `${coin}::Minted` }, { type: `${coin}::Burned` }] },
    {
      sender: address(0xa),
      timestampMs: 20,
      events: [{ packageId: address(3), module: 'market', type: `${coin}::Minted<${address(7)}::gold::GOLD>` }],
      recipients: [address(8), address(9)],
      objectIds: [address(0x55)],
    },
    { timestampMs: 30, events: [{ packageId: address(3), module: 'pool', type: `${address(3)}::pool::Minted` }] },
  ]);

  test.each<[unknown, string[]]>([
    [{ All: [] }, ['0.0', '0.1', '1.0', '2.0']],
    [{ All: null }, ['0.0', '0.1', '1.0', '2.0']],
    ['All', ['0.0', '0.1', '1.0', '2.0']],
    [{ Transaction: digestOf(0) }, ['0.0', '0.1']],
    [{ Transaction: digestOf(77) }, []],
    [{ MoveModule: { package: '0x3', module: 'market' } }, ['1.0']],
    [{ MoveModule: { package: '0x2', module: 'market' } }, []],
    [{ MoveEventModule: { package: '0x2', module: 'coin' } }, ['0.0', '0.1', '1.0']],
    [{ MoveEventModule: { package: '0x3', module: 'pool' } }, ['2.0']],
    [{ MoveEvent: 'Burned' }, ['0.1']],
    [{ MoveEvent: 'Minted' }, ['0.0', '1.0', '2.0']],
    [{ MoveEvent: '0x3::pool::Minted' }, ['2.0']],
    [{ EventType: '0x2::coin::Minted' }, ['0.0', '1.0']],
    [{ EventType: '0x2::coin::Minted<0x7::gold::GOLD>' }, ['1.0']],
    [{ EventType: '0x2::coin::Minted<0x7::gold::SILVER>' }, []],
    [{ EventType: 'Burned' }, ['0.1']],
    [{ MoveEventType: '0x2::coin::Burned' }, ['0.1']],
    [{ Sender: '0xA' }, ['1.0']],
    [{ Sender: '0xb' }, []],
    [{ Recipient: { AddressOwner: '0x9' } }, ['1.0']],
    [{ Recipient: { AddressOwner: '0x1' } }, []],
    [{ Object: '0x55' }, ['1.0']],
    [{ Object: '0x56' }, []],
    [{ Package: '0x3' }, ['1.0', '2.0']],
    [{ TimeRange: { startTime: 10, endTime: 20 } }, ['0.0', '0.1', '1.0']],
    [{ TimeRange: { startTime: '11', endTime: '20' } }, ['1.0']],
    [{ TimeRange: { startTime: 21, endTime: 29 } }, []],
    [{ TimeRange: { startTime: 30, endTime: 20 } }, []],
  ])('%j', (filter, expected) => {
    expect(names(query(ledger, filter), ledger)).toEqual(expected);
    expect(names(query(ledger, filter, null, null, true), ledger)).toEqual(expected.toReversed());
  });
});

test('a time range excludes its end on networks that do so', () => {
  const ledger = literalLedger([
    { timestampMs: 10, events: [{ type: `${address(2)}::coin::Minted` }] },
    { timestampMs: 20, events: [{ type: `${address(2)}::coin::Minted` }] },
  ]);
  const within = (startTime: string, endTime: string) =>
    names(
      createQueries(ledger, { endExclusive: true }).queryEvents([{ TimeRange: { startTime, endTime } }]) as EventPage,
      ledger,
    );
  expect(within('10', '20')).toEqual(['0.0']);
  expect(within('10', '21')).toEqual(['0.0', '1.0']);
  expect(within('10', '10')).toEqual([]);
});

describe('a page', () => {
  const ledger = literalLedger([
    { events: [{}, {}] },
    {},
    { events: [{}] },
    { events: [{}] },
    { pending: true, events: [{}] },
  ]);
  const id = (sequence: number, eventSeq: number) => ({ txDigest: digestOf(sequence), eventSeq: String(eventSeq) });

  test('begins after its cursor, or before it in descending order', () => {
    expect(names(query(ledger, all, id(0, 0), 2, false), ledger)).toEqual(['0.1', '2.0']);
    expect(names(query(ledger, all, id(2, 0), 2, true), ledger)).toEqual(['0.1', '0.0']);
  });

  test('has its last item as next cursor even at the end', () => {
    expect(query(ledger, all, id(2, 0), 5)).toMatchObject({ nextCursor: id(3, 0), hasNextPage: false });
    expect(query(ledger, all, null, 1)).toMatchObject({ nextCursor: id(0, 0), hasNextPage: true });
  });

  test('returns its own cursor if it is empty', () => {
    expect(query(ledger, all, id(3, 0), 5)).toEqual({ data: [], nextCursor: id(3, 0), hasNextPage: false });
    expect(query(ledger, { Sender: '0x77' })).toEqual({ data: [], nextCursor: null, hasNextPage: false });
  });

  test('can begin at a position without an event', () => {
    expect(names(query(ledger, all, id(1, 0)), ledger)).toEqual(['2.0', '3.0']);
    expect(names(query(ledger, all, id(0, 99), 1, true), ledger)).toEqual(['0.1']);
  });

  test.each([
    ['a transaction that never was', digestOf(99)],
    ['one that is in no checkpoint yet', digestOf(4)],
  ])('cannot begin at %s', (_, txDigest) => {
    expect(() => query(ledger, all, { txDigest, eventSeq: '0' })).toThrow(
      expect.objectContaining({
        code: -32602,
        message: expect.stringContaining('Could not find the referenced transaction'),
      }),
    );
  });

  test('excludes transactions without a checkpoint', () => {
    expect(query(ledger, all).data).toHaveLength(4);
  });
});

test.each([null, 0, 51, 1000])('a limit of %j means 50', (limit) => {
  const ledger = literalLedger([{ events: Array(60).fill({}) }]);
  expect(query(ledger, all, null, limit)).toMatchObject({ data: { length: 50 }, hasNextPage: true });
});

test('an event has every field, its BCS in base64', () => {
  const ledger = literalLedger([{ timestampMs: 7, events: [{ json: { amount: '5' } }] }]);
  expect(query(ledger, all).data).toEqual([
    {
      id: { txDigest: digestOf(0), eventSeq: '0' },
      packageId: address(2),
      transactionModule: 'coin',
      sender: address(1),
      type: `${address(2)}::coin::Minted`,
      parsedJson: { amount: '5' },
      bcsEncoding: 'base64',
      bcs: 'AA==',
      timestampMs: '7',
    },
  ]);
});

describe('rejected:', () => {
  const ledger = literalLedger([]);
  test.each<[unknown[], number, string]>([
    [[{ All: [all, all] }], -32600, 'does not support filter combinations'],
    [[{ Any: [] }], -32600, 'does not support filter combinations'],
    [[{ And: [all, all] }], -32600, 'does not support filter combinations'],
    [[{ Or: [all, all] }], -32600, 'does not support filter combinations'],
    [[{ MoveEventField: { path: '/a', value: 1 } }], -32600, 'not supported'],
    [[{ SenderAddress: '0x1' }], -32600, 'not supported'],
    [[], -32602, 'filter is required'],
    [[null], -32602, 'filter is required'],
    [[{ Nonsense: 1 }], -32602, 'unknown variant `Nonsense`'],
    [[{ toString: 1 }], -32602, 'unknown variant `toString`'],
    [[{ Sender: '0x1', Object: '0x2' }], -32602, 'exactly one variant'],
    [[5], -32602, 'filter must be an object'],
    [[{ Sender: 'me' }], -32602, 'filter.Sender'],
    [[{ Sender: 5 }], -32602, 'filter.Sender must be text'],
    [[{ Transaction: '11' }], -32602, 'filter.Transaction'],
    [[{ MoveModule: { package: '0x2' } }], -32602, 'filter.MoveModule.module'],
    [[{ EventType: '0x2::coin::Minted<' }], -32602, 'filter.EventType'],
    [[{ MoveEventType: 'Minted' }], -32602, 'filter.MoveEventType'],
    [[{ Recipient: { ObjectOwner: '0x1' } }], -32602, 'filter.Recipient.AddressOwner'],
    [[{ TimeRange: { startTime: -1, endTime: 2 } }], -32602, 'filter.TimeRange.startTime'],
    [[{ TimeRange: { startTime: 1, endTime: 'x' } }], -32602, 'filter.TimeRange.endTime'],
    [[all, 'cursor'], -32602, 'cursor must be an object'],
    [[all, { txDigest: 'x', eventSeq: '0' }], -32602, 'cursor.txDigest'],
    [[all, { txDigest: digestOf(0), eventSeq: '-1' }], -32602, 'cursor.eventSeq'],
    [[all, null, -1], -32602, 'limit'],
    [[all, null, 1.5], -32602, 'limit'],
    [[all, null, 5, 'yes'], -32602, 'descending'],
  ])('%j', (params, code, text) => {
    expect(() => query(ledger, ...params)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(text) }),
    );
  });
});

test('pages of any size, in either direction, under any filter, contain the same as a full scan', () => {
  const transaction = fc.record({
    sender: fc.constantFrom(address(1), address(2)),
    events: fc.array(fc.record({ module: fc.constantFrom('a', 'b') }), { maxLength: 4 }),
  }) satisfies fc.Arbitrary<LiteralTransaction>;
  const filter = fc.constantFrom(
    all,
    { Sender: '0x1' },
    { MoveModule: { package: '0x2', module: 'a' } },
    { TimeRange: { startTime: 2, endTime: 9 } },
  );

  fc.assert(
    fc.property(
      fc.array(transaction, { maxLength: 20 }),
      filter,
      fc.boolean(),
      fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
      (literals, chosen, descending, limits) => {
        const ledger = literalLedger(literals);
        const whole = ledger.events.filter(
          (event) =>
            (!('Sender' in chosen) || event.sender === address(1)) &&
            (!('MoveModule' in chosen) || event.transactionModule === 'a') &&
            (!('TimeRange' in chosen) || (event.timestampMs >= 2 && event.timestampMs <= 9)),
        );
        const walked: EventPage['data'][number]['id'][] = [];
        let page: EventPage | undefined;
        do {
          page = query(ledger, chosen, page?.nextCursor ?? null, limits.next().value, descending);
          walked.push(...page.data.map(({ id }) => id));
        } while (page.hasNextPage);
        const expected = whole.map(({ txDigest, eventSeq }) => ({ txDigest, eventSeq: String(eventSeq) }));
        expect(walked).toEqual(descending ? expected.reverse() : expected);
      },
    ),
  );
});

test('a growing ledger is read completely, whenever its index was first used', () => {
  const grown = literalLedger([{ events: [{}] }, { events: [{}] }]);
  const events = grown.events.slice(0, 1);
  const queries = createQueries({ ...grown, events });
  const count = () => (queries.queryEvents([{ Sender: '0x1' }]) as EventPage).data.length;
  expect(count()).toBe(1);
  events.push(grown.events[1]!);
  expect(count()).toBe(2);
});
