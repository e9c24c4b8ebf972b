import type { Client, GatewayError, KeyStore } from 'ledger-gateway/client';
import { LiveEvents } from './texts.ts';

/** Passes events to the app until the signal aborts. Each failure is reported and has a code. */
export async function follow(
  client: Client,
  onEvent: (id: string) => void,
  report: (error: GatewayError) => void,
  store: KeyStore,
  signal?: AbortSignal,
): Promise<void> {
  const options = { store, storeKey: 'events', onRetry: report, signal };
  for await (const { data } of client.tail(LiveEvents, {}, options))
    if (data.liveEvents.__typename === 'LiveEventItem') onEvent(data.liveEvents.event.id);
}
