import { gatewayError } from '../errors/gateway-error.ts';

export interface SocketPlacesOptions {
  /** WebSockets of this process. */
  readonly max: number;
  /** Of one client address among them. */
  readonly maxPerAddress: number;
}

/** How many WebSockets there may be at once. */
export interface SocketPlaces {
  /** Why a network gets no place; `null` when it does. */
  refusalFor(network: string): ReturnType<typeof gatewayError> | null;
  /** Takes one. @returns gives it back; safe to call twice */
  take(network: string): () => void;
}

/** When it is worth asking again for a place, in seconds: nobody knows when others leave. */
const retryAfterSeconds = 10;

export function createSocketPlaces({ max, maxPerAddress }: SocketPlacesOptions): SocketPlaces {
  /** Only networks that have some. */
  const taken = new Map<string, number>();
  let all = 0;
  return {
    refusalFor(network) {
      if ((taken.get(network) ?? 0) >= maxPerAddress) {
        const message = `Over the limit of ${maxPerAddress} WebSockets of one address at once.`;
        return gatewayError('RATE_LIMITED', message, { retryAfterSeconds });
      }
      if (all < max) return null;
      return gatewayError('UNAVAILABLE', 'All WebSockets of this gateway are taken.', { retryAfterSeconds });
    },
    take(network) {
      all += 1;
      taken.set(network, (taken.get(network) ?? 0) + 1);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        all -= 1;
        const rest = (taken.get(network) ?? 1) - 1;
        if (rest === 0) taken.delete(network);
        else taken.set(network, rest);
      };
    },
  };
}
