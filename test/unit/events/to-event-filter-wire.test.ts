import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { networkProfiles } from '../../../src/config/network-profile.ts';
import { toEventFilterWire } from '../../../src/events/filter-wire.ts';
import type { EventQueryFilter } from '../../../src/generated/own.ts';

const { ledger, iota } = networkProfiles;
/** An address with all its bytes. */
const whole = (digits: string) => `0x${digits.padStart(64, '0')}`;
const digest = '8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR1';

function refusal(filter: EventQueryFilter, profile = ledger.events) {
  try {
    toEventFilterWire(filter, profile);
  } catch (error) {
    const { message, extensions } = error as { message: string; extensions: Record<string, unknown> };
    return { message, ...extensions };
  }
  throw new Error('was not refused');
}

describe('on the ledger network', () => {
  test.each<[EventQueryFilter | null, unknown]>([
    [null, { All: [] }],
    [{ all: true }, { All: [] }],
    [{ transaction: digest }, { Transaction: digest }],
    [{ moveModule: { package: '0x2', module: 'coin' } }, { MoveModule: { package: whole('2'), module: 'coin' } }],
    [
      { moveEventModule: { package: '0x2', module: 'coin' } },
      { MoveEventModule: { package: whole('2'), module: 'coin' } },
    ],
    [{ moveEvent: 'Minted' }, { MoveEvent: 'Minted' }],
    [{ moveEvent: '0x2::coin::Minted' }, { MoveEvent: `${whole('2')}::coin::Minted` }],
    [{ eventType: 'NewObject' }, { EventType: 'NewObject' }],
    [
      { eventType: '0x2::coin::Minted<0x2::sui::SUI>' },
      { EventType: `${whole('2')}::coin::Minted<${whole('2')}::sui::SUI>` },
    ],
    [{ sender: '0xAB' }, { Sender: whole('ab') }],
    [{ recipient: { addressOwner: '0x7' } }, { Recipient: { AddressOwner: whole('7') } }],
    [{ object: '0x7' }, { Object: whole('7') }],
    [{ timeRange: { startTime: 5, endTime: 9 } }, { TimeRange: { startTime: 5, endTime: 9 } }],
    [{ timeRange: { startTime: 7, endTime: 7 } }, { TimeRange: { startTime: 7, endTime: 7 } }],
  ])('%j goes out as %j', (filter, wire) => {
    expect(toEventFilterWire(filter, ledger.events).wire).toEqual(wire);
  });

  test('a member it does not have is refused, naming those it has', () => {
    expect(refusal({ package: '0x2' })).toEqual({
      code: 'BAD_USER_INPUT',
      retry: 'never',
      argument: 'filter.package',
      message:
        "This network has no event filter 'package'; it has: all, transaction, moveModule, moveEventModule, moveEvent, eventType, sender, recipient, object, timeRange.",
    });
  });
});

describe('on a network of real nodes', () => {
  test.each<[EventQueryFilter, unknown]>([
    [{ package: '0x2' }, { Package: whole('2') }],
    [{ moveEventType: '0x2::coin::Minted' }, { MoveEventType: `${whole('2')}::coin::Minted` }],
    [{ eventType: '0x2::coin::Minted' }, { MoveEventType: `${whole('2')}::coin::Minted` }],
    [{ timeRange: { startTime: 5, endTime: 9 } }, { TimeRange: { startTime: '5', endTime: '10' } }],
    [{ timeRange: { startTime: 7, endTime: 7 } }, { TimeRange: { startTime: '7', endTime: '8' } }],
    [
      { timeRange: { startTime: 0, endTime: Number.MAX_SAFE_INTEGER } },
      { TimeRange: { startTime: '0', endTime: '9007199254740992' } },
    ],
  ])('%j goes out as %j', (filter, wire) => {
    expect(toEventFilterWire(filter, iota.events).wire).toEqual(wire);
  });

  test.each<EventQueryFilter>([{ moveEvent: 'Minted' }, { recipient: { addressOwner: '0x1' } }, { object: '0x1' }])(
    '%j does not exist there',
    (filter) => {
      expect(refusal(filter, iota.events)).toMatchObject({
        code: 'BAD_USER_INPUT',
        message: expect.stringContaining('moveEventType'),
      });
    },
  );

  test('a bare word is no event type where types alone can be asked for', () => {
    expect(refusal({ eventType: 'NewObject' }, iota.events)).toMatchObject({ argument: 'filter.eventType' });
  });
});

