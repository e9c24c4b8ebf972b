import {
  type ErrorEntry,
  GatewayError,
  type GraphqlResult,
  type RepeatOptions,
  toDelayMs,
  wait,
} from './gateway-error.ts';
import { type Requests, readResult, throwNetworkError } from './request.ts';
import type { KeyStore } from './sponsor.ts';

export interface TailOptions extends RepeatOptions {
  /** The `cursor` of the last processed item. Without it, the tail begins at the stored cursor, or now. */
  readonly after?: string | null | undefined;
  /**
   * Keeps the cursor up to which items were processed, such as `localStorage`. If the gateway rejects the cursor, the tail
   * reports the error to `onRetry`, drops the cursor and continues from now.
   */
  readonly store?: KeyStore;
  /** Key of the cursor in the store. Give each subscription its own key. */
  readonly storeKey?: string;
}

/** One result of a subscription. */
export interface TailItem<Data> {
  readonly data: Data;
  /** Errors of joins within the item. */
  readonly errors: readonly ErrorEntry[];
  /** Pass it as `after` to continue with the next item; `null` for subscriptions of the ledger itself. */
  readonly cursor: string | null;
}

/** The gateway sends a comment every 15 s. Without any for this time, the connection is lost. */
const maxSilenceMs = 45_000;

export async function* tail(
  { open }: Requests,
  document: unknown,
  variables?: unknown,
  { after, store, storeKey = 'tail', signal, onRetry }: TailOptions = {},
): AsyncGenerator<TailItem<unknown>, void> {
  let cursor = after ?? (await store?.getItem(storeKey));
  let failures = 0;
  while (!signal?.aborted) {
    const connection = new AbortController();
    const leave = () => connection.abort();
    signal?.addEventListener('abort', leave);
    let timer = setTimeout(leave, maxSilenceMs);
    try {
      const headers = { accept: 'text/event-stream', ...(cursor && { 'last-event-id': cursor }) };
      const response = await open(document, variables, headers, connection.signal);
      const { body } = response;
      if (!body || !/event-stream/.test(response.headers.get('content-type') ?? ''))
        throw new GatewayError(await readResult(response));
      const reader = body.getReader();
      const decoder = new TextDecoder();
      let text = '';
      let hasMissed = false;
      while (!hasMissed) {
        clearTimeout(timer);
        // The timeout does not run while the consumer works on an item, which may take longer.
        timer = setTimeout(leave, maxSilenceMs);
        const { done, value } = await reader.read().catch(throwNetworkError);
        clearTimeout(timer);
        if (done) throwNetworkError();
        const events = (text + decoder.decode(value, { stream: true })).split('\n\n');
        text = events.pop() ?? '';
        for (const event of events) {
          const id = /^id: ?(.+)/m.exec(event)?.[1] ?? null;
          // The first event has no data: its id is the cursor at which the stream begins.
          cursor = id ?? cursor;
          const json = /^data: ?(.+)/m.exec(event)?.[1];
          if (json) {
            const { data = null, errors = [] }: GraphqlResult = JSON.parse(json);
            if (!data && !id) throw new GatewayError({ errors });
            failures = 0;
            yield { data, errors, cursor: id };
            // The cursor of a LiveMissed precedes the skipped items, which a new stream delivers.
            hasMissed = Object.values(data ?? {}).some((item) => item?.resumeAfter && item.count > 0);
          }
          if (id) await store?.setItem(storeKey, id);
          if (hasMissed) break;
        }
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (!(error instanceof GatewayError)) throw error;
      const isRejected = store && cursor && error.extensions.argument === 'Last-Event-ID';
      if (isRejected) {
        cursor = null;
        await store.removeItem(storeKey);
      } else if (error.retry === 'never') throw error;
      failures += 1;
      const delayMs = isRejected ? 0 : toDelayMs(error, failures);
      onRetry?.(error, delayMs);
      await wait(delayMs, signal);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
      leave();
    }
  }
}
