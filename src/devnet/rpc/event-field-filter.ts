import { isDeepStrictEqual } from 'node:util';
import type { EventRecord } from '../state/records.ts';
import { readObject, readText } from './read-param.ts';
import { invalidParams } from './rpc-error.ts';

/** Matches events whose content has this value at this JSON pointer (RFC 6901). */
export function readEventFieldFilter(where: string, content: unknown): (event: EventRecord) => boolean {
  const { path, value } = readObject(where, content);
  const pointer = readText(`${where}.path`, path);
  if (pointer !== '' && !pointer.startsWith('/'))
    throw invalidParams(`${where}.path must be a JSON pointer, beginning with /`);
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return ({ json }) => isDeepStrictEqual(valueAt(json, keys), value);
}

function valueAt(json: unknown, keys: readonly string[]): unknown {
  let value = json;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
