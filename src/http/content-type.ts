import { isUtf8, parseMediaTypes } from './media-types.ts';

const jsonTypes: ReadonlySet<string> = new Set(['application/json', 'application/graphql+json']);

/**
 * Does a Content-Type announce JSON in UTF-8? Forms and plain text need no preflight, so a page elsewhere could post them in
 * a user's name: nothing else than JSON is read. Several types in one header are none.
 */
export function isJsonType(header: string | undefined): boolean {
  if (header === 'application/json') return true;
  if (header === undefined || header.includes(',')) return false;
  const [type] = parseMediaTypes(header);
  return type !== undefined && jsonTypes.has(type.name) && isUtf8(type);
}

/** Is the body compressed, or otherwise not as it reads? */
export function isEncoded(header: string | undefined): boolean {
  return header !== undefined && !/^[ \t]*(?:identity)?[ \t]*$/i.test(header);
}
