import { type FieldNode, Kind, type ValueNode } from 'graphql';

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
export function literalBytes(literal: ValueNode, variables: Set<string>): number {
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
