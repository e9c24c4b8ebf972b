/** One entry of an Accept header, or a Content-Type: lower case, without the spaces and quotes that mean nothing. */
export interface MediaType {
  /** `type/subtype`; either may be `*` in an Accept header. */
  readonly name: string;
  /** By their names; of several of one name the first. Values as they came, unquoted. */
  readonly parameters: ReadonlyMap<string, string>;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const typeName = new RegExp(`[ \\t]*(${token}/${token})[ \\t]*`, 'y');
const parameter = new RegExp(`;[ \\t]*(?:(${token})=(?:(${token})|"((?:[^"\\\\]|\\\\.)*)"))?[ \\t]*`, 'y');
/** More media types than any client names; what follows is not looked at. */
const maxMediaTypes = 32;

/**
 * Reads the media types of a header as RFC 9110 writes them. What is no media type is left out, up to the next comma.
 * Linear in the length of the header.
 */
export function parseMediaTypes(header: string): readonly MediaType[] {
  const found: MediaType[] = [];
  for (let at = 0, count = 0; at < header.length && count < maxMediaTypes; count += 1) {
    typeName.lastIndex = at;
    const name = typeName.exec(header)?.[1]?.toLowerCase();
    if (name !== undefined) {
      at = typeName.lastIndex;
      const parameters = new Map<string, string>();
      for (;;) {
        parameter.lastIndex = at;
        const match = parameter.exec(header);
        if (!match) break;
        at = parameter.lastIndex;
        const [, key, bare, quoted] = match;
        const lower = key?.toLowerCase();
        if (lower !== undefined && !parameters.has(lower))
          parameters.set(lower, bare ?? quoted?.replace(/\\(.)/g, '$1') ?? '');
      }
      if (at === header.length || header[at] === ',') found.push({ name, parameters });
    }
    const comma = header.indexOf(',', at);
    if (comma < 0) break;
    at = comma + 1;
  }
  return found;
}

/** Is text of that type UTF-8? It is where nothing is said, and nothing else is read or written here. */
export function isUtf8({ parameters }: MediaType): boolean {
  const charset = parameters.get('charset')?.toLowerCase();
  return charset === undefined || charset === 'utf-8' || charset === 'utf8';
}
