/** Requests that ended without an operation, of one address and kind. */
export interface AlikeRequests {
  readonly address: string;
  readonly status: number;
  readonly codes: readonly string[];
  /** Number of those that have no line of their own. */
  count: number;
}

const everyMs = 1_000;
/** Addresses and kinds told apart in one second; all others count together. */
const maxKinds = 1_000;

/**
 * Decides which requests without an operation get a log line: the first of each address and kind in a second. The others are
 * counted, because writing lines can cost more than the requests, and anyone can send any number of them.
 * @param report called for each address and kind with requests that got no line, when the second is over
 */
export function createLineSampler(report: (alike: AlikeRequests) => void) {
  let kinds = new Map<string, AlikeRequests>();

  const end = (): void => {
    const ended = kinds;
    kinds = new Map();
    for (const alike of ended.values()) if (alike.count > 0) report(alike);
  };

  return {
    /** @returns whether the request gets a line */
    takes(address: string, path: string, status: number, codes: readonly string[] = []): boolean {
      // Clients invent paths, except those that are served.
      const kind = `${address} ${status} ${codes.join()} ${status < 400 ? path : ''}`;
      const known = kinds.get(kind);
      if (known) {
        known.count += 1;
        return false;
      }
      if (kinds.size === 0) setTimeout(end, everyMs).unref();
      if (kinds.size < maxKinds) {
        kinds.set(kind, { address, status, codes, count: 0 });
        return true;
      }
      const rest = kinds.get('') ?? { address: 'others', status: 0, codes: [], count: 0 };
      kinds.set('', rest);
      rest.count += 1;
      return false;
    },
  };
}

/** Milliseconds after which a repeated failure is logged as a warning again. */
const repeatMs = 60_000;

/** Decides which failures of a service get a log line. @param now milliseconds of any clock that only goes forward */
export function createOutageLines(now: () => number) {
  /** Services that failed lately. */
  const outages = new Map<string, { reason: string; loggedMs: number }>();
  /** Those of them that have not answered since. */
  const ongoing = new Set<string>();
  return {
    ongoing,
    /** @param reason another one counts as a new outage */
    isNewOutage(service: string, reason = ''): boolean {
      const outage = outages.get(service);
      if (outage?.reason === reason && now() - outage.loggedMs < repeatMs) return false;
      outages.set(service, { reason, loggedMs: now() });
      ongoing.add(service);
      return true;
    },
  };
}
