import { type FieldNode, Kind, type ValueNode } from 'graphql';
import { printJson } from '../../json/exact-json.ts';
import type { LimitRules } from './usage.ts';

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
