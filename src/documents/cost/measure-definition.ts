import {
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { type NetworkProfile, networkProfiles } from '../../config/network-profile.ts';
import { printJson } from '../../json/exact-json.ts';
import { createTally, type PageSize, type Tally, toListSize, toPageSize, toTypeSize } from './usage.ts';

/** A ledger's rules for counting, and its texts for rejections. */
export type LimitRules = NetworkProfile['limits'];

export const contractRules: LimitRules = networkProfiles.ledger.limits;

/** The size of one operation or fragment, without the fragments that it spreads. */
export interface MeasuredDefinition {
  /** Number of selections written in the definition. */
  readonly nodes: number;
  /** Levels of selections written in the definition. */
  readonly depth: number;
  /** The deepest nesting in it: of selection sets, or of lists and objects in a value. */
  readonly nesting: number;
  /** Fields of the definition outside `edges` and `nodes`: counted once per spread. */
  readonly fields: Tally;
  /** Its fields below `edges` and `nodes` at its top: multiplied by the page size of the field that spreads it. */
  readonly rows: Tally;
  /** Steps in the order in which they must be added up: inner pages before outer ones. */
  readonly steps: readonly MeasuredStep[];
  /** The type that a fragment is on; `null` for an operation. */
  readonly on: string | null;
  /** Pages whose size is checked before execution. */
  readonly boundedPages: readonly PageSize[];
  /** The fragment spreads among `steps`. */
  readonly spreads: readonly MeasuredSpread[];
  readonly unsupportedDirective: DirectiveNode | null;
  readonly transaction: TransactionLiterals;
}

type MeasuredStep =
  | { readonly kind: 'page'; readonly rows: Tally; readonly to: Tally; readonly size: PageSize }
  | MeasuredSpread;

export interface MeasuredSpread {
  readonly kind: 'spread';
  readonly node: FragmentSpreadNode;
  readonly level: number;
  /** Is the field at the top of the definition, not below another field? */
  readonly isTop: boolean;
  readonly fields: Tally;
  readonly rows: Tally;
  /** Given for a spread on the objects of a federation gateway. */
  readonly entities: EntitiesField | null;
}

/** The root field of federation gateways, whose selections on a type apply to the representations of that type. */
interface EntitiesField {
  readonly representations: ValueNode | undefined;
  /** The tally that the field itself is counted in. */
  readonly to: Tally;
}

/** The arguments of transaction fields at the top of a definition. */
interface TransactionLiterals {
  readonly bytes: number;
  readonly variables: ReadonlySet<string>;
}

interface Frame {
  readonly selections: readonly SelectionNode[];
  /** Index of the selection to read next. */
  next: number;
  readonly level: number;
  readonly isTop: boolean;
  /** The type that the selections are on; `null` if it is unknown, or not needed. */
  readonly type: GraphQLNamedType | null;
  readonly fields: Tally;
  readonly rows: Tally;
  /** The page that the selection set makes; it becomes a step at the end of the set. */
  readonly page: MeasuredStep | null;
  /** The selections are on objects of this field. */
  readonly entities: EntitiesField | null;
}

const supportedDirectives = new Set(['include', 'skip']);

/** Does the field hold the items of a connection? Decided by its name, not its alias, without a schema. */
export function isRows(field: FieldNode): boolean {
  return field.name.value === 'edges' || field.name.value === 'nodes';
}

/** Is it the root field of federation gateways, whose list argument says how many objects it returns? */
export function isEntities(field: FieldNode): boolean {
  return field.name.value === '_entities';
}

export function representationsOf(field: FieldNode): ValueNode | undefined {
  return field.arguments?.[0]?.value;
}

/** The representations that selections with a type condition apply to; `null`: all of them. */
export function toRepresentations(
  representations: ValueNode | undefined,
  on: string | null | undefined,
): PageSize | null {
  return on == null || on === '_Entity' ? null : toTypeSize(representations, on);
}

export interface Counting {
  readonly rules: LimitRules;
  /** If given, connections are recognised by their type. */
  readonly schema: GraphQLSchema | null;
  /** Root fields with pages of the gateway, which has its own limits for them. */
  readonly calledFields: ReadonlySet<string>;
}

/** The keys of a field that gets several objects; `null` for another field, or without a list of keys. */
export function toKeys(field: FieldNode, { maxMultiGetKeys }: LimitRules): Keys | null {
  if (!field.name.value.startsWith('multiGet')) return null;
  const keys = field.arguments?.find(({ name }) => name.value === 'keys')?.value;
  if (keys?.kind !== Kind.LIST && keys?.kind !== Kind.VARIABLE) return null;
  return { items: toListSize(keys, maxMultiGetKeys), nodes: toListSize(keys, null, 0) };
}

interface Keys {
  readonly items: PageSize;
  /** Each key of a list is a node of its own. A variable may hold one key without a list, which is none. */
  readonly nodes: PageSize;
}

export function isConnection(type: GraphQLNamedType | null): boolean {
  return type?.name.endsWith('Connection') ?? false;
}

/** The sizes of a connection's pages. */
export function pageBounds(parent: GraphQLNamedType | null, { name }: FieldNode, { pageSizes }: LimitRules) {
  return pageSizes[`${parent?.name}.${name.value}`] ?? pageSizes['*'] ?? null;
}

/** Measures a definition in one pass in the order of its text. Does not recurse: it may nest as deep as a text is long. */
export function measureDefinition(
  definition: OperationDefinitionNode | FragmentDefinitionNode,
  { rules, schema, calledFields }: Counting,
): MeasuredDefinition {
  const isOperation = definition.kind === Kind.OPERATION_DEFINITION;
  const fields = createTally();
  // No page lies above an operation: its root fields `edges` and `nodes` are ordinary fields.
  const rows = isOperation ? fields : createTally();
  const steps: MeasuredStep[] = [];
  const spreads: MeasuredSpread[] = [];
  const boundedPages: PageSize[] = [];
  const transactionVariables = new Set<string>();
  let transactionBytes = 0;
  let nodes = 0;
  let depth = 0;
  let valueNesting = 0;
  let unsupportedDirective: DirectiveNode | null = null;

  if (isOperation) {
    for (const { defaultValue, directives } of definition.variableDefinitions ?? []) {
      if (defaultValue) readValue(defaultValue);
      readDirectives(directives);
    }
  }
  readDirectives(definition.directives);
  const open: Frame[] = [];
  enter(definition.selectionSet, 1, true, rootType(), fields, rows, null);
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    const selection = frame.selections[frame.next];
    frame.next += 1;
    if (selection !== undefined) {
      readSelection(selection, frame);
    } else {
      open.pop();
      if (frame.page) steps.push(frame.page);
    }
  }
  const transaction = { bytes: transactionBytes, variables: transactionVariables };
  const nesting = Math.max(depth - 1, valueNesting);
  const on = isOperation ? null : definition.typeCondition.name.value;
  return { nodes, depth, nesting, fields, rows, steps, on, boundedPages, spreads, unsupportedDirective, transaction };

  function readSelection(selection: SelectionNode, frame: Frame): void {
    nodes += 1;
    depth = Math.max(depth, frame.level);
    readDirectives(selection.directives);
    if (selection.kind === Kind.FIELD) {
      readField(selection, frame);
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      const on = selection.typeCondition?.name.value;
      const type = namedType(on) ?? frame.type;
      const { isTop, entities } = frame;
      const level = frame.level + 1;
      const size = entities && toRepresentations(entities.representations, on);
      if (!entities || !size) {
        enter(selection.selectionSet, level, isTop, type, frame.fields, frame.rows, null, entities);
        return;
      }
      const items = { own: 0, isPaged: true };
      const page = { kind: 'page', rows: items, to: entities.to, size } as const;
      enter(selection.selectionSet, level, isTop, type, items, items, page);
    } else {
      const { level, isTop, entities } = frame;
      const spread: MeasuredSpread = {
        kind: 'spread',
        node: selection,
        level,
        isTop,
        fields: frame.fields,
        rows: frame.rows,
        entities,
      };
      steps.push(spread);
      spreads.push(spread);
    }
  }

  function readField(field: FieldNode, frame: Frame): void {
    readArguments(field);
    if (frame.isTop) {
      for (const value of transactionArguments(field, rules)) {
        transactionBytes += literalBytes(value, transactionVariables, rules);
      }
    }
    frame.fields.own += 1;
    const isRow = isRows(field) && (schema === null || isConnection(frame.type));
    if (isRow) frame.rows.isPaged = true;
    // For ledgers that count by type, each item of the page is a node besides its fields.
    if (isRow && schema) frame.rows.own += 1;
    if (!field.selectionSet) return;
    const level = frame.level + 1;
    const type = schema && typeOf(frame.type, field);
    const below = createTally();
    const entities = isEntities(field) ? { representations: representationsOf(field), to: frame.fields } : null;
    const keys = schema && toKeys(field, rules);
    const list = entities ? toListSize(entities.representations) : keys?.items;
    if (list) {
      if (keys) steps.push({ kind: 'page', rows: { own: 1, isPaged: true }, to: frame.fields, size: keys.nodes });
      // All fields of an item are multiplied, not only those of a page.
      const items = { own: 0, isPaged: true };
      if (list.max !== null) boundedPages.push(list);
      const page = { kind: 'page', rows: items, to: frame.fields, size: list } as const;
      enter(field.selectionSet, level, false, type, items, items, page, entities);
      return;
    }
    const to = isRow ? frame.rows : frame.fields;
    const bounds = isConnection(type) && !isCalled(frame, field) ? pageBounds(frame.type, field, rules) : null;
    const size = toPageSize(field.arguments, bounds);
    if (bounds) boundedPages.push(size);
    enter(field.selectionSet, level, false, type, to, below, { kind: 'page', rows: below, to, size });
  }

  /** One literal with all members: with object spreads, measuring takes four times as long. */
  function enter(
    { selections }: SelectionSetNode,
    level: number,
    isTop: boolean,
    type: GraphQLNamedType | null,
    fields: Tally,
    rows: Tally,
    page: MeasuredStep | null,
    entities: EntitiesField | null = null,
  ): void {
    open.push({ selections, next: 0, level, isTop, type, fields, rows, page, entities });
  }

  function rootType(): GraphQLNamedType | null {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) return namedType(definition.typeCondition.name.value);
    return schema?.getRootType(definition.operation) ?? null;
  }

  function namedType(name: string | undefined): GraphQLNamedType | null {
    return name === undefined ? null : (schema?.getType(name) ?? null);
  }

  function isCalled({ type }: Frame, { name }: FieldNode): boolean {
    return calledFields.has(name.value) && type === schema?.getQueryType();
  }

  function readDirectives(directives: readonly DirectiveNode[] = []): void {
    for (const directive of directives) {
      if (!supportedDirectives.has(directive.name.value)) unsupportedDirective ??= directive;
      readArguments(directive);
    }
  }

  function readArguments(node: FieldNode | DirectiveNode): void {
    for (const { value } of node.arguments ?? []) readValue(value);
  }

  function readValue(value: ValueNode): void {
    valueNesting = Math.max(valueNesting, nestingOf(value));
  }
}

