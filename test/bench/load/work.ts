/** How a contestant is spoken to: as a GraphQL gateway, or as the bare proxy that is the floor. */
export type Dialect = 'graphql' | 'floor';

/** How an operation of GraphQL is sent. */
export type Transport = 'POST' | 'GET' | 'WebSocket';

export interface WorkRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `null`: a GET. */
  readonly body: string | null;
}

/** One kind of request; each of them has a body that was never sent before. */
export interface Work {
  readonly id: string;
  readonly title: string;
  /** Most CPU time per request, in multiples of the floor's. */
  readonly goal: number;
  /** So many requests in turn differ in what is known of them by and by: texts, digests, coins. */
  readonly variants: number;
  /** Is it one call upstream with the client's body, so that any reverse proxy can do it? */
  readonly isForwarded: boolean;
  /** How far answers to one variant may differ in length, in bytes: ids count up, times pass. */
  readonly lengthSlack: number;
  /** Requests in a slice, where the gateway remembers each of them for minutes, and so a bounded number. Left out: by time. */
  readonly sliceRequests?: number;
  /** Is it also measured as a GET and over WebSocket? */
  readonly overTransports?: boolean;
  /** Can nobody do it but the gateway, and those who forward it to the sponsor? */
  readonly isForGatewayAlone?: boolean;
  /** What has to be asked before, because its answer goes into the request. It is not measured. `null`: nothing. */
  readonly before?: (dialect: Dialect, serial: number) => WorkRequest | null;
  /**
   * @param serial counts the requests of one contestant
   * @param answer to what was asked before, parsed
   */
  readonly request: (dialect: Dialect, serial: number, answer?: unknown) => WorkRequest;
  /** What is wrong with an answer, `null` when nothing is. */
  readonly findFault: (dialect: Dialect, serial: number, answer: unknown) => string | null;
}
