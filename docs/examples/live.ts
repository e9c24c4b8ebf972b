import { createClient, GatewayError } from 'ledger-gateway/client';
import { LiveEvents } from './texts.ts';

/** Passes events to the app until the signal aborts. Each failure is reported and has a code. */
export async function follow(
  url: string,
  onEvent: (id: string) => void,
  report: (error: GatewayError) => void,
  signal?: AbortSignal,
): Promise<void> {
  const client = createClient({ url });
  let after: string | null = null; // store it to continue after a reload
  while (!signal?.aborted) {
    try {
      for await (const { data, cursor } of client.tail(LiveEvents, {}, { after, signal, onRetry: report })) {
        if (data.liveEvents.__typename === 'LiveEventItem') onEvent(data.liveEvents.event.id);
        after = cursor;
      }
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'CURSOR_KEY_UNKNOWN') throw error;
      report(error); // without CURSOR_KEYS, a restarted gateway rejects older cursors: continue from now
      after = null;
    }
  }
}