/** Levels of lists and objects in a literal; 0 for a scalar. */
function nestingOf(literal: ValueNode): number {
  if (literal.kind !== Kind.LIST && literal.kind !== Kind.OBJECT) return 0;
  let deepest = 0;
  const open: { readonly value: ValueNode; readonly nesting: number }[] = [{ value: literal, nesting: 0 }];
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const { value, nesting } = entry;
    deepest = Math.max(deepest, nesting);
    if (value.kind === Kind.LIST) {
      deepest = Math.max(deepest, nesting + 1);
      for (const item of value.values) open.push({ value: item, nesting: nesting + 1 });
    } else if (value.kind === Kind.OBJECT) {
      deepest = Math.max(deepest, nesting + 1);
      for (const field of value.fields) open.push({ value: field.value, nesting: nesting + 1 });
    }
  }
  return deepest;
}

export function typeOf(parent: GraphQLNamedType | null, field: FieldNode): GraphQLNamedType | null {
  if (!isObjectType(parent) && !isInterfaceType(parent)) return null;
  const found = parent.getFields()[field.name.value];
  return found ? getNamedType(found.type) : null;
}

/** The arguments of a root field that count as transaction payload and not as query text. */
export function transactionArguments(field: FieldNode, rules: LimitRules): readonly ValueNode[] {
  if (!Object.hasOwn(rules.transactionArguments, field.name.value)) return [];
  const names = rules.transactionArguments[field.name.value];
  const argumentNodes = field.arguments ?? [];
  return argumentNodes.filter(({ name }) => names === null || names?.includes(name.value)).map(({ value }) => value);
}

