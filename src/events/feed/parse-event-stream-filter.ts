import type { EventStreamFilter } from '../../generated/own.ts';
import { toCanonicalJson } from '../../json/canonical-json.ts';
import { parseJsonPointer } from '../../json/json-pointer.ts';
import {
  argumentError,
  checkAddress,
  checkDigest,
  checkIdentifier,
  checkStructType,
  checkUInt53,
  refuse,
} from '../../ledger/values/check-argument.ts';
import type { EventLeaf } from './event-leaf.ts';
import { combine, type FilterTree, leafOf, negate } from './filter-tree.ts';

export type EventFilterTree = FilterTree<EventLeaf>;

/** Members of a filter at any depth. A test costs about a microsecond for each event and part. */
const maxParts = 100;
const maxDepth = 16;
const maxPointer = 256;
const maxValue = 1_024;

/**
 * Reads a filter into its normal form; none matches every event.
 * @throws `BAD_USER_INPUT` that names the member, its value and the rule it breaks
 */
export function parseEventStreamFilter(filter: EventStreamFilter | null | undefined): EventFilterTree {
  if (!filter) return combine<EventLeaf>('all', []);
  let parts = 0;
  const read = (given: EventStreamFilter, where: string, depth: number): EventFilterTree => {
    parts += 1;
    if (parts > maxParts) throw argumentError('filter', `Argument 'filter' has more than ${maxParts} parts.`);
    if (depth > maxDepth) throw argumentError('filter', `Argument 'filter' is nested deeper than ${maxDepth}.`);
    const member = soleMember(given, where);
    const at = `${where}.${member}`;
    const list = (kind: 'all' | 'any', size: number | null) =>
      combine(
        kind,
        checkList(at, given[member] as readonly EventStreamFilter[], size, kind).map((each, index) =>
          read(each, `${at}[${index}]`, depth + 1),
        ),
      );
    switch (member) {
      case 'all':
        return list('all', null);
      case 'any':
        return list('any', null);
      case 'and':
        return list('all', 2);
      case 'or':
        return list('any', 2);
      case 'not':
        return negate(read(given.not as EventStreamFilter, at, depth + 1));
      default: {
        const leaf = readLeaf(member, given, at);
        return leafOf(JSON.stringify(leaf), leaf);
      }
    }
  };
  return read(filter, 'filter', 1);
}

type Member = keyof EventStreamFilter & string;

function soleMember(filter: EventStreamFilter, where: string): Member {
  const [only, ...others] = Object.entries(filter).filter(([, value]) => value !== null && value !== undefined);
  if (only && others.length === 0) return only[0] as Member;
  const got = only ? others.length + 1 : 0;
  throw argumentError(where, `Argument '${where}' must have exactly one member; got ${got}.`);
}

function checkList(
  at: string,
  list: readonly EventStreamFilter[],
  size: number | null,
  kind: 'all' | 'any',
): readonly EventStreamFilter[] {
  if (size !== null && list.length !== size) {
    throw argumentError(at, `Argument '${at}' must have exactly two filters; got ${list.length}.`);
  }
  // An empty `all` matches every event, as in nodes; an empty `any` could never match, and is a mistake.
  if (kind === 'any' && list.length === 0) throw argumentError(at, `Argument '${at}' must have at least one filter.`);
  return list;
}

function readLeaf(
  member: Exclude<Member, 'all' | 'any' | 'and' | 'or' | 'not'>,
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
      const startMs = checkUInt53(`${at}.startTime`, filter.timeRange?.startTime ?? Number.NaN);
      const endMs = checkUInt53(`${at}.endTime`, filter.timeRange?.endTime ?? Number.NaN);
      if (startMs > endMs) refuse(at, { startTime: startMs, endTime: endMs }, 'must not end before it starts');
      return { kind: 'timeRange', startMs, endMs };
    }
  }
}

function readModule(at: string, given: { readonly package: string; readonly module: string } | null | undefined) {
  const { package: id = '', module = '' } = given ?? {};
  return { address: checkAddress(`${at}.package`, id), module: checkIdentifier(`${at}.module`, module) };
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
