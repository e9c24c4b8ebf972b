import { itemsPerCall } from '../config/event-calls.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { LedgerExecutor } from '../ledger/ledger-executor.ts';
import type { Cancellation } from '../upstream/cancellation.ts';

/** Members of a filter and their values as GraphQL literals. */
export type FilterMembers = Readonly<Record<string, string>>;

/** A node of a connection in the ledger's response. */
export type LedgerNode = Readonly<Record<string, unknown>>;

export interface LedgerEdge<Item> {
  readonly item: Item;
  readonly cursor: string;
  /** Numbers that put items in order; `null` if the cursor is opaque. */
  readonly order: readonly number[] | null;
}

/** A page of a connection, oldest item first. */
export interface LedgerPage<Item> {
  readonly edges: readonly LedgerEdge<Item>[];
  readonly hasPrevious: boolean;
  readonly hasNext: boolean;
  readonly start: string | null;
  readonly end: string | null;
}

export interface LedgerPageRequest {
  readonly filter: FilterMembers;
  /** Exclusive; `null`: from the end of the ledger if `backward`, else from its beginning. */
  readonly cursor: string | null;
  readonly backward: boolean;
  readonly size?: number;
  readonly cancellation: Cancellation | undefined;
}

/** Reads one page of a connection of the ledger. Rejects with errors of the catalogue. */
export type ReadLedgerPage<Item> = (request: LedgerPageRequest) => Promise<LedgerPage<Item>>;

/** How to read the nodes of a connection. */
export interface LedgerNodes<Item> {
  readonly selection: string;
  /** @param order `null` if the cursor is opaque */
  readonly toItem: (node: LedgerNode, order: readonly number[] | null) => Item;
  /** Members of the JSON in a cursor that order items; `null`: opaque. */
  readonly cursor: readonly string[] | null;
}

export function createReadLedgerPage<Item>(
  field: string,
  nodes: LedgerNodes<Item>,
  execute: LedgerExecutor,
): ReadLedgerPage<Item> {
  return async ({ cancellation, ...request }) => {
    const text = `{page:${field}${toPageSelection(request, nodes.selection)}}`;
    const { page } = await askLedger(execute, text, cancellation, request.cursor !== null);
    return toLedgerPage(page, nodes);
  };
}

/** Arguments of a connection, and the selection of one page. */
export function toPageSelection(
  { filter, cursor, backward, size = itemsPerCall }: Omit<LedgerPageRequest, 'cancellation'>,
  selection: string,
): string {
  const members = Object.entries(filter).map(([member, value]) => `${member}:${value}`);
  const filterArgument = members.length > 0 ? `filter:{${members.join(',')}}` : '';
  const at = cursor === null ? '' : `${backward ? 'before' : 'after'}:${JSON.stringify(cursor)} `;
  const info = 'pageInfo{hasPreviousPage hasNextPage startCursor endCursor}';
  return `(${backward ? 'last' : 'first'}:${size} ${at}${filterArgument}){${info}edges{cursor node${selection}}}`;
}

export function toLedgerPage<Item>(value: unknown, { toItem, cursor }: LedgerNodes<Item>): LedgerPage<Item> {
  const page = toNode(value);
  const info = toNode(page.pageInfo);
  if (!Array.isArray(page.edges)) throw badLedger('sent a page without edges');
  const edges = page.edges.map((each: unknown) => {
    const edge = toNode(each);
    const text = toText(edge.cursor);
    const order = cursor && readOrder(text, cursor);
    return { item: toItem(toNode(edge.node), order), cursor: text, order };
  });
  return {
    edges,
    hasPrevious: info.hasPreviousPage === true,
    hasNext: info.hasNextPage === true,
    start: toTextOrNull(info.startCursor),
    end: toTextOrNull(info.endCursor),
  };
}

function readOrder(cursor: string, members: readonly string[]): readonly number[] {
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw badLedger('sent a cursor of an unknown form');
  }
  return members.map((member) => {
    const number = toNode(content)[member];
    if (!Number.isSafeInteger(number)) throw badLedger('sent a cursor of an unknown form');
    return number as number;
  });
}

/** Negative if `a` comes first. */
export function compareOrder(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((number, index) => number !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

const outsideRange = /outside the available range|pruned|no longer available/i;

/**
 * Sends a query that the gateway wrote.
 * @param cursorSent whether it contains a cursor: only then can the cursor be stale
 */
export async function askLedger(
  execute: LedgerExecutor,
  text: string,
  cancellation: Cancellation | undefined,
  cursorSent = false,
): Promise<LedgerNode> {
  const { data, errors } = await execute({ document: { text, rootKeys: [] }, cancellation });
  const [error] = errors ?? [];
  if (!error && data) return data as LedgerNode;
  const errorMessage = error?.message ?? '';
  if (cursorSent && outsideRange.test(errorMessage)) throw staleCursor();
  const isCallersFault = error?.extensions.code === 'BAD_USER_INPUT' && /^[\x20-\x7e]{1,300}$/.test(errorMessage);
  if (isCallersFault) throw gatewayError('BAD_USER_INPUT', errorMessage, { upstream: 'ledger' });
  throw /timed out/i.test(errorMessage)
    ? gatewayError('UPSTREAM_TIMEOUT', 'The ledger did not answer in time.', { upstream: 'ledger' })
    : badLedger('failed to answer');
}

export function staleCursor() {
  const says = 'The ledger no longer knows the position this cursor points to.';
  return gatewayError('STALE_CURSOR', says, { upstream: 'ledger' });
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

export function toText(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw badLedger('left out a part of an item');
}

export function toTextOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
