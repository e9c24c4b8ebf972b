import type { NetworkProfile } from '../config/network-profile.ts';
import type { EventQueryFilter, EventStreamFilter, RpcEvent } from '../generated/own.ts';
import { isCanonicalJsonOf, toCanonicalJson } from '../json/canonical-json.ts';
import { type JsonPointer, parseJsonPointer, valueAtPointer } from '../json/json-pointer.ts';
import {
  argumentError,
  checkAddress,
  checkDigest,
  checkIdentifier,
  checkStructType,
  refuse,
} from '../ledger/values/check-argument.ts';
import { toCanonicalAddress, toCanonicalMoveType } from '../ledger/values/move-types.ts';
import { checkModule, checkTimeRange, soleMember } from './filter-wire.ts';
import { toTimestampMs } from './source.ts';

/** One test of an event. Addresses, types and values are canonical. */
type EventLeaf =
  | { readonly kind: 'package'; readonly address: string }
  | { readonly kind: 'moveModule'; readonly address: string; readonly module: string }
  /** A type without parameters stands for all its instantiations. */
  | { readonly kind: 'moveEventType'; readonly type: string }
  | {
      readonly kind: 'moveEventModule';
      readonly address: string;
      readonly module: string;
      readonly event: string | null;
    }
  | { readonly kind: 'moveEventField'; readonly pointer: JsonPointer; readonly value: string }
  | { readonly kind: 'sender'; readonly address: string }
  | { readonly kind: 'transaction'; readonly digest: string }
  /** Both ends included. */
  | { readonly kind: 'timeRange'; readonly startMs: number; readonly endMs: number };

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
  | { readonly kind: 'leaf'; readonly key: string; readonly leaf: EventLeaf }
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
  if (part.kind !== 'leaf' && part.parts.length === 0) return combine(part.kind === 'all' ? 'any' : 'all', []);
  return { kind: 'not', key: `{"not":${part.key}}`, part };
}

export function matchesTree(tree: FilterTree, event: EventFacts): boolean {
  switch (tree.kind) {
    case 'leaf':
      return matchesLeaf(tree.leaf, event);
    case 'all':
      return tree.parts.every((part) => matchesTree(part, event));
    case 'any':
      return tree.parts.some((part) => matchesTree(part, event));
    case 'not':
      return !matchesTree(tree.part, event);
  }
}

function matchesLeaf(leaf: EventLeaf, event: EventFacts): boolean {
  switch (leaf.kind) {
    case 'package':
      return event.package === leaf.address;
    case 'moveModule':
      return event.package === leaf.address && event.module === leaf.module;
    case 'moveEventType':
      return event.type === leaf.type || event.type.startsWith(`${leaf.type}<`);
    case 'moveEventModule': {
      const prefix = `${leaf.address}::${leaf.module}::`;
      if (leaf.event === null) return event.type.startsWith(prefix);
      const type = prefix + leaf.event;
      return event.type === type || event.type.startsWith(`${type}<`);
    }
    case 'moveEventField': {
      const value = valueAtPointer(event.json, leaf.pointer);
      return value !== undefined && isCanonicalJsonOf(value, leaf.value);
    }
    case 'sender':
      return event.sender === leaf.address;
    case 'transaction':
      return event.digest === leaf.digest;
    case 'timeRange':
      return event.timestampMs !== null && leaf.startMs <= event.timestampMs && event.timestampMs <= leaf.endMs;
  }
}

/** The maximum number of tests for one event. */
export function countLeaves(tree: FilterTree): number {
  if (tree.kind === 'leaf') return 1;
  if (tree.kind === 'not') return countLeaves(tree.part);
  return tree.parts.reduce((sum, part) => sum + countLeaves(part), 0);
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
      default: {
        const leaf = readLeaf(member, given, at);
        return { kind: 'leaf', key: JSON.stringify(leaf), leaf };
      }
    }
  };
  return read(filter, 'filter', 1);
}

