/** The gateway makes a trial call within 2 s of the end of a fault. In milliseconds, with time for a busy machine. */
const graceMs = 4_000;

/** The codes with which the gateway reports a failing upstream. */
const upstreamCodes = new Set([
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_BAD_RESPONSE',
  'EXECUTION_OUTCOME_UNKNOWN',
  // Oversized responses took the memory for responses.
  'UNAVAILABLE',
]);

/** Knows when which upstream failed, so that it can tell errors caused by a fault from others. */
export function createExplainer() {
  const endedAt = new Map<string, number>();
  let faulty: string | null = null;
  let begunAt = 0;
  const failedSince = (upstream: unknown, startedAt: number): boolean =>
    upstream === faulty || (endedAt.get(String(upstream)) ?? Number.NEGATIVE_INFINITY) + graceMs > startedAt;
  return {
    /** @param upstream fails from now on; `null`: none does */
    failing(upstream: string | null): void {
      if (faulty !== null) endedAt.set(faulty, performance.now());
      if (upstream !== null && upstream !== faulty) begunAt = performance.now();
      faulty = upstream;
    },
    /** Which upstream fails, or has failed last, for how long, for the report of an error that no fault explains. */
    describe(): string {
      const seconds = (since: number) => `${((performance.now() - since) / 1_000).toFixed(1)} s`;
      if (faulty !== null) return `the ${faulty} has failed for ${seconds(begunAt)}`;
      const [last, at] = [...endedAt].sort(([, one], [, other]) => other - one)[0] ?? [];
      return last === undefined || at === undefined
        ? 'no upstream has failed'
        : `the ${last} works since ${seconds(at)}`;
    },
    /** The code of a failed request if its upstream failed meanwhile, else `null`. @param status 0 without a response */
    explain(status: number, chunks: readonly Buffer[], startedAt: number): string | null {
      // A response that the gateway had begun to stream can only be cut.
      if (status === 0) return failedSince('ledger', startedAt) ? 'cut response' : null;
      const { data, errors = [] } = parse(Buffer.concat(chunks).toString());
      // The gateway lost the sponsor's response and found the transaction in the ledger, without its effects.
      if (data?.executeTx?.effects === null && errors.length === 0)
        return failedSince('sponsor', startedAt) ? 'recovered execution' : null;
      const first = errors[0]?.extensions?.code;
      const isExplained = errors.every(
        ({ extensions }) => upstreamCodes.has(extensions?.code ?? '') && failedSince(extensions?.upstream, startedAt),
      );
      return first !== undefined && isExplained ? first : null;
    },
  };
}

interface Failed {
  readonly data?: { readonly executeTx?: { readonly effects?: unknown } | null } | null;
  readonly errors?: readonly { readonly extensions?: { readonly code?: string; readonly upstream?: string } }[];
}

function parse(text: string): Failed {
  try {
    return JSON.parse(text) as Failed;
  } catch {
    return {};
  }
}
