import {
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { createTally, type PageSize, type Tally, toPageSize } from './output-cost.ts';
import { literalBytes, takesTransaction } from './transaction-bytes.ts';

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

export type MeasuredStep =
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
export interface TransactionLiterals {
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

interface Reading {
  readonly open: Frame[];
  readonly steps: MeasuredStep[];
  readonly spreads: MeasuredSpread[];
  readonly transactionVariables: Set<string>;
  transactionBytes: number;
  nodes: number;
  depth: number;
  valueNesting: number;
  unsupportedDirective: DirectiveNode | null;
}

const supportedDirectives = new Set(['include', 'skip']);

/** Does the field hold the items of a connection? Decided by its name, not its alias, without a schema. */
export function isRows(field: FieldNode): boolean {
  return field.name.value === 'edges' || field.name.value === 'nodes';
}

/** Measures a definition in one pass in the order of its text. Does not recurse: it may nest as deep as a text is long. */
export function measureDefinition(definition: OperationDefinitionNode | FragmentDefinitionNode): MeasuredDefinition {
  const isOperation = definition.kind === Kind.OPERATION_DEFINITION;
  const fields = createTally();
  // No page lies above an operation: its root fields `edges` and `nodes` are ordinary fields.
  const rows = isOperation ? fields : createTally();
  const reading = createReading();
  if (isOperation) {
    for (const { defaultValue, directives } of definition.variableDefinitions ?? []) {
      if (defaultValue) readValue(defaultValue, reading);
      readDirectives(directives, reading);
    }
  }
  readDirectives(definition.directives, reading);
  readSelections(definition.selectionSet, fields, rows, reading);
  const { nodes, depth, valueNesting, steps, spreads, unsupportedDirective } = reading;
  return {
    nodes,
    depth,
    nesting: Math.max(depth - 1, valueNesting),
    fields,
    rows,
    steps,
    spreads,
    unsupportedDirective,
    transaction: { bytes: reading.transactionBytes, variables: reading.transactionVariables },
  };
}

function createReading(): Reading {
  return {
    open: [],
    steps: [],
    spreads: [],
    transactionVariables: new Set(),
    transactionBytes: 0,
    nodes: 0,
    depth: 0,
    valueNesting: 0,
    unsupportedDirective: null,
  };
}

function readSelections(root: SelectionSetNode, fields: Tally, rows: Tally, reading: Reading): void {
  const { open, steps } = reading;
  open.push({ selections: root.selections, next: 0, level: 1, isTop: true, fields, rows, page: null });
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    const selection = frame.selections[frame.next];
    frame.next += 1;
    if (selection !== undefined) {
      readSelection(selection, frame, reading);
    } else {
      open.pop();
      if (frame.page) steps.push(frame.page);
    }
  }
}

function readSelection(selection: SelectionNode, frame: Frame, reading: Reading): void {
  const { level, isTop, fields, rows } = frame;
  reading.nodes += 1;
  reading.depth = Math.max(reading.depth, level);
  readDirectives(selection.directives, reading);
  if (selection.kind === Kind.FIELD) {
    readField(selection, frame, reading);
  } else if (selection.kind === Kind.INLINE_FRAGMENT) {
    const { selections } = selection.selectionSet;
    reading.open.push({ selections, next: 0, level: level + 1, isTop, fields, rows, page: null });
  } else {
    const spread: MeasuredSpread = { kind: 'spread', node: selection, level, isTop, fields, rows };
    reading.steps.push(spread);
    reading.spreads.push(spread);
  }
}

function readField(field: FieldNode, frame: Frame, reading: Reading): void {
  readArguments(field, reading);
  if (frame.isTop && takesTransaction(field)) {
    for (const { value } of field.arguments ?? []) {
      reading.transactionBytes += literalBytes(value, reading.transactionVariables);
    }
  }
  frame.fields.own += 1;
  const isRow = isRows(field);
  if (isRow) frame.rows.isPaged = true;
  if (!field.selectionSet) return;
  const { selections } = field.selectionSet;
  const to = isRow ? frame.rows : frame.fields;
  const rows = createTally();
  const page: MeasuredStep = { kind: 'page', rows, to, size: toPageSize(field.arguments) };
  reading.open.push({ selections, next: 0, level: frame.level + 1, isTop: false, fields: to, rows, page });
}

function readDirectives(directives: readonly DirectiveNode[] = [], reading: Reading): void {
  for (const directive of directives) {
    if (!supportedDirectives.has(directive.name.value)) reading.unsupportedDirective ??= directive;
    readArguments(directive, reading);
  }
}

function readArguments(node: FieldNode | DirectiveNode, reading: Reading): void {
  for (const { value } of node.arguments ?? []) readValue(value, reading);
}

function readValue(value: ValueNode, reading: Reading): void {
  reading.valueNesting = Math.max(reading.valueNesting, nestingOf(value));
}

/** Levels of lists and objects in a literal; 0 for a scalar. */
export function nestingOf(literal: ValueNode): number {
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
