import { createHash } from 'node:crypto';
import { type IntrospectionQuery, parseValue, print, type ValueNode, visit } from 'graphql';
import { isObject } from '../json/exact-json.ts';
import { withoutFederation } from './fetch-ledger-schema.ts';
import type { LedgerService } from './ledger-service.ts';

/**
 * A fingerprint of the ledger's schema and service, independent of the order in which the ledger lists them. Computed from the
 * responses, before a schema is built: the ledger is polled far more often than it changes, and building a schema blocks the
 * event loop for tens of milliseconds.
 * @returns 16 hexadecimal digits
 */
export function toSchemaFingerprint(introspection: IntrospectionQuery, service: LedgerService): string {
  const text = `{"schema":${toSchemaText(introspection)},"service":${JSON.stringify(inOrder(service))}}`;
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

const texts = new WeakMap<IntrospectionQuery, string>();

/** The schema in canonical order, as text. Computed once per response. */
export function toSchemaText(introspection: IntrospectionQuery): string {
  const known = texts.get(introspection);
  if (known !== undefined) return known;
  const { __schema: schema } = withoutFederation(introspection);
  // Introspection types are not part of the ledger's own schema.
  const types = schema.types.filter(({ name }) => !name.startsWith('__'));
  const text = JSON.stringify(inOrder({ ...schema, types }));
  texts.set(introspection, text);
  return text;
}

/** The same value with all members and list entries sorted: no list in an introspection has a meaningful order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder).sort(byName);
  if (!isObject(value)) return value;
  const members: Record<string, unknown> = {};
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    members[name] = name === 'defaultValue' && typeof member === 'string' ? defaultInOrder(member) : inOrder(member);
  }
  return members;
}

/** Only object literals have members whose order may differ. A literal that cannot be parsed stays as it is. */
function defaultInOrder(literal: string): string {
  if (!literal.includes('{')) return literal;
  let value: ValueNode;
  try {
    value = parseValue(literal);
  } catch {
    return literal;
  }
  const ordered = visit(value, {
    ObjectValue: {
      leave: (node) => ({
        ...node,
        fields: [...node.fields].sort((one, other) => compare(one.name.value, other.name.value)),
      }),
    },
  });
  return print(ordered);
}

function byName(one: unknown, other: unknown): number {
  return compare(nameOf(one), nameOf(other));
}

function nameOf(entry: unknown): string {
  return String(isObject(entry) ? entry.name : entry);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
