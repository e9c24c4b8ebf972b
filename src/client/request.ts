import { GatewayError, type GraphqlResult, toClientError } from './gateway-error.ts';

/** A document with the types of its result and variables, as codegen's client preset and gql.tada make them. */
export interface TypedDocument<Data, Variables> {
  __apiType?: (variables: Variables) => Data;
}

/** A `TypedDocumentString`, a parsed document, or plain text, whose result is then `unknown`. */
export type GraphqlDocument<Data, Variables> = TypedDocument<Data, Variables> | string;

type Headers = Readonly<Record<string, string>>;

export interface ClientOptions {
  /** The gateway's GraphQL endpoint, such as `https://gateway.example.net/graphql`. */
  readonly url: string;
  /** Sent with each request, such as `x-api-key`. A function is called for each request, so that it can renew a token. */
  readonly headers?: Headers | (() => Headers | Promise<Headers>);
  readonly fetch?: typeof fetch;
  /** graphql-js's `print`, for parsed documents without their text, which codegen's client preset makes by default. */
  readonly print?: (document: never) => string;
  /** Sends the ids of documents that have one instead of their text: codegen's `persistedDocuments`, gql.tada's `persisted`. */
  readonly documentIds?: boolean;
  /** A request fails after this time without a response. Default 60 s, longer than the gateway's own timeouts. */
  readonly timeoutMs?: number;
}

/** Plain text and a `TypedDocumentString` have no `kind`. */
interface ParsedDocument {
  readonly kind?: string;
  readonly loc?: { readonly source: { readonly body: string } };
}

interface TrustedDocument {
  /** Set by gql.tada. */
  readonly documentId?: string;
  /** Set by codegen. */
  readonly __meta__?: { readonly hash?: string };
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface Requests {
  readonly toText: (document: unknown) => string;
  /** @throws GatewayError if no response arrives, or the signal's reason */
  readonly open: (document: unknown, variables: unknown, headers: Headers, signal: AbortSignal) => Promise<Response>;
  /** @throws GatewayError also for an error in the response */
  readonly request: (document: unknown, variables?: unknown, options?: RequestOptions) => Promise<unknown>;
}

export function createRequests(options: ClientOptions): Requests {
  const { print = String, timeoutMs = 60_000 } = options;
  const toText: Requests['toText'] = (document) => {
    const { kind, loc } = document as ParsedDocument;
    return kind ? (loc?.source.body ?? print(document as never)) : String(document);
  };
  const toBody = (document: unknown) => {
    const { documentId, __meta__ } = document as TrustedDocument;
    const id = options.documentIds && (documentId ?? __meta__?.hash);
    return id ? { documentId: id } : { query: toText(document) };
  };

  const open: Requests['open'] = async (document, variables, headers, signal) => {
    const own = typeof options.headers === 'function' ? await options.headers() : options.headers;
    const init = {
      method: 'POST',
      headers: { ...own, ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ ...toBody(document), variables }),
      signal,
    };
    // `options.fetch(…)` would set `this`, which the browser's own fetch rejects.
    const send = options.fetch ?? fetch;
    return send(options.url, init).catch(throwNetworkError);
  };

  return {
    toText,
    open,
    async request(document, variables, { signal } = {}) {
      const limit = AbortSignal.timeout(timeoutMs);
      try {
        const accept = 'application/json';
        const response = await open(document, variables, { accept }, signal ? AbortSignal.any([signal, limit]) : limit);
        const result = await readResult(response);
        if (result.errors) throw new GatewayError(result);
        return result.data;
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
    },
  };
}

export function throwNetworkError(cause?: unknown): never {
  throw toClientError('NETWORK_ERROR', 'No response', 'same-key', cause);
}

/** @throws GatewayError if the response is incomplete or not from the gateway */
export async function readResult(response: Response): Promise<GraphqlResult> {
  const text = await response.text().catch(throwNetworkError);
  let result: GraphqlResult | null = null;
  try {
    result = JSON.parse(text);
  } catch {}
  if (result?.errors || result?.data) return result;
  // A proxy responded in place of the gateway.
  const { status } = response;
  const isTemporary = !/^4(?!08|29)/.test(`${status}`);
  throw toClientError('BAD_RESPONSE', `No GraphQL response: HTTP ${status}`, isTemporary ? 'same-key' : 'never');
}
