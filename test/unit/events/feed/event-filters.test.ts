import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { networkProfiles } from '../../../../src/config/network-profile.ts';
import { readQueryFilter, readSubscriptionFilter } from '../../../../src/devnet/rpc/event-filter.ts';
import { matchesTree, parseEventStreamFilter, pushDown, toEventFacts } from '../../../../src/events/event-filter.ts';
import { toEventFilterWire } from '../../../../src/events/filter-wire.ts';
import type { EventStreamFilter } from '../../../../src/generated/own.ts';
import { ExactNumber } from '../../../../src/json/exact-json.ts';
import {
  arbitraryEvent,
  arbitraryEventFilter,
  matchesPlainly,
  type PlainEvent,
} from '../../../support/arbitrary-event-filters.ts';
import { runs } from '../../../support/runs.ts';
import { createSmallDevnet } from '../../../support/small-devnet.ts';

const numRuns = runs(80);
const events = fc.array(arbitraryEvent, { minLength: 10, maxLength: 20 });

const matches = (filter: EventStreamFilter | null, event: PlainEvent) => {
  const facts = toEventFacts(event);
  return matchesTree(parseEventStreamFilter(filter), facts);
};

describe('a filter of a stream', () => {
  it('matches what its words say, however it is nested', () => {
    fc.assert(
      fc.property(arbitraryEventFilter, events, (filter, all) => {
        for (const event of all) expect(matches(filter, event)).toBe(matchesPlainly(filter, event));
      }),
      { numRuns },
    );
  });

  it('is the same for all ways of writing the same combination', () => {
    fc.assert(
      fc.property(arbitraryEventFilter, arbitraryEventFilter, arbitraryEventFilter, (one, two, three) => {
        const key = (filter: EventStreamFilter) => parseEventStreamFilter(filter).key;
        expect(key({ all: [one, { and: [two, three] }] })).toBe(key({ all: [three, two, one, one] }));
        expect(key({ or: [one, { any: [two, three] }] })).toBe(key({ any: [{ or: [three, two] }, one, two] }));
        expect(key({ not: { not: one } })).toBe(key(one));
        expect(key({ all: [one] })).toBe(key(one));
      }),
      { numRuns: runs(25) },
    );
    expect(parseEventStreamFilter({ all: [] }).key).toBe(parseEventStreamFilter(null).key);
    expect(parseEventStreamFilter({ sender: '0x2' }).key).toBe(parseEventStreamFilter({ senderAddress: '0x02' }).key);
  });

  it('tells apart what means something else', () => {
    const keys = [
      { sender: '0x2' },
      { package: '0x2' },
      { not: { sender: '0x2' } },
      { all: [{ sender: '0x2' }, { package: '0x2' }] },
      { any: [{ sender: '0x2' }, { package: '0x2' }] },
      { moveEventField: { path: '/a', value: '1' } },
      { moveEventField: { path: '/a', value: 1 } },
      { moveEventModule: { package: '0x2', module: 'coin' } },
      { moveModule: { package: '0x2', module: 'coin' } },
      { all: [] },
    ].map((filter) => parseEventStreamFilter(filter).key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it.each<[string, unknown, unknown, boolean]>([
    ['numbers that are written differently', new ExactNumber('1.0'), 1, true],
    ['powers of ten', new ExactNumber('1e2'), 100, true],
    ['digits beyond a double', new ExactNumber('9007199254740993'), new ExactNumber('9007199254740992'), false],
    ['a number and its text', 1, '1', false],
    ['zero and its negative', new ExactNumber('-0.0'), 0, true],
    ['members in another order', { b: 1, a: [2] }, { a: [2], b: 1 }, true],
    ['null and nothing', null, undefined, false],
  ])('compares %s by value', (_, asked, told, isEqual) => {
    const filter = { moveEventField: { path: '/x', value: asked } };
    const event = { parsedJson: { x: told } } as PlainEvent;
    expect(matches(filter, { ...blank, ...event })).toBe(isEqual);
  });

  it.each([
    ['/list/01', false],
    ['/list/1', true],
    ['/list/-', false],
    ['/list/length', false],
    ['/constructor', false],
  ])('finds by the pointer %s what RFC 6901 says is there', (path, isThere) => {
    expect(matches({ moveEventField: { path, value: 2 } }, { ...blank, parsedJson: { list: [1, 2] } })).toBe(isThere);
  });
});

const blank: PlainEvent = {
  txDigest: '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi',
  packageId: '0x2',
  transactionModule: 'coin',
  sender: '0x5',
  type: '0x2::coin::Minted',
  parsedJson: {},
  timestampMs: null,
};

describe('a filter that cannot be', () => {
  const deep = (depth: number): EventStreamFilter =>
    depth === 0 ? { sender: '0x2' } : { all: [{ all: [] }, deep(depth - 1)] };
  it.each<[string, EventStreamFilter, string]>([
    ['and of one', { and: [{ sender: '0x2' }] }, "Argument 'filter.and' must have exactly two filters; got 1."],
    [
      'or of three',
      { or: [{}, {}, {}] as EventStreamFilter[] },
      "Argument 'filter.or' must have exactly two filters; got 3.",
    ],
    ['any of none', { all: [{ any: [] }] }, "Argument 'filter.all[0].any' must have at least one filter."],
    ['of nothing', {} as EventStreamFilter, "Argument 'filter' must have exactly one member; got 0."],
    [
      'of two members deep inside',
      { not: { sender: '0x2', package: '0x2' } as EventStreamFilter },
      "Argument 'filter.not' must have exactly one member; got 2.",
    ],
    ['of no address', { not: { sender: 'me' } }, "Argument 'filter.not.sender' must be 0x and 1 to 64 hex digits"],
    [
      'of no pointer',
      { moveEventField: { path: 'a', value: 1 } },
      "Argument 'filter.moveEventField.path' must be a JSON pointer",
    ],
    ['of a wrong escape', { moveEventField: { path: '/~2', value: 1 } }, 'must be a JSON pointer'],
    [
      'of a large value',
      { moveEventField: { path: '', value: 'x'.repeat(2_000) } },
      'must be at most 1024 characters of JSON',
    ],
    [
      'of a time that ends before it starts',
      { timeRange: { startTime: 2, endTime: 1 } },
      'must not end before it starts',
    ],
    ['nested too deep', deep(17), "Argument 'filter' is nested deeper than 16."],
    ['of too many parts', { any: Array.from({ length: 100 }, () => ({ sender: '0x2' })) }, 'has more than 100 parts'],
  ])('is refused: %s', (_, filter, message) => {
    expect(() => parseEventStreamFilter(filter)).toThrow(message);
  });
});

describe('the query that a stream is read from', () => {
  const { ledger, iota } = networkProfiles;
  it.each<[string, EventStreamFilter | null, object, object]>([
    ['everything', null, { All: [] }, { All: [] }],
    ['a sender', { senderAddress: '0x2' }, { Sender: full('2') }, { Sender: full('2') }],
    ['a package', { package: '0x2' }, { All: [] }, { Package: full('2') }],
    [
      'the narrowest of several',
      { all: [{ sender: '0x2' }, { moveModule: { package: '0x2', module: 'coin' } }] },
      { MoveModule: { package: full('2'), module: 'coin' } },
      { MoveModule: { package: full('2'), module: 'coin' } },
    ],
    [
      'a type with parameters',
      { moveEventType: '0x2::coin::Minted<u8>' },
      { EventType: `${full('2')}::coin::Minted<u8>` },
      { MoveEventType: `${full('2')}::coin::Minted<u8>` },
    ],
    [
      'a type without',
      { moveEventType: '0x2::coin::Minted' },
      { MoveEventModule: { package: full('2'), module: 'coin' } },
      { MoveEventModule: { package: full('2'), module: 'coin' } },
    ],
    ['one or another', { or: [{ sender: '0x2' }, { sender: '0x3' }] }, { All: [] }, { All: [] }],
    ['not somebody', { not: { sender: '0x2' } }, { All: [] }, { All: [] }],
    ['a field', { moveEventField: { path: '/a', value: 1 } }, { All: [] }, { All: [] }],
    ['a time', { timeRange: { startTime: 1, endTime: 2 } }, { All: [] }, { All: [] }],
  ])('for %s is as narrow as nodes can answer', (_, filter, onLedger, onIota) => {
    const query = (profile: typeof ledger) =>
      toEventFilterWire(pushDown(parseEventStreamFilter(filter), profile.events.filters), profile.events).wire;
    expect([query(ledger), query(iota)]).toEqual([onLedger, onIota]);
  });
});

function full(digits: string): string {
  return `0x${digits.padStart(64, '0')}`;
}

/** The same filter as a node's subscription takes it; `null` for `not`, which nodes lack. */
function toSubscription(filter: EventStreamFilter): object | null {
  const [member, value] = Object.entries(filter)[0] as [string, never];
  // biome-ignore lint/suspicious/noExplicitAny: of as many shapes as there are members
  const given = value as any;
  const tag = member.slice(0, 1).toUpperCase() + member.slice(1);
  if (member === 'not') return null;
  if (!Array.isArray(given)) return { [tag]: given };
  const parts = given.map(toSubscription);
  return parts.includes(null) ? null : { [tag]: parts };
}

describe('over the events of a simulated ledger', () => {
  const { ledger } = createSmallDevnet({ checkpoints: 80 });
  const records = ledger.events;
  const told = records.map((record) => ({
    ...record,
    parsedJson: record.json,
    timestampMs: String(record.timestampMs),
  }));
  const anEvent = fc.constantFrom(...records);
  const leaf = anEvent.chain((event): fc.Arbitrary<EventStreamFilter> => {
    const [address = '', module = '', name = ''] = event.type.split('<')[0]?.split('::') ?? [];
    const json = event.json as Readonly<Record<string, unknown>>;
    return fc.constantFrom<EventStreamFilter>(
      { package: event.packageId },
      { moveModule: { package: event.packageId, module: event.transactionModule } },
      { moveEventType: event.type },
      { moveEventType: `${address}::${module}::${name}` },
      { moveEventModule: { package: address, module } },
      { moveEventModule: { package: address, module, event: name } },
      { sender: event.sender },
      { senderAddress: event.sender },
      { transaction: event.txDigest },
      { timeRange: { startTime: event.timestampMs - 1_000, endTime: event.timestampMs } },
      ...Object.entries(json).map(([key, value]) => ({ moveEventField: { path: `/${key}`, value } })),
    );
  });
  const combined: fc.Arbitrary<EventStreamFilter> = fc.oneof(
    leaf,
    fc.array(leaf, { maxLength: 3 }).map((all) => ({ all })),
    fc.array(leaf, { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
    fc.tuple(leaf, leaf).map((and) => ({ and })),
    fc.tuple(leaf, leaf).map((or) => ({ or })),
  );

  it('a filter matches what a node would push for it', () => {
    expect(records.length).toBeGreaterThan(50);
    fc.assert(
      fc.property(combined, (filter) => {
        const subscription = readSubscriptionFilter(toSubscription(filter));
        expect(told.filter((event) => matches(filter, event))).toEqual(
          told.filter((_, index) => subscription.matches(records[index] as never)),
        );
      }),
      { numRuns: runs(25) },
    );
  });

  it('the query that a stream is read from has every event that it tells', () => {
    fc.assert(
      fc.property(combined, (filter) => {
        const { events: profile } = networkProfiles.ledger;
        const { wire } = toEventFilterWire(pushDown(parseEventStreamFilter(filter), profile.filters), profile);
        const query = readQueryFilter(wire);
        const missing = told.filter(
          (event, index) => matches(filter, event) && !query.matches(records[index] as never),
        );
        expect(missing).toEqual([]);
      }),
      { numRuns: runs(25) },
    );
  });
});
