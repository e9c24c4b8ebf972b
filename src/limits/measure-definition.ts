import {
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { createTally, type Tally } from './output-cost.ts';
import { type PageSize, toPageSize } from './page-size.ts';
import { literalBytes, takesTransaction } from './transaction-bytes.ts';
import { nestingOf } from './value-nesting.ts';

/** What one operation or fragment says, with the fragments it spreads still unresolved. */
export interface MeasuredDefinition {
  /** Selections written in it. */
  readonly nodes: number;
  /** Levels of selections written in it. */
  readonly depth: number;
  /** How deep selection sets, or lists and objects of a value, lie in one another. */
  readonly nesting: number;
  /** Its fields, but for those that the page around it repeats. */
  readonly fields: Tally;
  /** What lies below `edges` and `nodes` at its top: repeated by the page of whoever spreads it. */
  readonly rows: Tally;
  /** In the order of the text: what is added up comes before what it is added to. */
  readonly steps: readonly MeasuredStep[];
  /** The spreads among the steps. */
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
  /** Its fields are fields of the definition itself, not of a field in it. */
  readonly isTop: boolean;
  readonly fields: Tally;
  readonly rows: Tally;
}

/** Arguments of transaction fields at the top of the definition. */
export interface TransactionLiterals {
  readonly bytes: number;
  readonly variables: ReadonlySet<string>;
}

interface Frame {
  readonly selections: readonly SelectionNode[];
  next: number;
  readonly level: number;
  readonly isTop: boolean;
  readonly fields: Tally;
  readonly rows: Tally;
  /** Done when the frame is left. */
  readonly page: MeasuredStep | null;
}

const supportedDirectives = new Set(['include', 'skip']);

/** Is it a field a connection repeats? The real name decides; no schema is asked. */
function isRows(field: FieldNode): boolean {
  return field.name.value === 'edges' || field.name.value === 'nodes';
}

/**
 * Reads a definition once, in the order of its text, without recursion: it may nest as deep as a text is long.
 */
export function measureDefinition(definition: OperationDefinitionNode | FragmentDefinitionNode): MeasuredDefinition {
  const isOperation = definition.kind === Kind.OPERATION_DEFINITION;
  const fields = createTally();
  // Above the fields of an operation there is no page: `edges` and `nodes` are fields like any other there.
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
    for (const variable of definition.variableDefinitions ?? []) {
      if (variable.defaultValue) valueNesting = Math.max(valueNesting, nestingOf(variable.defaultValue));
      readDirectives(variable.directives);
    }
  }
  readDirectives(definition.directives);

  const open: Frame[] = [];
  enter(definition.selectionSet, { level: 1, isTop: true, fields, rows, page: null });
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
  return {
    nodes,
    depth,
    nesting: Math.max(depth - 1, valueNesting),
    fields,
    rows,
    steps,
    spreads,
    unsupportedDirective,
    transaction: { bytes: transactionBytes, variables: transactionVariables },
  };

  function readSelection(selection: SelectionNode, frame: Frame): void {
    nodes += 1;
    depth = Math.max(depth, frame.level);
    readDirectives(selection.directives);
    const { isTop, fields, rows } = frame;
    const level = frame.level + 1;
    if (selection.kind === Kind.FIELD) {
      readField(selection, frame);
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      enter(selection.selectionSet, { level, isTop, fields, rows, page: null });
    } else {
      const spread: MeasuredSpread = { kind: 'spread', node: selection, level: frame.level, isTop, fields, rows };
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
    const rows = createTally();
    const page: MeasuredStep = { kind: 'page', rows, to, size: toPageSize(field.arguments) };
    enter(field.selectionSet, { level: frame.level + 1, isTop: false, fields: to, rows, page });
  }

  function readDirectives(directives: readonly DirectiveNode[] = []): void {
    for (const directive of directives) {
      if (!supportedDirectives.has(directive.name.value)) unsupportedDirective ??= directive;
      readArguments(directive);
    }
  }

  function readArguments(node: FieldNode | DirectiveNode): void {
    for (const { value } of node.arguments ?? []) valueNesting = Math.max(valueNesting, nestingOf(value));
  }

  function enter({ selections }: SelectionSetNode, frame: Omit<Frame, 'selections' | 'next'>): void {
    open.push({ selections, next: 0, ...frame });
  }
}
