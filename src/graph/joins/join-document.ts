import type { Limits } from '../../documents/cost/limits.ts';
import { type JoinSelection, jsonBytes } from './join-selection.ts';

/**
 * The ledger's own bounds. The gateway's stricter limits do not apply, because clients did not write join documents.
 */
export type RequestBounds = Pick<Limits, 'maxQueryNodes' | 'maxQueryPayloadSize'>;

/** A root field of the ledger with its arguments, and what to select of it. */
export interface JoinLookup {
  /**
   * Its text in a document, without the alias: `object(address:"0x2"){...J0}`. Lookups with the same text are the
   * same.
   */
  readonly text: string;
  /** Bytes of the text in the JSON of a request body. */
  readonly bytes: number;
  readonly selection: JoinSelection;
}

export const joinAlias = (index: number): string => `k${index}`;

/** The part of a join's lookups that does not depend on their keys. */
export interface JoinForm {
  readonly field: string;
  /** Names of the arguments for the id and, if there is one, for the version. */
  readonly id: string;
  readonly version?: string | undefined;
  readonly selection: JoinSelection;
}

/** Returns a function that makes a lookup from a key. */
export function createToJoinLookup({ field, id, version, selection }: JoinForm) {
  const head = `${field}(${id}:`;
  const tail = `){...${selection.name}}`;
  return (key: { readonly id: string; readonly version?: number | string | undefined }): JoinLookup => {
    const versioned = version !== undefined && key.version !== undefined ? ` ${version}:${key.version}` : '';
    const isPlain = plainId.test(key.id);
    const text = `${head}${isPlain ? `"${key.id}"` : JSON.stringify(key.id)}${versioned}${tail}`;
    // In a plain text JSON escapes only the two quotes around the id.
    return { text, bytes: isPlain ? text.length + 2 : jsonBytes(text) - 2, selection };
  };
}

/** Matches digests and addresses: they need no escapes, and each character is one byte. */
const plainId = /^[\w:-]*$/;

/** Bytes of `{"query":"query(){}","variables":{}}`, and room for what the transport may add. */
const envelopeBytes = 64;

/**
 * Splits lookups into as few groups as the ledger's bounds on nodes and bytes allow, keeping their order. Bytes are
 * those of the JSON body, since newer ledgers bound all of it. A lookup that is too large alone gets its own group,
 * for the ledger to refuse.
 * @param sharedBytes bytes of the variables' JSON, sent with every group
 */
export function groupJoinLookups(
  lookups: readonly JoinLookup[],
  limits: RequestBounds,
  sharedBytes = 0,
): JoinLookup[][] {
  const aliasBytes = joinAlias(lookups.length).length + 1;
  const groups: JoinLookup[][] = [];
  let nodes = 0;
  let bytes = 0;
  let written = new Set<JoinSelection>();
  for (const lookup of lookups) {
    const { selection } = lookup;
    // One node for the lookup's field and one for the spread, beside those of its selection.
    const addedNodes = selection.nodes + 2;
    const fieldBytes = lookup.bytes + aliasBytes;
    const addedBytes = fieldBytes + (written.has(selection) ? 0 : selection.bytes);
    const group = groups.at(-1);
    if (group && nodes + addedNodes <= limits.maxQueryNodes && bytes + addedBytes <= limits.maxQueryPayloadSize) {
      group.push(lookup);
      nodes += addedNodes;
      bytes += addedBytes;
    } else {
      groups.push([lookup]);
      written = new Set();
      nodes = addedNodes;
      bytes = envelopeBytes + sharedBytes + fieldBytes + selection.bytes;
    }
    written.add(selection);
  }
  return groups;
}

/** Each selection of some lookups, once. */
export function selectionsOf(lookups: readonly JoinLookup[]): Iterable<JoinSelection> {
  const selections = new Set<JoinSelection>();
  let last: JoinSelection | undefined;
  for (const { selection } of lookups) {
    if (selection !== last) selections.add(selection);
    last = selection;
  }
  return selections;
}

/**
 * One query that answers every lookup, each under its `joinAlias`. Each selection is written once, however often it
 * is used.
 */
export function toJoinDocument(lookups: readonly JoinLookup[]): string {
  const fragments = new Map<string, string>();
  const variables = new Map<string, string>();
  for (const selection of selectionsOf(lookups)) {
    for (const [name, text] of selection.fragments) fragments.set(name, text);
    for (const [name, text] of selection.variables) variables.set(name, text);
  }
  const declared = variables.size > 0 ? `query(${[...variables.values()].join(' ')})` : '';
  let fields = '';
  for (const [index, { text }] of lookups.entries()) fields += `${joinAlias(index)}:${text}`;
  return `${declared}{${fields}}${[...fragments.values()].join('')}`;
}
