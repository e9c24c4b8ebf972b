import { type RepeatOptions, repeat } from './gateway-error.ts';
import { type ClientOptions, createRequests, type GraphqlDocument, type RequestOptions } from './request.ts';
import { createSponsor, type Sponsor } from './sponsor.ts';
import { type TailItem, type TailOptions, tail } from './tail.ts';

export type { RetryAdvice } from '../errors/catalogue.ts';
export {
  type ErrorEntry,
  GatewayError,
  type GatewayErrorCode,
  type RepeatOptions,
} from './gateway-error.ts';
export type { ClientOptions, GraphqlDocument, RequestOptions, TypedDocument } from './request.ts';
export type {
  GasReservation,
  KeyStore,
  KindOptions,
  ReservationOptions,
  SharedSponsorOptions,
  SignedTransaction,
  Sponsor,
  SponsoredTransaction,
  SponsorForm,
  SponsorOptions,
  SponsorResult,
  SponsorStep,
  StoreOptions,
} from './sponsor.ts';
export { sponsorDocuments } from './sponsor.ts';
export type { TailItem, TailOptions } from './tail.ts';

/** Variables may be left out if the document requires none. */
export type VariablesAnd<Variables, Options> =
  Record<never, never> extends Variables
    ? [variables?: Variables, options?: Options]
    : [variables: Variables, options?: Options];

interface PageInfo {
  readonly hasNextPage: boolean;
  readonly endCursor?: string | null;
  readonly hasPreviousPage: boolean;
  readonly startCursor?: string | null;
}

/** A Relay connection with the page info that leads to the next page. */
export interface Connection {
  readonly pageInfo: Pick<PageInfo, 'hasNextPage' | 'endCursor'> | Pick<PageInfo, 'hasPreviousPage' | 'startCursor'>;
}

export interface Client {
  /**
   * Sends a query or a mutation once.
   * @throws GatewayError for any error in the response; its `data` is the partial result
   */
  request<Data = unknown, Variables = Readonly<Record<string, unknown>>>(
    document: GraphqlDocument<Data, Variables>,
    ...rest: VariablesAnd<Variables, RequestOptions>
  ): Promise<Data>;
  /**
   * The pages of a connection: forwards if the document has the variable `$after`, otherwise backwards with `$before`. Requests
   * are repeated as the gateway advises.
   * @param select the connection in the result
   */
  pages<Data, Variables, Page extends Connection>(
    document: GraphqlDocument<Data, Variables>,
    variables: Variables,
    select: (data: Data) => Page | null | undefined,
    options?: RepeatOptions,
  ): AsyncGenerator<Page, void>;
  /**
   * The results of a subscription. After a disconnect, the tail reconnects and continues with the next result. Ends when
   * `signal` aborts.
   * @throws GatewayError for an error that must not be repeated, such as a rejected cursor without `store`
   */
  tail<Data = unknown, Variables = Readonly<Record<string, unknown>>>(
    document: GraphqlDocument<Data, Variables>,
    ...rest: VariablesAnd<Variables, TailOptions>
  ): AsyncGenerator<TailItem<Data>, void>;
  /**
   * Reserves gas for a transaction, or completes its `kind`, has it signed and executes it: once, however often requests are
   * repeated or the page is reloaded.
   * @throws GatewayError, or the error of `sign`
   */
  readonly sponsor: Sponsor;
}

export function createClient(options: ClientOptions): Client {
  const requests = createRequests(options);
  const { request, toText } = requests;

  async function* pages(
    document: GraphqlDocument<unknown, unknown>,
    variables: unknown,
    select: (data: never) => Connection | null | undefined,
    repeatOptions: RepeatOptions = {},
  ) {
    const name = /\$after\b/.test(toText(document)) ? 'after' : 'before';
    let next: string | null | undefined | false;
    do {
      const current = next ? { ...(variables as object), [name]: next } : variables;
      const data = await repeat(() => request(document, current, repeatOptions), repeatOptions);
      const page = select(data as never);
      if (!page) return;
      yield page;
      const { hasNextPage, endCursor, hasPreviousPage, startCursor } = page.pageInfo as PageInfo;
      next = name === 'after' ? hasNextPage && endCursor : hasPreviousPage && startCursor;
    } while (next);
  }

  return {
    request,
    pages,
    tail: (document: unknown, variables?: unknown, tailOptions?: TailOptions) =>
      tail(requests, document, variables, tailOptions),
    sponsor: createSponsor(requests),
  } as Client;
}
