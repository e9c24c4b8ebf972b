import type { NetworkProfile } from '../config/network-profile.ts';
import type { EventQueryFilter, EventStreamFilter, RpcEvent } from '../generated/own.ts';
import { isEqualJson, toCanonicalJson } from '../json/canonical-json.ts';
import { parseJsonPointer, valueAtPointer } from '../json/json-pointer.ts';
import {
  argumentError,
  checkAddress,
  checkDigest,
  checkIdentifier,
  checkStructType,
  refuseArgument,
} from '../ledger/values/check-argument.ts';
import { toCanonicalAddress, toCanonicalMoveType } from '../ledger/values/move-types.ts';
import { checkModule, checkTimeRange, soleMember } from './filter-wire.ts';
import { toTimestampMs } from './source.ts';

/** One test of an event. Addresses, types and values are canonical. */
interface EventTest {
  readonly kind: 'test';
  readonly name: TestName;
  readonly key: string;
  readonly matches: (event: EventFacts) => boolean;
  /** The filters of `queryEvents` that select the same events; none if only the gateway can apply the test. */
  readonly same: readonly EventQueryFilter[];
  /** Those that are certain to select all of them. */
  readonly wider: readonly EventQueryFilter[];
}

/** The members of a filter that are tests. */
type TestName = Exclude<keyof EventStreamFilter, 'all' | 'any' | 'and' | 'or' | 'not'>;

/** The parts of an event that filters test. */
export interface EventFacts {
  readonly digest: string;
  readonly package: string;
  readonly module: string;
  readonly sender: string;
  readonly type: string;
  /** `undefined` if the node leaves it out. */
  readonly json: unknown;
  readonly timestampMs: number | null;
}

/** Writes addresses and types in one form, however the node writes them. */
export function toEventFacts(event: Omit<RpcEvent, 'id' | 'eventSeq' | 'bcs'>): EventFacts {
  return {
    digest: event.txDigest,
    package: toCanonicalAddress(event.packageId) ?? event.packageId,
    module: event.transactionModule,
    sender: toCanonicalAddress(event.sender) ?? event.sender,
    type: toCanonicalMoveType(event.type) ?? event.type,
    json: event.parsedJson ?? undefined,
    timestampMs: toTimestampMs(event.timestampMs ?? null),
  };
}

/**
 * A combination of tests in normal form: nested lists of one kind become one sorted list without duplicates. Filters that mean the
 * same by these rules have the same key, JSON text, so that one reader serves both.
 */
type FilterTree =
  | EventTest
  /** Without parts, `all` matches every event and `any` none. */
  | { readonly kind: 'all' | 'any'; readonly key: string; readonly parts: readonly FilterTree[] }
  | { readonly kind: 'not'; readonly key: string; readonly part: FilterTree };

function combine(kind: 'all' | 'any', given: readonly FilterTree[]): FilterTree {
  const flat = given.flatMap((part) => (part.kind === kind ? part.parts : [part]));
  const byKey = new Map(flat.map((part) => [part.key, part]));
  const other = kind === 'all' ? 'any' : 'all';
  // An empty `any` (no event) decides a list of all; an empty `all` (every event) decides a list of any.
  const decisive = flat.find((part) => part.kind === other && part.parts.length === 0);
  if (decisive) return decisive;
  const parts = [...byKey].sort(([one], [next]) => (one < next ? -1 : 1)).map(([, part]) => part);
  const [only] = parts;
  if (only && parts.length === 1) return only;
  return { kind, key: `{"${kind}":[${parts.map(({ key }) => key).join(',')}]}`, parts };
}

function negate(part: FilterTree): FilterTree {
  if (part.kind === 'not') return part.part;
  if (part.kind !== 'test' && part.parts.length === 0) return combine(part.kind === 'all' ? 'any' : 'all', []);
  return { kind: 'not', key: `{"not":${part.key}}`, part };
}

export function matchesTree(tree: FilterTree, event: EventFacts): boolean {
  switch (tree.kind) {
    case 'test':
      return tree.matches(event);
    case 'all':
      return tree.parts.every((part) => matchesTree(part, event));
    case 'any':
      return tree.parts.some((part) => matchesTree(part, event));
    case 'not':
      return !matchesTree(tree.part, event);
  }
}

/** The maximum number of tests for one event. */
export function countTests(tree: FilterTree): number {
  if (tree.kind === 'test') return 1;
  if (tree.kind === 'not') return countTests(tree.part);
  return tree.parts.reduce((sum, part) => sum + countTests(part), 0);
}

/** Members of a filter at any depth. A test costs about a microsecond for each event and part. */
const maxParts = 100;
const maxDepth = 16;
const maxPointer = 256;
const maxValue = 1_024;

/**
 * Reads a filter into its normal form; none matches every event.
 * @throws `BAD_USER_INPUT` that names the member, its value and the rule it breaks
 */
