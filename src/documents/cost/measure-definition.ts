import {
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type ValueNode,
} from 'graphql';
import { createTally, type PageSize, type Tally, toListSize, toPageSize } from './usage.ts';

/** The size of one operation or fragment, without the fragments that it spreads. */
export interface MeasuredDefinition {
  /** Selections written in it. */
  readonly nodes: number;
  /** Levels of selections written in it. */
  readonly depth: number;
  /** The deepest nesting in it: of selection sets, or of lists and objects in a value. */
  readonly nesting: number;
  /** Its fields outside `edges` and `nodes`: counted once per spread. */
  readonly fields: Tally;
  /** Its fields below `edges` and `nodes` at its top: multiplied by the page size of the field that spreads it. */
  readonly rows: Tally;
  /** In the order in which they must be added up: inner pages before outer ones. */
  readonly steps: readonly MeasuredStep[];
  /** The spreads among `steps`. */
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
  /** It stands at the top of the definition, not below a field. */
  readonly isTop: boolean;
  readonly fields: Tally;
  readonly rows: Tally;
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
  readonly fields: Tally;
  readonly rows: Tally;
  /** The page that the selection set makes; it becomes a step at the end of the set. */
  readonly page: MeasuredStep | null;
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

/** How often the fields below occur. */
export function toItems(field: FieldNode): PageSize {
  return isEntities(field) ? toListSize(field.arguments) : toPageSize(field.arguments);
}

/** Measures a definition in one pass in the order of its text. Does not recurse: it may nest as deep as a text is long. */
export function measureDefinition(definition: OperationDefinitionNode | FragmentDefinitionNode): MeasuredDefinition {
  const isOperation = definition.kind === Kind.OPERATION_DEFINITION;
  const fields = createTally();
  // No page lies above an operation: its root fields `edges` and `nodes` are ordinary fields.
  const rows = isOperation ? fields : createTally();
  const steps: MeasuredStep[] = [];
  const spreads: MeasuredSpread[] = [];
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
  const { selections } = definition.selectionSet;
  const open: Frame[] = [{ selections, next: 0, level: 1, isTop: true, fields, rows, page: null }];
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
  return { nodes, depth, nesting, fields, rows, steps, spreads, unsupportedDirective, transaction };

  function readSelection(selection: SelectionNode, frame: Frame): void {
    nodes += 1;
    depth = Math.max(depth, frame.level);
    readDirectives(selection.directives);
    if (selection.kind === Kind.FIELD) {
      readField(selection, frame);
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      open.push({
        ...frame,
        selections: selection.selectionSet.selections,
        next: 0,
        level: frame.level + 1,
        page: null,
      });
    } else {
      const { level, isTop } = frame;
      const spread: MeasuredSpread = {
        kind: 'spread',
        node: selection,
        level,
        isTop,
        fields: frame.fields,
        rows: frame.rows,
      };
      steps.push(spread);
      spreads.push(spread);
    }
  }

  function readField(field: FieldNode, frame: Frame): void {
    readArguments(field);
    if (frame.isTop && takesTransaction(field)) {
      for (const { value } of field.arguments ?? []) transactionBytes += literalBytes(value, transactionVariables);
    }
    frame.fields.own += 1;
    const isRow = isRows(field);
    if (isRow) frame.rows.isPaged = true;
    if (!field.selectionSet) return;
    const to = isRow ? frame.rows : frame.fields;
    const below = createTally();
    const page: MeasuredStep = { kind: 'page', rows: below, to, size: toItems(field) };
    // All fields of an entity are multiplied, not only those of a page.
    below.isPaged = isEntities(field);
    const fieldsBelow = isEntities(field) ? below : to;
    const set = field.selectionSet.selections;
    const level = frame.level + 1;
    open.push({ selections: set, next: 0, level, isTop: false, fields: fieldsBelow, rows: below, page });
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

/** Our field and the ledgers' own. No ledger has all of them; its schema rejects the others. */
const transactionFields = new Set([
  'executeTx',
  'executeTransactionBlock',
  'dryRunTransactionBlock',
  'executeTransaction',
  'simulateTransaction',
]);

/** Do the field's arguments count as transaction payload and not as query text? */
export function takesTransaction(field: FieldNode): boolean {
  return transactionFields.has(field.name.value);
}

/**
 * Bytes of a literal as compact JSON: strings with their quotes, lists with brackets and commas. Like the ledger, it counts
 * numbers, and objects with all in them, as 0: they stay part of the query text.
 * @param variables receives the names of the variables in the literal
 */
function literalBytes(literal: ValueNode, variables: Set<string>): number {
  let bytes = 0;
  const open: ValueNode[] = [literal];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (value.kind === Kind.VARIABLE) variables.add(value.name.value);
    else if (value.kind === Kind.STRING) bytes += textBytes(value.value);
    else if (value.kind === Kind.LIST) {
      bytes += listBytes(value.values);
      for (const item of value.values) open.push(item);
    }
  }
  return bytes;
}

/** Bytes of a variable's value, counted like a literal. Does not recurse, because its lists may nest very deep. */
export function valueBytes(sent: unknown): number {
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
