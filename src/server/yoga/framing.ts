/** How the parts of a stream are written into the body of an answer. */
export interface Framing {
  readonly headers: Readonly<Record<string, string>>;
  /** Sent at once, so that the client sees the stream open. @param againMs when to ask again; left out: soon */
  begin(againMs?: number): string;
  /** Sent every so often, by which both sides notice that the other is gone. */
  readonly beat: string;
  /** @param place where the client goes on behind it; `null` = nobody knows */
  next(json: string, place: string | null): string;
  /** Where the client goes on, though nothing was told; `null` if it cannot be told so. */
  place(place: string): string | null;
  readonly end: string;
}

/** Nobody keeps it, and nobody between compresses it: what compresses collects first. */
const streamHeaders = {
  'cache-control': 'private, no-store, no-transform',
  // Proxies that collect answers would hold back each event until others fill their buffer.
  'x-accel-buffering': 'no',
};

const eventStreamHeaders = { 'content-type': 'text/event-stream', ...streamHeaders };

/** Clients that connect again by themselves do so after a time between these, in milliseconds, and not all at once. */
const retryMs = { from: 1_000, to: 3_000 };

/**
 * Server-sent events (HTML standard, section 9.2), as the "distinct connections mode" of GraphQL over SSE names them. An
 * `EventSource` keeps the last `id`, and sends it back when it connects again.
 */
export const eventFraming: Framing = {
  headers: eventStreamHeaders,
  begin: (againMs = retryMs.from + Math.random() * (retryMs.to - retryMs.from)) =>
    `retry: ${Math.round(againMs)}\n:\n\n`,
  beat: ':\n\n',
  next: (json, place) => `event: next\n${place === null ? '' : `id: ${place}\n`}data: ${json}\n\n`,
  place: (place) => `id: ${place}\n\n`,
  end: 'event: complete\ndata:\n\n',
};

/** The type that a client asks for, with this parameter, that reads subscriptions as parts of one answer. */
export const multipartType = 'multipart/mixed;subscriptionspec=1.0';

const boundary = 'graphql';
const toPart = (json: string) => `\r\ncontent-type: application/json\r\n\r\n${json}\r\n--${boundary}`;

/**
 * Apollo's protocol of subscriptions as parts of a `multipart/mixed` answer. The boundary that ends a part is sent with it,
 * since clients wait for it.
 */
export const multipartFraming: Framing = {
  headers: { 'content-type': `multipart/mixed; boundary="${boundary}"; subscriptionSpec=1.0`, ...streamHeaders },
  begin: () => `\r\n--${boundary}`,
  beat: toPart('{}'),
  next: (json) => toPart(`{"payload":${json}}`),
  place: () => null,
  end: '--\r\n',
};