function readLeaf(
  member: Exclude<keyof EventStreamFilter, 'all' | 'any' | 'and' | 'or' | 'not'>,
  filter: EventStreamFilter,
  at: string,
): EventLeaf {
  const text = filter[member] as string;
  switch (member) {
    case 'package':
      return { kind: 'package', address: checkAddress(at, text) };
    case 'sender':
    case 'senderAddress':
      return { kind: 'sender', address: checkAddress(at, text) };
    case 'transaction':
      return { kind: 'transaction', digest: checkDigest(at, text) };
    case 'moveEventType':
      return { kind: 'moveEventType', type: checkStructType(at, text) };
    case 'moveModule':
      return { kind: 'moveModule', ...readModule(at, filter.moveModule) };
    case 'moveEventModule': {
      const event = filter.moveEventModule?.event ?? null;
      const name = event === null ? null : checkIdentifier(`${at}.event`, event);
      return { kind: 'moveEventModule', ...readModule(at, filter.moveEventModule), event: name };
    }
    case 'moveEventField':
      return readField(at, filter.moveEventField);
    case 'timeRange': {
      const { startTime, endTime } = checkTimeRange(at, filter.timeRange);
      return { kind: 'timeRange', startMs: startTime, endMs: endTime };
    }
  }
}

function readModule(at: string, given: EventStreamFilter['moveModule']) {
  const { package: address, module } = checkModule(at, given);
  return { address, module };
}

function readField(at: string, field: EventStreamFilter['moveEventField']): EventLeaf {
  const { path = '', value = null } = field ?? {};
  const pointer = path.length > maxPointer ? null : parseJsonPointer(path);
  if (!pointer) {
    return refuse(`${at}.path`, path, `must be a JSON pointer of at most ${maxPointer} characters, such as /amount`);
  }
  const canonical = toCanonicalJson(value);
  if (canonical.length > maxValue) refuse(`${at}.value`, canonical, `must be at most ${maxValue} characters of JSON`);
  return { kind: 'moveEventField', pointer, value: canonical };
}

/** The most selective first. Times are filtered here: some nodes page through them for ever. */
const selective: readonly EventLeaf['kind'][] = [
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
  for (const kind of selective) {
    for (const part of parts) {
      if (part.kind !== 'leaf' || part.leaf.kind !== kind) continue;
      const query = toQueries(part.leaf, 'all').find((each) => filters[soleMember(each)] !== null);
      if (query) return query;
    }
  }
  return { all: true };
}

/** The filters of `queryEvents` that select the same events; none if only the gateway can apply the filter. */
export function equalQueries(tree: FilterTree): readonly EventQueryFilter[] {
  if (tree.kind === 'all' && tree.parts.length === 0) return [{ all: true }];
  return tree.kind === 'leaf' ? toQueries(tree.leaf, 'same') : [];
}

/**
 * Filters of `queryEvents` for one test.
 * @param which `same`: those that select the same events; `all`: those that are certain to select all of them
 */
function toQueries(leaf: EventLeaf, which: 'same' | 'all'): readonly EventQueryFilter[] {
  switch (leaf.kind) {
    case 'transaction':
      return [{ transaction: leaf.digest }];
    case 'moveEventType': {
      const [address = '', module = ''] = leaf.type.split('::');
      // To some nodes a type without parameters means that type alone; here it means all its instantiations.
      if (which === 'all' && !leaf.type.includes('<')) return [{ moveEventModule: { package: address, module } }];
      return [{ moveEventType: leaf.type }, { eventType: leaf.type }];
    }
    case 'moveModule':
      return [{ moveModule: { package: leaf.address, module: leaf.module } }];
    case 'moveEventModule':
      if (which === 'same' && leaf.event !== null) return [];
      return [{ moveEventModule: { package: leaf.address, module: leaf.module } }];
    case 'sender':
      return [{ sender: leaf.address }];
    case 'package':
      return [{ package: leaf.address }];
    case 'timeRange':
      return [{ timeRange: { startTime: leaf.startMs, endTime: leaf.endMs } }];
    case 'moveEventField':
      return [];
  }
}
