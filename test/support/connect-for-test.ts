import { createConnections } from '../../src/server/connections.ts';
import type { Exchange } from '../../src/server/exchange.ts';
import { createBytesInFlight } from '../../src/server/read-body.ts';

/** The connections of a server that trusts no proxy. */
export function connectForTest(onEnd: (exchange: Exchange) => void = () => {}) {
  const addresses = {
    networkOf: ({ remoteAddress }: { readonly remoteAddress: string }) => remoteAddress,
    isProxy: () => false,
  };
  return createConnections({ addresses, bytesInFlight: createBytesInFlight(1_000), onEnd });
}
