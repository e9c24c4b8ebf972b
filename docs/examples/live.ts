import { createClient, type GatewayError, type KeyStore } from 'ledger-gateway/client';
import { LiveEvents } from './texts.ts';

/** Passes events to the app until the signal aborts. Each failure is reported and has a code. */
export async function follow(
  url: string,
  onEvent: (id: string) => void,
  report: (error: GatewayError) => void,
  store: KeyStore,
  signal?: AbortSignal,
): Promise<void> {
  const options = { store, storeKey: 'events', onRetry: report, signal };
  for await (const { data } of createClient({ url }).tail(LiveEvents, {}, options))
    if (data.liveEvents.__typename === 'LiveEventItem') onEvent(data.liveEvents.event.id);
}