test.each<[string, EventQueryFilter]>([
  ['filter.all', { all: false }],
  ['filter.transaction', { transaction: 'not base58: 0OIl' }],
  ['filter.transaction', { transaction: '1111' }],
  ['filter.transaction', { transaction: digest.repeat(1000) }],
  ['filter.sender', { sender: '0x' }],
  ['filter.sender', { sender: `0x${'1'.repeat(65)}` }],
  ['filter.sender', { sender: 'abc' }],
  ['filter.object', { object: '0xzz' }],
  ['filter.recipient.addressOwner', { recipient: { addressOwner: '' } }],
  ['filter.moveModule.package', { moveModule: { package: '2', module: 'coin' } }],
  ['filter.moveModule.module', { moveModule: { package: '0x2', module: '1coin' } }],
  ['filter.moveModule.module', { moveModule: { package: '0x2', module: '_' } }],
  ['filter.moveEventModule.module', { moveEventModule: { package: '0x2', module: 'a'.repeat(129) } }],
  ['filter.moveEvent', { moveEvent: '0x2::coin' }],
  ['filter.eventType', { eventType: 'u64<u8>' }],
  ['filter.timeRange.startTime', { timeRange: { startTime: -1, endTime: 5 } }],
  ['filter.timeRange.endTime', { timeRange: { startTime: 1, endTime: 2 ** 53 } }],
  ['filter.timeRange', { timeRange: { startTime: 6, endTime: 5 } }],
])('%s is named when its value breaks the rule: %j', (argument, filter) => {
  const refused = refusal(filter);
  expect(refused).toMatchObject({
    code: 'BAD_USER_INPUT',
    argument,
    message: expect.stringContaining(`'${argument}'`),
  });
  expect(refused.message.length).toBeLessThan(250);
});

test('two members at once, or none, are refused', () => {
  expect(refusal({ sender: '0x1', object: '0x2' } as unknown as EventQueryFilter).message).toContain('exactly one');
  expect(refusal({} as EventQueryFilter).message).toContain('exactly one');
});

test('writing the same filter another way does not change its identity, another filter does', () => {
  const identity = (filter: EventQueryFilter | null) => toEventFilterWire(filter, ledger.events).identity;
  expect(identity({ sender: '0xAB' })).toBe(identity({ sender: `0x${'0'.repeat(62)}ab` }));
  expect(identity({ eventType: '0x2::a::B<u8, 0x1::c::D>' })).toBe(
    identity({ eventType: '0x02::a::B<u8,0x01::c::D>' }),
  );
  expect(identity(null)).toBe(identity({ all: true }));
  expect(identity({ sender: '0x1' })).not.toBe(identity({ object: '0x1' }));
  expect(identity({ moveModule: { package: '0x1', module: 'a' } })).not.toBe(
    identity({ moveModule: { package: '0x1', module: 'b' } }),
  );
});

test('a closed interval of any bounds is one millisecond longer where the end is exclusive', () => {
  const time = fc.nat({ max: Number.MAX_SAFE_INTEGER });
  fc.assert(
    fc.property(time, time, (a, b) => {
      const range = { startTime: Math.min(a, b), endTime: Math.max(a, b) };
      const { TimeRange } = toEventFilterWire({ timeRange: range }, iota.events).wire as {
        TimeRange: { endTime: string };
      };
      expect(BigInt(TimeRange.endTime)).toBe(BigInt(range.endTime) + 1n);
    }),
  );
});
