import { gatewayError } from '../errors/gateway-error.ts';

export interface StreamPlacesOptions {
  /** Streams of this process. */
  readonly max: number;
  /** Of one caller among them. */
  readonly maxPerCaller: number;
}

/** How many streams there may be at once. */
export interface StreamPlaces {
  /**
   * Takes one. @returns gives it back; must be called once
   * @throws `RATE_LIMITED` or `UNAVAILABLE`
   */
  take(caller: string): () => void;
}

/** When it is worth asking again for a place, in seconds: nobody knows when others leave. */
const retryAfterSeconds = 10;

export function createStreamPlaces({ max, maxPerCaller }: StreamPlacesOptions): StreamPlaces {
  /** Only callers that have some. */
  const taken = new Map<string, number>();
  let all = 0;
  return {
    take(caller) {
      const own = taken.get(caller) ?? 0;
      if (own >= maxPerCaller) {
        const says = `Over the limit of ${maxPerCaller} live streams of one caller at once.`;
        throw gatewayError('RATE_LIMITED', says, { retryAfterSeconds });
      }
      if (all >= max) {
        throw gatewayError('UNAVAILABLE', 'All live streams of this gateway are taken.', { retryAfterSeconds });
      }
      all += 1;
      taken.set(caller, own + 1);
      return () => {
        all -= 1;
        const rest = (taken.get(caller) ?? 1) - 1;
        if (rest === 0) taken.delete(caller);
        else taken.set(caller, rest);
      };
    },
  };
}
