import { Buffer } from 'node:buffer';
import { itemsPerCall } from '../config/event-calls.ts';
import type { LedgerHistory } from '../config/networks/history-schema.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { LedgerExecutor } from '../ledger/ledger-executor.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import { isReset } from '../upstream/network-in-force.ts';

/** Members of a filter and their values as GraphQL literals. */
export type FilterMembers = Readonly<Record<string, string>>;

/** A node of a connection in the ledger's response. */
export type LedgerNode = Readonly<Record<string, unknown>>;

/** Where an item is, in the ledger's own terms. */
export interface LedgerPlace {
  /** The network; `null` if the ledger does not say. */
  readonly chain: string | null;
  /** No ledger that is older than this checkpoint knows the item; `null` if unknown. */
  readonly checkpoint: number | null;
  /** The ledger's cursor. */
  readonly cursor: string;
}

/** A longer mark is not kept, so that cursors stay within their limit. */
const maxMarkCharacters = 160;

/** The text of a place, which the gateway's cursors contain; `null` if it would be too long. */
export function toMark({ chain, checkpoint, cursor }: LedgerPlace): string | null {
  const mark = `${chain ?? ''} ${checkpoint ?? ''} ${cursor}`;
  return mark.length <= maxMarkCharacters ? mark : null;
}

export function parseMark(mark: string | null | undefined): LedgerPlace | null {
  const [, chain, checkpoint, cursor] = /^(\S*) (\d*) (.+)$/.exec(mark ?? '') ?? [];
  if (cursor === undefined) return null;
  return { chain: chain || null, checkpoint: checkpoint ? Number(checkpoint) : null, cursor };
}

/** The form of cursors that the gateway can read and write. */
export type CursorForm = NonNullable<LedgerHistory['events']['cursor']>;

/** Numbers that put items in order. */
export type Order = readonly number[];

