/** The steps of a JSON pointer (RFC 6901), from the whole value down. */
type JsonPointer = readonly string[];

/** @returns `null` for text that is not a JSON pointer. The empty text points to the whole value. */
export function parseJsonPointer(text: string): JsonPointer | null {
  if (text === '') return [];
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return null;
  return text
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** @returns `undefined` if the value has no such member. List indexes have no leading zeros. */
export function valueAtPointer(json: unknown, pointer: JsonPointer): unknown {
  let value = json;
  for (const step of pointer) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    if (Array.isArray(value) && !/^(0|[1-9][0-9]*)$/.test(step)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return value;
}
