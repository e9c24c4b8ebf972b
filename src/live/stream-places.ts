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
   * Takes one, or as many as a stream weighs. @returns gives them back; must be called once
   * @throws `RATE_LIMITED` or `UNAVAILABLE`
   */
  take(caller: string, weight?: number): () => void;
}

/** When it is worth asking again for a place, in seconds: nobody knows when others leave. */
const retryAfterSeconds = 10;

export function createStreamPlaces({ max, maxPerCaller }: StreamPlacesOptions): StreamPlaces {
  /** Only callers that have some. */
  const taken = new Map<string, number>();
  let all = 0;
  return {
    take(caller, weight = 1) {
      const own = taken.get(caller) ?? 0;
      if (own + weight > maxPerCaller) {
        const counted = weight > 1 ? ` This one counts as ${weight}, for the size of its filter.` : '';
        const says = `Over the limit of ${maxPerCaller} live streams of one caller at once.${counted}`;
        throw gatewayError('RATE_LIMITED', says, { retryAfterSeconds });
      }
      if (all + weight > max) {
        throw gatewayError('UNAVAILABLE', 'All live streams of this gateway are taken.', { retryAfterSeconds });
      }
      all += weight;
      taken.set(caller, own + weight);
      return () => {
        all -= weight;
        const rest = (taken.get(caller) ?? weight) - weight;
        if (rest <= 0) taken.delete(caller);
        else taken.set(caller, rest);
      };
    },
  };
}
