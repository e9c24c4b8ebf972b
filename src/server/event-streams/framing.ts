/** How the results of a stream are written into the body of an answer. */
export interface Framing {
  readonly headers: Readonly<Record<string, string>>;
  /** Sent at once, so that the client sees the stream open. @param retryMs when to reconnect after the end; left out: soon */
  begin(retryMs?: number): string;
  /** Sent every so often, so that both sides notice that the other is gone. */
  readonly beat: string;
  /** @param cursor to resume behind the result; `null` = it has none */
  next(json: string, cursor: string | null): string;
  /** Tells the client its cursor without a result; `null` if the framing cannot. */
  readonly cursor: ((cursor: string) => string) | null;
  readonly end: string;
}

/** Caches keep no stream, and proxies neither collect nor compress one: both would hold back events. */
const streamHeaders = { 'cache-control': 'private, no-store, no-transform', 'x-accel-buffering': 'no' };

/** Clients reconnect after a random time between these, in milliseconds, so that they do not all come at once. */
const retryMs = { from: 1_000, to: 3_000 };

/**
 * Server-sent events (HTML standard, section 9.2), named as in the "distinct connections mode" of GraphQL over SSE. An
 * `EventSource` keeps the last `id`, and sends it as `Last-Event-ID` when it reconnects.
 */
export const eventFraming: Framing = {
  headers: { 'content-type': 'text/event-stream', ...streamHeaders },
  begin: (againMs = retryMs.from + Math.random() * (retryMs.to - retryMs.from)) =>
    `retry: ${Math.round(againMs)}\n:\n\n`,
  beat: ':\n\n',
  next: (json, cursor) => `event: next\n${cursor === null ? '' : `id: ${cursor}\n`}data: ${json}\n\n`,
  cursor: (cursor) => `id: ${cursor}\n\n`,
  end: 'event: complete\ndata:\n\n',
};

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
  cursor: null,
  end: '--\r\n',
};

/** The entry of a negotiated Accept header by which a client asks for Apollo's protocol. */
export const multipartType = 'multipart/mixed;subscriptionspec=1.0';

/** The framing that a client accepts first; `null` = none. @param accept as `readAccept` normalises it */
export function chooseFraming(accept = ''): Framing | null {
  for (const type of accept.split(', ')) {
    if (type === 'text/event-stream') return eventFraming;
    if (type === multipartType) return multipartFraming;
  }
  return null;
}
