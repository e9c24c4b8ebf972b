import { type DocumentNode, type FieldNode, Kind, type SelectionNode, type ValueNode } from 'graphql';
import { type Fragments, operationsOf } from './fragments.ts';
import type { Variables } from './measure-output.ts';

const transactionFields = new Set([
  'executeTransactionBlock',
  'executeTransaction',
  'dryRunTransactionBlock',
  'simulateTransaction',
]);

/** The arguments of top-level fields that carry a transaction. */
export type TransactionArgumentValues = readonly ValueNode[];

export function findTransactionArguments(document: DocumentNode, fragments: Fragments): TransactionArgumentValues {
  const fields: FieldNode[] = [];
  const visited = new Set<string>();
  const visit = (selection: SelectionNode): void => {
    if (selection.kind === Kind.FIELD) {
      if (transactionFields.has(selection.name.value)) fields.push(selection);
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      selection.selectionSet.selections.forEach(visit);
    } else if (!visited.has(selection.name.value)) {
      visited.add(selection.name.value);
      fragments.get(selection.name.value)?.selectionSet.selections.forEach(visit);
    }
  };
  for (const operation of operationsOf(document)) operation.selectionSet.selections.forEach(visit);
  return fields.flatMap((field) => (field.arguments ?? []).map((argument) => argument.value));
}

/** How many bytes of the query text are transaction rather than query. */
export function inlinedBytes(values: TransactionArgumentValues): number {
  return values.reduce((sum, value) => sum + literalBytes(value), 0);
}

/** Bytes of all transaction arguments; a variable counts once, however often it is used. */
export function transactionBytes(values: TransactionArgumentValues, variables: Variables): number {
  const names = new Set<string>();
  for (const value of values) collectVariables(value, names);
  let sum = inlinedBytes(values);
  for (const name of names) sum += valueBytes(variables[name]);
  return sum;
}

/** Text counts with its quotes, a list with brackets and commas, anything else not at all. */
function literalBytes(value: ValueNode): number {
  if (value.kind === Kind.STRING) return Buffer.byteLength(value.value) + 2;
  if (value.kind !== Kind.LIST) return 0;
  return listBytes(value.values.map(literalBytes));
}

function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2;
  return Array.isArray(value) ? listBytes(value.map(valueBytes)) : 0;
}

function listBytes(entries: readonly number[]): number {
  return entries.reduce((sum, bytes) => sum + bytes, 2 + Math.max(0, entries.length - 1));
}

function collectVariables(value: ValueNode, names: Set<string>): void {
  if (value.kind === Kind.VARIABLE) names.add(value.name.value);
  else if (value.kind === Kind.LIST) for (const entry of value.values) collectVariables(entry, names);
}