export function readCursor(cursor: string, form: CursorForm): { readonly order: Order; readonly checkpoint: number } {
  let content: LedgerNode = {};
  try {
    content = toNode(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {}
  const [checkpoint = 0, ...order] = [form.checkpoint, ...form.order].map((member) => {
    const number = content[member];
    if (!Number.isSafeInteger(number)) throw badLedger('sent a cursor of an unknown form');
    return number as number;
  });
  return { order, checkpoint };
}

/** @param checkpoint the cursor reads the ledger as of it */
export function writeCursor(order: Order, checkpoint: number, form: CursorForm): string {
  const members = form.order.map((member, index) => [member, order[index] ?? 0]);
  const content = { ...form.rest, ...Object.fromEntries(members), [form.checkpoint]: checkpoint };
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/** Negative if `a` comes first. */
export function compareOrder(a: Order, b: Order): number {
  const at = a.findIndex((number, index) => number !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

export interface LedgerEdge<Item> {
  readonly item: Item;
  readonly cursor: string;
  /** Empty if the form of cursors is unknown. */
  readonly order: Order;
}

/** A page of a connection, oldest item first. */
export interface LedgerPage<Item> {
  readonly edges: readonly LedgerEdge<Item>[];
  /** How many of the edges precede each one of an unknown form, which a lenient reader leaves out. */
  readonly unreadableAt: readonly number[];
  readonly hasPrevious: boolean;
  readonly hasNext: boolean;
  readonly start: string | null;
  readonly end: string | null;
}

/** A page, and what the ledger that answered it reports about itself. */
export interface AnsweredPage<Item> extends LedgerPage<Item> {
  readonly chain: string | null;
  /** Its newest checkpoint, and the time of that in milliseconds since the Unix epoch. */
  readonly newest: number | null;
  readonly newestMs: number | null;
  /** The value of `extra`. */
  readonly extra: unknown;
  /** The newest items that match; `null`: not asked for. */
  readonly tail: LedgerPage<Item> | null;
}

export interface LedgerPageRequest {
  readonly filter: FilterMembers;
  /** Exclusive bounds. */
  readonly after?: string | null;
  readonly before?: string | null;
  /** Is the page taken from the newest items in its bounds? */
  readonly backward: boolean;
  readonly size?: number;
  readonly cancellation: Cancellation | undefined;
  /** The network of the bounds. Left out or `null`: unknown. */
  readonly chain?: string | null;
  /** A checkpoint that the network had when the bounds were made. Left out or `null`: unknown. */
  readonly seen?: number | null;
  /** The oldest data that can answer, as a checkpoint. */
  readonly least?: number | null;
  /** Another root field that the request reads; empty: none. */
  readonly extra?: string;
  /** How many of the newest items that match the request reads, too. Left out: none. */
  readonly tail?: number;
}

/**
 * Reads one page of a connection of the ledger in one call. Rejects with errors of the catalogue: `STALE_CURSOR` if the ledger no
 * longer keeps what is asked for.
 */
export type ReadLedgerPage<Item> = (request: LedgerPageRequest) => Promise<AnsweredPage<Item>>;

export interface LedgerNodes<Item> {
  readonly selection: string;
  readonly toItem: (node: LedgerNode, order: Order, mark: string | null) => Item;
  /** The form of its cursors; `null`: opaque. */
  readonly cursor: CursorForm | null;
  /** Path of the checkpoint in a node; `null`: the cursor has one. */
  readonly checkpoint: string | null;
  /** Does a page leave out nodes of an unknown form, unless all are? Otherwise it is rejected. */
  readonly isLenient?: boolean;
}

type Names = Pick<LedgerHistory, 'checkpoint' | 'pruned'>;

/** The newest checkpoint that a page showed, and its network. */
export interface LedgerHead {
  chain: string | null;
  checkpoint: number | null;
  timestampMs: number | null;
}

/** What every page asks of the ledger beside its items. */
export const toReportSelection = ({ checkpoint }: Pick<Names, 'checkpoint'>) =>
  `chain:chainIdentifier newest:${checkpoint.field}{sequenceNumber timestamp}`;

export function createReadLedgerPage<Item>(
  field: string,
  nodes: LedgerNodes<Item>,
  names: Names,
  execute: LedgerExecutor,
  now: () => number,
  head: LedgerHead = { chain: null, checkpoint: null, timestampMs: null },
): ReadLedgerPage<Item> {
  const report = toReportSelection(names);
  return async ({
    cancellation,
    chain: expected = null,
    seen = null,
    least = null,
    extra = '',
    tail = 0,
    ...request
  }) => {
    const { filter } = request;
    const newestOnes = tail > 0 && toPageSelection({ filter, backward: true, size: tail }, nodes.selection);
    const more = `${extra && ` extra:${extra}`}${newestOnes ? ` tail:${field}${newestOnes}` : ''}`;
    const text = `{page:${field}${toPageSelection(request, nodes.selection)}${report}${more}}`;
    const data = await askLedger(execute, text, names, cancellation, least);
    const chain = toTextOrNull(data.chain);
    if (expected !== null && chain !== null && chain !== expected) throw staleCursor();
    const checkpoint = valueAt(data, 'newest.sequenceNumber');
    const newest = Number.isSafeInteger(checkpoint) ? (checkpoint as number) : null;
    const time = toMilliseconds(valueAt(data, 'newest.timestamp'));
    const newestMs = time === null ? null : Number(time);
    const [before, after] = [
      { newest: head.checkpoint, newestMs: head.timestampMs },
      { newest, newestMs },
    ];
    const isOlder = newest !== null && head.checkpoint !== null && newest < head.checkpoint;
    if (head.chain !== chain || !isOlder || isReset(before, after))
      Object.assign(head, { chain, checkpoint: newest, timestampMs: newestMs });
    if (isReset({ newest: seen }, { newest })) throw isBehind(newestMs, now()) ? notYet() : staleCursor();
    return {
      ...toLedgerPage(data.page, nodes, chain),
      chain,
      ...after,
      extra: data.extra ?? null,
      tail: data.tail ? toLedgerPage(data.tail, nodes, chain) : null,
    };
  };
}

/** Arguments of a connection, and the selection of one page. */
export function toPageSelection(
  {
    filter,
    after = null,
    before = null,
    backward,
    size = itemsPerCall,
  }: Omit<LedgerPageRequest, 'cancellation' | 'chain' | 'seen' | 'least' | 'extra' | 'tail'>,
  selection: string,
): string {
  const members = Object.entries(filter).map(([member, value]) => `${member}:${value}`);
  const filterArgument = members.length > 0 ? `filter:{${members.join(',')}}` : '';
  const bounds = [
    after === null ? '' : `after:${JSON.stringify(after)} `,
    before === null ? '' : `before:${JSON.stringify(before)} `,
  ].join('');
  const info = 'pageInfo{hasPreviousPage hasNextPage startCursor endCursor}';
  return `(${backward ? 'last' : 'first'}:${size} ${bounds}${filterArgument}){${info}edges{cursor node${selection}}}`;
}

/** An edge before its node is read. */
interface ToldEdge extends Pick<LedgerEdge<unknown>, 'cursor' | 'order'> {
  readonly node: unknown;
  readonly checkpoint: number | null;
}

export function toLedgerPage<Item>(value: unknown, nodes: LedgerNodes<Item>, chain: string | null): LedgerPage<Item> {
  const page = toNode(value);
  const info = toNode(page.pageInfo);
  if (!Array.isArray(page.edges)) throw badLedger('sent a page without edges');
  const told = inOrder(page.edges, nodes.cursor);
  const edges: LedgerEdge<Item>[] = [];
  const unreadableAt: number[] = [];
  let fault: unknown = null;
  for (const each of told) {
    try {
      edges.push(toEdge(each, nodes, chain));
    } catch (error) {
      fault ??= error;
      unreadableAt.push(edges.length);
    }
  }
  if (fault !== null && (!nodes.isLenient || edges.length === 0)) throw fault;
  const [first, last] = nodes.cursor ? [told[0], told.at(-1)] : [];
  return {
    edges,
    unreadableAt,
    hasPrevious: info.hasPreviousPage === true,
    hasNext: info.hasNextPage === true,
    start: first?.cursor ?? toTextOrNull(info.startCursor),
    end: last?.cursor ?? toTextOrNull(info.endCursor),
  };
}

/** Edges without repeats. Only cursors tell their order for certain: all items of a page may have one time. */
function inOrder(edges: readonly unknown[], form: CursorForm | null): readonly ToldEdge[] {
  const told = new Map<string, ToldEdge>();
  for (const each of edges) {
    const { cursor: given, node } = toNode(each);
    const cursor = toPresentText(given);
    if (told.has(cursor)) continue;
    told.set(cursor, { cursor, node, ...(form ? readCursor(cursor, form) : { order: [], checkpoint: null }) });
  }
  const all = [...told.values()];
  return form ? all.sort((a, b) => compareOrder(a.order, b.order)) : all;
}

function toEdge<Item>({ cursor, order, ...told }: ToldEdge, nodes: LedgerNodes<Item>, chain: string | null) {
  const node = toNode(told.node);
  const checkpoint = told.checkpoint ?? (nodes.checkpoint === null ? null : valueAt(node, nodes.checkpoint));
  const known = Number.isSafeInteger(checkpoint) ? (checkpoint as number) : null;
  return { item: nodes.toItem(node, order, toMark({ chain, checkpoint: known, cursor })), cursor, order };
}

/** Sends a query that the gateway wrote. */
export async function askLedger(
  execute: LedgerExecutor,
  text: string,
  { pruned }: Pick<LedgerHistory, 'pruned'>,
  cancellation: Cancellation | undefined,
  least: number | null = null,
): Promise<LedgerNode> {
  const { data, errors } = await execute({ document: text, cancellation, least });
  const [error] = errors ?? [];
  if (!error && data) return data as LedgerNode;
  const { message = '', extensions } = error ?? {};
  const isPruned =
    pruned.codes.includes(String(extensions?.code)) ||
    pruned.texts.some((each) => message.toLowerCase().includes(each.toLowerCase()));
  if (isPruned) throw staleCursor();
  const isCallersFault = extensions?.code === 'BAD_USER_INPUT' && /^[\x20-\x7e]{1,300}$/.test(message);
  if (isCallersFault) throw gatewayError('BAD_USER_INPUT', message, { upstream: 'ledger' });
  throw /timed out/i.test(message)
    ? gatewayError('UPSTREAM_TIMEOUT', 'The ledger did not answer in time.', { upstream: 'ledger' })
    : badLedger('failed to answer');
}

export function staleCursor() {
  const says = 'The ledger no longer knows the position this cursor points to.';
  return gatewayError('STALE_CURSOR', says, { upstream: 'ledger' });
}

/** The milliseconds of a `DateTime` as decimal text. */
export function toMilliseconds(value: unknown): string | null {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? null : String(ms);
}

/** For a position that another node of the network may have. */
export function notYet() {
  const says = 'The ledger does not have the position of this cursor yet. Repeat the query.';
  return gatewayError('UPSTREAM_UNAVAILABLE', says, { upstream: 'ledger' });
}

/** Milliseconds within which every node behind an address has an item, unless it is still catching up. */
export const youngMs = 60_000;

/** Is the node whose newest checkpoint has this time still catching up? */
export function isBehind(newestMs: number | null, nowMs: number): boolean {
  return newestMs !== null && nowMs - newestMs > youngMs;
}

export function badLedger(what: string) {
  return gatewayError('UPSTREAM_BAD_RESPONSE', `The ledger ${what}.`, { upstream: 'ledger' });
}

/** Writes the selection set of some paths: `a.b` and `a.c` become `{a{b c}}`. */
export function toSelection(paths: readonly string[]): string {
  const below = new Map<string, string[]>();
  for (const path of paths) {
    const [first = '', ...rest] = path.split('.');
    below.set(first, [...(below.get(first) ?? []), ...(rest.length > 0 ? [rest.join('.')] : [])]);
  }
  const fields = [...below].map(([name, rest]) => (rest.length > 0 ? `${name}${toSelection(rest)}` : name));
  return `{${fields.join(' ')}}`;
}

/** The value at a path; `null` where a step is missing. */
export function valueAt(node: LedgerNode, path: string): unknown {
  let value: unknown = node;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return null;
    value = (value as LedgerNode)[name];
  }
  return value ?? null;
}

function toNode(value: unknown): LedgerNode {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as LedgerNode;
  throw badLedger('sent a page of an unknown shape');
}

export function toPresentText(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw badLedger('left out a part of an item');
}

export function toTextOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
