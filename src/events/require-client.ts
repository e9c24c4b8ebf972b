import { gatewayError } from '../errors/gateway-error.ts';
import type { EventsClient } from './events-client.ts';

/** @returns gives the client; throws `NOT_CONFIGURED`, naming the setting, where there is none */
export function createRequireClient(client: EventsClient | null, missingSetting: string): () => EventsClient {
  return () => {
    if (client) return client;
    const message = `This gateway has no events upstream: ${missingSetting} is not set.`;
    throw gatewayError('NOT_CONFIGURED', message, { upstream: 'events', setting: missingSetting });
  };
}
