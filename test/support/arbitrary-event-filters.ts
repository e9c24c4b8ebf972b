import fc from 'fast-check';
import type { EventStreamFilter } from '../../src/generated/own.ts';

/** An event's properties as a node returns them. */
export interface PlainEvent {
  readonly txDigest: string;
  readonly packageId: string;
  readonly transactionModule: string;
  readonly sender: string;
  readonly type: string;
  readonly parsedJson: unknown;
  readonly timestampMs: string | null;
}

const addresses = ['0x1', '0x2', '0xabc'].map((each) => `0x${each.slice(2).padStart(64, '0')}`);
const short = (address: string) => address.replace(/^0x0+/, '0x');
const modules = ['coin', 'pool'];
const names = ['Minted', 'Mint'];
const digests = ['4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi', '8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR'];

const address = fc.constantFrom(...addresses);
const written = address.chain((each) => fc.constantFrom(each, short(each), each.toUpperCase().replace('0X', '0x')));
const module = fc.constantFrom(...modules);
const name = fc.constantFrom(...names);
const parameters = fc.constantFrom('', '<u64>', `<${addresses[0]}::coin::Coin<u8>>`);
const type = fc.tuple(address, module, name, parameters).map(([a, m, n, p]) => `${a}::${m}::${n}${p}`);

const content = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<unknown>(1, 2, '1', null, true, 'a/b'),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '~', '/', '0'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

export const arbitraryEvent: fc.Arbitrary<PlainEvent> = fc.record({
  txDigest: fc.constantFrom(...digests),
  packageId: address,
  transactionModule: module,
  sender: address,
  type,
  parsedJson: fc.dictionary(fc.constantFrom('a', 'b', '~', '/'), content, { maxKeys: 3, noNullPrototype: true }),
  timestampMs: fc.constantFrom('10', '11', '12', '13', null),
});

const leaf: fc.Arbitrary<EventStreamFilter> = fc.oneof(
  fc.record({ package: written }),
  fc.record({ moveModule: fc.record({ package: written, module }) }),
  fc.record({ moveEventType: type }),
  fc.record({ moveEventModule: fc.record({ package: written, module }, { requiredKeys: ['package', 'module'] }) }),
  fc.record({ moveEventModule: fc.record({ package: written, module, event: name }) }),
  fc.record({
    moveEventField: fc.record({
      path: fc.constantFrom('', '/a', '/b', '/a/b', '/a/0', '/~0', '/~1', '/a/~1'),
      value: content,
    }),
  }),
  fc.record({ sender: written }),
  fc.record({ senderAddress: written }),
  fc.record({ transaction: fc.constantFrom(...digests) }),
  fc.tuple(fc.integer({ min: 9, max: 14 }), fc.integer({ min: 0, max: 3 })).map(([startTime, length]) => ({
    timeRange: { startTime, endTime: startTime + length },
  })),
);

export const arbitraryEventFilter: fc.Arbitrary<EventStreamFilter> = fc.letrec<{ filter: EventStreamFilter }>(
  (tie) => ({
    filter: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      fc.record({ all: fc.array(tie('filter'), { maxLength: 3 }) }),
      fc.record({ any: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ and: fc.array(tie('filter'), { minLength: 2, maxLength: 2 }) }),
      fc.record({ or: fc.array(tie('filter'), { minLength: 2, maxLength: 2 }) }),
      fc.record({ not: tie('filter') }),
    ),
  }),
).filter;

const full = (given: string) => `0x${given.slice(2).toLowerCase().padStart(64, '0')}`;

/** Evaluates a filter literally: without a normal form, and without code of the gateway. */
export function matchesPlainly(filter: EventStreamFilter, event: PlainEvent): boolean {
  const [member, value] = Object.entries(filter)[0] as [keyof EventStreamFilter, never];
  // biome-ignore lint/suspicious/noExplicitAny: of as many shapes as there are members
  const given = value as any;
  const base = event.type.split('<')[0] as string;
  const [definer, defined, struct] = base.split('::');
  switch (member) {
    case 'package':
      return event.packageId === full(given);
    case 'moveModule':
      return event.packageId === full(given.package) && event.transactionModule === given.module;
    case 'moveEventType':
      return given.includes('<') ? event.type === given : base === given;
    case 'moveEventModule':
      return definer === full(given.package) && defined === given.module && (!given.event || struct === given.event);
    case 'moveEventField':
      return holds(event.parsedJson, given.path, given.value);
    case 'sender':
    case 'senderAddress':
      return event.sender === full(given);
    case 'transaction':
      return event.txDigest === given;
    case 'timeRange':
      return (
        event.timestampMs !== null &&
        Number(event.timestampMs) >= given.startTime &&
        Number(event.timestampMs) <= given.endTime
      );
    case 'all':
    case 'and':
      return given.filter((each: EventStreamFilter) => !matchesPlainly(each, event)).length === 0;
    case 'any':
    case 'or':
      return given.filter((each: EventStreamFilter) => matchesPlainly(each, event)).length > 0;
    case 'not':
      return !matchesPlainly(given, event);
  }
}

function holds(json: unknown, path: string, value: unknown): boolean {
  let at: unknown = json;
  for (const step of path.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = /^\d+$/.test(key) ? at[Number(key)] : undefined;
    else at = at !== null && typeof at === 'object' && key in at ? (at as Record<string, unknown>)[key] : undefined;
    if (at === undefined) return false;
  }
  return sorted(at) === sorted(value);
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    each !== null && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}
