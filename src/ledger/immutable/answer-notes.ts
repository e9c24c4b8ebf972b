import type { CachedAnswer } from './answer-memory.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** With this header, whatever its value, a request asks where its answer is from. */
export const showSourceHeader = 'x-gateway-show-source';
/** Says where it is from: `memory`, or `fresh` if any operation was executed. */
export const sourceHeader = 'x-gateway-source';

/** Request headers that may distinguish callers. With any of them, the answer is not public. */
const personalHeaders = ['authorization', 'x-api-key', 'cookie', showSourceHeader] as const;

/** The header as name and value; empty unless the request asks for it. */
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

/** Sets the headers of an answer that depend on where it is from: for caches, and for callers that ask for its source. */
export class CacheHeaders {
  readonly #exchange: CacheableExchange;
  readonly #now: () => number;
  readonly #personalAnswerHeaders: readonly string[];
  #kept: CachedAnswer | null = null;

  /**
   * @param personalAnswerHeaders response headers for this caller alone, removed from public answers
   * @param now milliseconds since the Unix epoch
   */
  constructor(exchange: CacheableExchange, personalAnswerHeaders: readonly string[], now: () => number) {
    this.#exchange = exchange;
    this.#now = now;
    this.#personalAnswerHeaders = personalAnswerHeaders;
  }

  /** To be called if the answer never changes. */
  onKept(kept: CachedAnswer): void {
    this.#kept = kept;
  }

  /** Sets the headers. @returns whether the caller has this very answer already, so that it gets 304 */
  settle(status: number, contentType: string | null): boolean {
    const { req, res, operations } = this.#exchange;
    const source = toSourceHeaders(req.headers, operations);
    if (source.length > 0) res.setHeader(source[0] ?? '', source[1] ?? '');
    const kept = this.#kept;
    if (!kept || status !== 200 || !isWholeJson(contentType) || !this.#isForAnybody()) return false;
    const freshSeconds = Math.floor((kept.untilMs - this.#now()) / 1000);
    if (freshSeconds < 1) return false;
    // Weak: it is the same answer whichever JSON type it is sent as.
    const tag = `W/"${kept.tag}"`;
    res.setHeader('cache-control', `public, max-age=${freshSeconds}, immutable`);
    res.setHeader('etag', tag);
    for (const name of this.#personalAnswerHeaders) res.removeHeader(name);
    const known = req.headers['if-none-match'];
    return isKnownTag(typeof known === 'string' ? known : undefined, tag);
  }

  /** Would every caller get this answer at this address? */
  #isForAnybody(): boolean {
    const { req, showUsage } = this.#exchange;
    return req.method === 'GET' && !showUsage && personalHeaders.every((name) => req.headers[name] === undefined);
  }
}

/** Is the answer complete? An event stream may go on after it. */
function isWholeJson(contentType: string | null): boolean {
  return /^application\/(?:graphql-response\+)?json\b/.test(contentType ?? '');
}

/**
 * Does the caller already hold the answer? Then it gets 304 without a body.
 * @param header the caller's `If-None-Match`
 * @param tag a weak tag (`W/"…"`) of the answer
 */
export function isKnownTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const bare = tag.slice('W/'.length);
  return header.split(',', 32).some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === bare);
}
