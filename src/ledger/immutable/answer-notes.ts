import type { CachedAnswer } from './answer-memory.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A request with this header, whatever its value, asks for the source of the response. */
export const showSourceHeader = 'x-gateway-show-source';
/** The source of the response: `memory`, or `fresh` if any operation was executed. */
export const sourceHeader = 'x-gateway-source';

/** Request headers that may distinguish callers. A response to a request with any of them is not public. */
const personalHeaders = ['authorization', 'x-api-key', 'cookie', showSourceHeader] as const;

/** The header as name and value; empty unless requested. */
export function toSourceHeaders(
  headers: Headers,
  operations: readonly { readonly from?: 'memory' }[],
): readonly string[] {
  if (headers[showSourceHeader] === undefined) return [];
  const isFromMemory = operations.length > 0 && operations.every(({ from }) => from === 'memory');
  return [sourceHeader, isFromMemory ? 'memory' : 'fresh'];
}

export interface CacheableExchange {
  readonly req: { readonly method?: string | undefined; readonly headers: Headers };
  readonly res: { setHeader(name: string, value: string): unknown; removeHeader(name: string): void };
  readonly showUsage: boolean;
  readonly operations: readonly { readonly from?: 'memory' }[];
}

/** Sets the headers that depend on the response's source: for HTTP caches, and for callers that ask for it. */
export class CacheHeaders {
  readonly #exchange: CacheableExchange;
  readonly #now: () => number;
  readonly #personalAnswerHeaders: readonly string[];
  #kept: CachedAnswer | null = null;

  /**
   * @param personalAnswerHeaders response headers for this caller alone, removed from public responses
   * @param now milliseconds since the Unix epoch
   */
  constructor(exchange: CacheableExchange, personalAnswerHeaders: readonly string[], now: () => number) {
    this.#exchange = exchange;
    this.#now = now;
    this.#personalAnswerHeaders = personalAnswerHeaders;
  }

  /** Call if the response never changes. */
  onKept(kept: CachedAnswer): void {
    this.#kept = kept;
  }

  /** Sets the headers. @returns whether the caller has this response already, so that it gets 304 */
  settle(status: number, contentType: string | null): boolean {
    const { req, res, operations } = this.#exchange;
    const source = toSourceHeaders(req.headers, operations);
    if (source.length > 0) res.setHeader(source[0] ?? '', source[1] ?? '');
    const kept = this.#kept;
    if (!kept || status !== 200 || !isWholeJson(contentType) || !this.#isForAnybody()) return false;
    const freshSeconds = Math.floor((kept.untilMs - this.#now()) / 1000);
    if (freshSeconds < 1) return false;
    // Weak, because responses of different JSON media types share it.
    const tag = `W/"${kept.tag}"`;
    res.setHeader('cache-control', `public, max-age=${freshSeconds}, immutable`);
    res.setHeader('etag', tag);
    for (const name of this.#personalAnswerHeaders) res.removeHeader(name);
    const known = req.headers['if-none-match'];
    return isKnownTag(typeof known === 'string' ? known : undefined, tag);
  }

  /** Would every caller get this response at this address? */
  #isForAnybody(): boolean {
    const { req, showUsage } = this.#exchange;
    return req.method === 'GET' && !showUsage && personalHeaders.every((name) => req.headers[name] === undefined);
  }
}

/** Is the response complete? An event stream may continue. */
function isWholeJson(contentType: string | null): boolean {
  return /^application\/(?:graphql-response\+)?json\b/.test(contentType ?? '');
}

/**
 * Does the caller already have the response? Then it gets 304 without a body.
 * @param header the caller's `If-None-Match`
 * @param tag a weak tag (`W/"…"`) of the response
 */
export function isKnownTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const tagText = tag.slice('W/'.length);
  return header.split(',', 32).some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === tagText);
}
