import type { EventRecord } from '../state/records.ts';
import { readEventFieldFilter } from './event-field-filter.ts';
import { readAddress, readDigest, readName, readObject, readTagged, readText, readWholeNumber } from './read-param.ts';
import { invalidParams, RpcError, rpcCodes } from './rpc-error.ts';
import { readStructType, splitStructType } from './struct-type.ts';

/** A filter that has been read and checked. */
export interface EventFilter {
  readonly matches: (event: EventRecord) => boolean;
  /** Where to look: contains every matching event, and perhaps others. */
  readonly candidates:
    | { readonly kind: 'all' }
    | { readonly kind: 'key'; readonly key: string }
    | { readonly kind: 'time'; readonly startMs: number; readonly endMs: number };
}

/** The keys an event is indexed under; filters look these up. */
export function* eventKeys(event: EventRecord): Iterable<string> {
  yield `transaction ${event.txDigest}`;
  yield `sender ${event.sender}`;
  yield `package ${event.packageId}`;
  yield `emitter ${event.packageId}::${event.transactionModule}`;
  for (const recipient of event.recipients) yield `recipient ${recipient}`;
  for (const objectId of event.objectIds) yield `object ${objectId}`;
  const type = splitStructType(event.type);
  yield `definer ${type.module}`;
  yield `type ${type.module}::${type.name}`;
  yield `name ${type.name}`;
}

/** The rules for filters that differ between networks. */
export interface EventDialect {
  /** Is the end of a time range exclusive, as on real nodes? */
  readonly endExclusive: boolean;
}

const contractDialect: EventDialect = { endExclusive: false };

type Reader = (where: string, content: unknown, dialect: EventDialect) => EventFilter;

const byKey = (key: string, matches: EventFilter['matches'] = () => true): EventFilter => ({
  candidates: { kind: 'key', key },
  matches: (event) => isKeyOf(key, event) && matches(event),
});

function isKeyOf(key: string, event: EventRecord): boolean {
  for (const own of eventKeys(event)) if (own === key) return true;
  return false;
}

const readers: Readonly<Record<string, Reader>> = {
  Transaction: (where, content) => byKey(`transaction ${readDigest(where, content)}`),
  Sender: (where, content) => byKey(`sender ${readAddress(where, content)}`),
  SenderAddress: (where, content) => byKey(`sender ${readAddress(where, content)}`),
  Package: (where, content) => byKey(`package ${readAddress(where, content)}`),
  Object: (where, content) => byKey(`object ${readAddress(where, content)}`),
  Recipient: (where, content) =>
    byKey(`recipient ${readAddress(`${where}.AddressOwner`, readObject(where, content).AddressOwner)}`),
  MoveModule: (where, content) => byKey(`emitter ${readModule(where, content)}`),
  MoveEventModule: (where, content) => {
    const module = readModule(where, content);
    const { event } = readObject(where, content);
    return byKey(event == null ? `definer ${module}` : `type ${module}::${readName(`${where}.event`, event)}`);
  },
  MoveEventType: readType,
  EventType: readTypeOrName,
  MoveEvent: readTypeOrName,
  MoveEventField: (where, content) => ({ candidates: { kind: 'all' }, matches: readEventFieldFilter(where, content) }),
  TimeRange: (where, content, { endExclusive }) => {
    const range = readObject(where, content);
    const startMs = readWholeNumber(`${where}.startTime`, range.startTime ?? range.start_time);
    const end = readWholeNumber(`${where}.endTime`, range.endTime ?? range.end_time);
    const endMs = endExclusive ? end - 1 : end;
    return {
      candidates: { kind: 'time', startMs, endMs },
      matches: ({ timestampMs }) => startMs <= timestampMs && timestampMs <= endMs,
    };
  },
};

function readModule(where: string, content: unknown): string {
  const { package: id, module } = readObject(where, content);
  return `${readAddress(`${where}.package`, id)}::${readName(`${where}.module`, module)}`;
}

/** A type without type arguments matches every instantiation. */
function readType(where: string, content: unknown): EventFilter {
  const { module, name, parameters } = readStructType(where, readText(where, content));
  const matches =
    parameters === '' ? undefined : ({ type }: EventRecord) => splitStructType(type).parameters === parameters;
  return byKey(`type ${module}::${name}`, matches);
}

function readTypeOrName(where: string, content: unknown): EventFilter {
  const text = readText(where, content);
  return text.includes('::') ? readType(where, text) : byKey(`name ${readName(where, text)}`);
}

const everyEvent: EventFilter = { candidates: { kind: 'all' }, matches: () => true };
const combinators = ['All', 'Any', 'And', 'Or'];
const subscriptionsOnly = ['MoveEventField', 'SenderAddress'];

/** A filter of a query: every variant but those only subscriptions have, and no combinations. */
export function readQueryFilter(value: unknown, dialect = contractDialect): EventFilter {
  const { tag, content } = readTagged('filter', value);
  if (combinators.includes(tag) && !(tag === 'All' && isEmpty(content))) {
    throw new RpcError(rpcCodes.invalidRequest, 'This node does not support filter combinations in queries');
  }
  if (subscriptionsOnly.includes(tag)) {
    throw new RpcError(rpcCodes.invalidRequest, `This query type is not supported by the node: ${tag}`);
  }
  return readFilter('filter', tag, content, dialect);
}

const maxNesting = 16;

/** A filter of a subscription: every variant, combined at will. */
export function readSubscriptionFilter(
  value: unknown,
  dialect = contractDialect,
  where = 'filter',
  nesting = 0,
): EventFilter {
  const { tag, content } = readTagged(where, value);
  if (!combinators.includes(tag) || (tag === 'All' && isEmpty(content)))
    return readFilter(where, tag, content, dialect);
  if (nesting === maxNesting) throw invalidParams(`${where} is nested deeper than ${maxNesting}`);
  if (!Array.isArray(content)) throw invalidParams(`${where}.${tag} must be a list of filters`);
  if ((tag === 'And' || tag === 'Or') && content.length !== 2)
    throw invalidParams(`${where}.${tag} must have two filters`);
  const parts = content.map((part, index) =>
    readSubscriptionFilter(part, dialect, `${where}.${tag}[${index}]`, nesting + 1),
  );
  const matches: EventFilter['matches'] =
    tag === 'All' || tag === 'And'
      ? (event) => parts.every((part) => part.matches(event))
      : (event) => parts.some((part) => part.matches(event));
  return { candidates: { kind: 'all' }, matches };
}

function readFilter(where: string, tag: string, content: unknown, dialect: EventDialect): EventFilter {
  if (tag === 'All') return everyEvent;
  const reader = Object.hasOwn(readers, tag) ? readers[tag] : undefined;
  if (reader) return reader(`${where}.${tag}`, content, dialect);
  const known = [...Object.keys(readers), ...combinators].map((name) => `\`${name}\``).join(', ');
  throw invalidParams(`unknown variant \`${tag.slice(0, 40)}\`, expected one of ${known}`);
}

function isEmpty(content: unknown): boolean {
  return content === null || content === '' || (typeof content === 'object' && Object.keys(content).length === 0);
}