export function parseEventStreamFilter(filter: EventStreamFilter | null | undefined): FilterTree {
  if (!filter) return combine('all', []);
  let parts = 0;
  const read = (given: EventStreamFilter, where: string, depth: number): FilterTree => {
    parts += 1;
    if (parts > maxParts) throw argumentError('filter', `Argument 'filter' has more than ${maxParts} parts.`);
    if (depth > maxDepth) throw argumentError('filter', `Argument 'filter' is nested deeper than ${maxDepth}.`);
    const member = soleMember(given, where);
    const at = `${where}.${member}`;
    const readAll = (kind: 'all' | 'any') => {
      const list = given[member] as readonly EventStreamFilter[];
      return combine(
        kind,
        list.map((each, index) => read(each, `${at}[${index}]`, depth + 1)),
      );
    };
    const readBoth = (kind: 'all' | 'any') => {
      const { length } = given[member] as readonly EventStreamFilter[];
      if (length === 2) return readAll(kind);
      throw argumentError(at, `Argument '${at}' must have exactly two filters; got ${length}.`);
    };
    switch (member) {
      // An empty `all` matches every event, as in nodes; an empty `any` could never match, and is a mistake.
      case 'all':
        return readAll('all');
      case 'any':
        if (given.any?.length === 0) throw argumentError(at, `Argument '${at}' must have at least one filter.`);
        return readAll('any');
      case 'and':
        return readBoth('all');
      case 'or':
        return readBoth('any');
      case 'not':
        return negate(read(given.not as EventStreamFilter, at, depth + 1));
      default:
        return readTest(member, given, at);
    }
  };
  return read(filter, 'filter', 1);
}

function readTest(member: TestName, filter: EventStreamFilter, at: string): EventTest {
  const text = filter[member] as string;
  const test = (
    name: TestName,
    values: object,
    matches: EventTest['matches'],
    same: readonly EventQueryFilter[],
    wider = same,
  ): EventTest => ({ kind: 'test', name, key: JSON.stringify({ kind: name, ...values }), matches, same, wider });
  switch (member) {
    case 'package': {
      const address = checkAddress(at, text);
      return test('package', { address }, (event) => event.package === address, [{ package: address }]);
    }
    case 'sender':
    case 'senderAddress': {
      const address = checkAddress(at, text);
      return test('sender', { address }, (event) => event.sender === address, [{ sender: address }]);
    }
    case 'transaction': {
      const digest = checkDigest(at, text);
      return test('transaction', { digest }, (event) => event.digest === digest, [{ transaction: digest }]);
    }
    case 'moveEventType': {
      const type = checkStructType(at, text);
      const [id = '', module = ''] = type.split('::');
      const same = [{ moveEventType: type }, { eventType: type }];
      // To some nodes a type without parameters means that type alone; here it means all its instantiations.
      const wider = type.includes('<') ? same : [{ moveEventModule: { package: id, module } }];
      return test(member, { type }, isOfType(type), same, wider);
    }
    case 'moveModule': {
      const { package: address, module } = checkModule(at, filter.moveModule);
      const matches = (event: EventFacts) => event.package === address && event.module === module;
      return test(member, { address, module }, matches, [{ moveModule: { package: address, module } }]);
    }
    case 'moveEventModule': {
      const given = filter.moveEventModule?.event ?? null;
      const event = given === null ? null : checkIdentifier(`${at}.event`, given);
      const { package: address, module } = checkModule(at, filter.moveEventModule);
      const prefix = `${address}::${module}::`;
      const matches = event === null ? ({ type }: EventFacts) => type.startsWith(prefix) : isOfType(prefix + event);
      const wider = [{ moveEventModule: { package: address, module } }];
      return test(member, { address, module, event }, matches, event === null ? wider : [], wider);
    }
    case 'moveEventField': {
      const { pointer, value, canonical } = readField(at, filter.moveEventField);
      const matches = ({ json }: EventFacts) => isEqualJson(valueAtPointer(json, pointer), value);
      return test(member, { pointer, value: canonical }, matches, []);
    }
    case 'timeRange': {
      const { startTime, endTime } = checkTimeRange(at, filter.timeRange);
      const matches = ({ timestampMs }: EventFacts) =>
        timestampMs !== null && startTime <= timestampMs && timestampMs <= endTime;
      const values = { startMs: startTime, endMs: endTime };
      return test(member, values, matches, [{ timeRange: { startTime, endTime } }]);
    }
  }
}

/** A type without parameters stands for all its instantiations. */
function isOfType(type: string): EventTest['matches'] {
  return (event) => event.type === type || event.type.startsWith(`${type}<`);
}

function readField(at: string, field: EventStreamFilter['moveEventField']) {
  const { path = '', value = null } = field ?? {};
  const pointer = path.length > maxPointer ? null : parseJsonPointer(path);
  if (!pointer) {
    return refuseArgument(
      `${at}.path`,
      path,
      `must be a JSON pointer of at most ${maxPointer} characters, such as /amount`,
    );
  }
  const canonical = toCanonicalJson(value);
  if (canonical.length > maxValue)
    refuseArgument(`${at}.value`, canonical, `must be at most ${maxValue} characters of JSON`);
  return { pointer, value, canonical };
}

/** The most selective first. Times are filtered here: some nodes page through them for ever. */
const selective: readonly TestName[] = [
  'transaction',
  'moveEventType',
  'moveModule',
  'moveEventModule',
  'sender',
  'package',
];

/** The narrowest query of this network that has every event that the filter matches. The gateway filters the rest. */
export function pushDown(tree: FilterTree, filters: NetworkProfile['events']['filters']): EventQueryFilter {
  const parts = tree.kind === 'all' ? tree.parts : [tree];
  const tests = selective.flatMap((name) => parts.filter((part) => part.kind === 'test' && part.name === name));
  const queries = (tests as readonly EventTest[]).flatMap(({ wider }) => wider);
  return queries.find((each) => filters[soleMember(each)] !== null) ?? { all: true };
}

/** The filters of `queryEvents` that select the same events; none if only the gateway can apply the filter. */
export function equalQueries(tree: FilterTree): readonly EventQueryFilter[] {
  if (tree.kind === 'all' && tree.parts.length === 0) return [{ all: true }];
  return tree.kind === 'test' ? tree.same : [];
}
