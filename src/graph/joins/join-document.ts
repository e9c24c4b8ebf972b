import {
  type ASTNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  print,
  type SelectionSetNode,
  stripIgnoredCharacters,
} from 'graphql';
import type { Limits } from '../../documents/cost/limits.ts';
import { measureDocument } from '../../documents/cost/measure-document.ts';
import { variablesIn } from '../../documents/plan-operation.ts';
import { usedFragments } from '../../documents/selections.ts';
import type { JoinKey, JoinRoot } from './joins.ts';

/** The selection below one join field, which one document may use any number of times. */
export interface JoinSelection {
  /** Name of the fragment that holds it. */
  readonly name: string;
  /** The fragment's text without its name: two selections of one document with the same body are the same. */
  readonly body: string;
  /** Definitions by name: the fragment itself, and the client's fragments that it spreads, directly or not. */
  readonly fragments: ReadonlyMap<string, string>;
  /** Definitions of the variables it uses, by name. */
  readonly variables: ReadonlyMap<string, string>;
  /** Nodes of one use by the ledger's count: every field, inline fragment and spread, fragments at each spread. */
  readonly nodes: number;
  /** Bytes that it adds to a request body when written once, including variable definitions. */
  readonly bytes: number;
}

/** The client's document, from which a selection is taken. */
export interface JoinSource {
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/** Prepares selections of one operation. Fields with the same selection share one, so that equal lookups are sent once. */
export function createJoinSelections(source: JoinSource) {
  const known = new Map<string, JoinSelection>();
  return (fieldNodes: readonly FieldNode[], type: GraphQLCompositeType): JoinSelection => {
    let name = `J${known.size}`;
    while (source.fragments.has(name)) name += '_';
    const made = toJoinSelection(name, fieldNodes, type, source);
    const shared = known.get(made.body) ?? made;
    known.set(made.body, shared);
    return shared;
  };
}

/**
 * Prepares the client's selection below a join field.
 * @param name of the new fragment that holds it; no fragment of the client may have this name
 */
export function toJoinSelection(
  name: string,
  fieldNodes: readonly FieldNode[],
  type: GraphQLCompositeType,
  { operation, fragments }: JoinSource,
): JoinSelection {
  const selections = fieldNodes.flatMap((node) => node.selectionSet?.selections ?? []);
  const fragment: FragmentDefinitionNode = {
    kind: Kind.FRAGMENT_DEFINITION,
    name: { kind: Kind.NAME, value: name },
    typeCondition: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: type.name } },
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
  const used = usedFragments(fragment.selectionSet, fragments);
  const definitions = [fragment, ...used];
  const variableNames = new Set(definitions.flatMap(variablesIn));
  const variables = (operation.variableDefinitions ?? []).filter(({ variable }) =>
    variableNames.has(variable.name.value),
  );
  const texts = new Map(definitions.map((each) => [each.name.value, toText(each)]));
  const variableTexts = new Map(variables.map((each) => [each.variable.name.value, toText(each)]));
  return {
    name,
    body: toText({ ...fragment, name: { kind: Kind.NAME, value: '_' } }),
    fragments: texts,
    variables: variableTexts,
    bytes: [...texts.values(), ...variableTexts.values()].reduce((sum, text) => sum + jsonBytes(text), 0),
    nodes: countNodes(fragment.selectionSet, used),
  };
}

const toText = (node: ASTNode): string => stripIgnoredCharacters(print(node));

/** Bytes of a text as it stands in a JSON body, quotes or separators included. */
const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));

/** Nodes of a selection by the ledger's count. */
function countNodes(selectionSet: SelectionSetNode, fragments: readonly FragmentDefinitionNode[]): number {
  const operation = { kind: Kind.OPERATION_DEFINITION, operation: OperationTypeNode.QUERY, selectionSet } as const;
  return measureDocument({ kind: Kind.DOCUMENT, definitions: [operation, ...fragments] }, 0).inputNodes;
}

/** The ledger's own limits. The gateway's stricter limits do not apply, because clients did not write join documents. */
export type RequestBounds = Pick<Limits, 'maxQueryNodes' | 'maxQueryPayloadSize'>;

/** A root field of the ledger with its arguments and its selection. */
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
export interface JoinForm extends Pick<JoinRoot, 'field' | 'id' | 'version'> {
  readonly selection: JoinSelection;
}

/** Returns a function that makes a lookup from a key. */
export function createToJoinLookup({ field, id, version, selection }: JoinForm) {
  const head = `${field}(${id}:`;
  const tail = `){...${selection.name}}`;
  return (key: JoinKey): JoinLookup => {
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
 * Splits lookups into as few groups as the ledger's limits on nodes and bytes allow, keeping their order. Bytes are those of
 * the JSON body, since newer ledgers limit all of it. A lookup that is too large alone gets its own group, for the ledger to
 * reject.
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
    // One node for the lookup's field and one for the spread, besides those of its selection.
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

/** The distinct selections of the lookups. */
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
 * One query that answers every lookup, each under its `joinAlias`. Each selection is written once, however often it is used.
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