/**
 * Bytes of a literal as compact JSON, with unquoted member names. If the ledger does not count every value, numbers and whole
 * objects count as 0 and stay part of the query text.
 * @param variables receives the names of the variables in the literal
 */
export function literalBytes(literal: ValueNode, variables: Set<string>, { countsEveryValue }: LimitRules): number {
  let bytes = 0;
  const open: ValueNode[] = [literal];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (value.kind === Kind.VARIABLE) variables.add(value.name.value);
    else if (value.kind === Kind.STRING) bytes += textBytes(value.value);
    else if (value.kind === Kind.LIST) {
      bytes += listBytes(value.values);
      open.push(...value.values);
    } else if (!countsEveryValue) continue;
    else if (value.kind === Kind.OBJECT) {
      bytes += listBytes(value.fields);
      for (const { name, value: member } of value.fields) {
        bytes += name.value.length + 1;
        open.push(member);
      }
    } else bytes += value.kind === Kind.NULL ? 'null'.length : String(value.value).length;
  }
  return bytes;
}

/** Bytes of a variable's value, counted like a literal. Does not recurse, because its lists may nest very deep. */
export function valueBytes(sent: unknown, { countsEveryValue }: LimitRules): number {
  if (countsEveryValue) return sent === undefined ? 0 : Buffer.byteLength(printJson(sent));
  let bytes = 0;
  const open: unknown[] = [sent];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string') bytes += textBytes(value);
    else if (Array.isArray(value)) {
      bytes += listBytes(value);
      for (const item of value) open.push(item);
    }
  }
  return bytes;
}

function textBytes(text: string): number {
  return Buffer.byteLength(text) + 2;
}

function listBytes(items: readonly unknown[]): number {
  return 2 + Math.max(0, items.length - 1);
}
