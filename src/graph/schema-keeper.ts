import { fetchLedgerIntrospection } from '../ledger/fetch-ledger-schema.ts';
import { fetchLedgerService, type LedgerService } from '../ledger/ledger-service.ts';
import { toSchemaFingerprint, toSchemaText } from '../ledger/schema-fingerprint.ts';
import { buildGeneration, type Generation, type GenerationOptions } from './generation.ts';
import type { LedgerSource, SchemaCache } from './schema-cache.ts';
import { SchemaCollisionError, SchemaRefusedError } from './schema-refused-error.ts';

export interface SchemaEvents {
  /** @param previous `null` for the first one */
  replaced(generation: Generation, previous: Generation | null): void;
  /** @param isServed the valid parts of the schema are in force */
  refused(error: SchemaRefusedError, isServed: boolean): void;
  unavailable(error: unknown): void;
}

export interface SchemaKeeperOptions<Operation = unknown> extends GenerationOptions<Operation> {
  readonly cache: SchemaCache | null;
  /** Milliseconds between polls of the ledger's schema; 0 = no more after it was read, unless `refresh` requests one. */
  readonly pollMs: number;
  readonly events: SchemaEvents;
}

export type SchemaKeeper<Operation = unknown> = Awaited<ReturnType<typeof startSchemaKeeper<Operation>>>;

/** Milliseconds to wait after a failed poll. Doubles with each failure, up to one of the maxima below. */
const firstRetryMs = 250;
/** Without a schema of the ledger: clients wait for it, so keep polling often. */
const longestRetryMs = 10_000;
/** With a schema in force and polling off, the poll was probably unnecessary, so retry rarely. */
const longestServingRetryMs = 60_000;
/**
 * Milliseconds between a poll and one requested meanwhile. While a ledger is replaced instance by instance, each poll may see
 * another version and request the next poll.
 */
const followUpMs = 1_000;

/**
 * Holds the generation in force and replaces it when the ledger's schema changes; an unchanged schema is ignored. Polls the
 * ledger regularly, soon after a failure, and on request, one poll at a time. If the ledger is unavailable at the start, the
 * gateway serves the cached schema, or else its own schema alone. A schema with invalid parts is rejected if another one is in
 * force, else its valid parts are served.
 * @throws SchemaCollisionError if the first schema collides; later ones are rejected and the old one stays
 */
export async function startSchemaKeeper<Operation>(options: SchemaKeeperOptions<Operation>) {
  const { execute, cache, pollMs, events } = options;
  let refused: { readonly fingerprint: string; readonly error: SchemaRefusedError } | null = null;
  /** The ledger's limits as last read, in this run or the one before. */
  let knownService: LedgerService | null = null;
  let cachedFingerprint: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  let retryMs = firstRetryMs;
  let isPolling = false;
  let isStopped = false;
  /** Callbacks of requests that no poll has served yet. */
  let requests: (() => void)[] = [];

  const keeper = {
    /** `null` until a schema was read, or the start has failed to read one. */
    current: null as Generation<Operation> | null,
    /** Why the ledger's schema, as last read, is not in force, or not all of it; empty if it is. */
    get faults(): readonly string[] {
      return refused?.error.faults ?? keeper.current?.faults ?? [];
    },
    /**
     * Polls the ledger's schema now. A poll in progress may have read the old schema, so another follows. Resolves when a poll
     * that began after the call has ended, or the keeper was stopped. Never rejects.
     */
    refresh: () =>
      new Promise<void>((resolve) => {
        if (isStopped) return resolve();
        requests.push(resolve);
        // The poll scheduled by an earlier request serves this one too.
        if (!isPolling && requests.length === 1) void poll();
      }),
    stop(): void {
      isStopped = true;
      clearTimeout(timer);
      for (const resolve of requests) resolve();
      requests = [];
    },
  };

  try {
    await look();
    planNext(false);
  } catch (error) {
    if (error instanceof SchemaCollisionError) throw error;
    report(error);
    const cached = keeper.current ? null : await readCache();
    if (cached) adoptCached(cached);
    planNext(!(error instanceof SchemaRefusedError));
  }

  // Not needed if the ledger has answered.
  keeper.current ??= buildGeneration<Operation>(null, options);
  return keeper as Omit<typeof keeper, 'current'> & { readonly current: Generation<Operation> };

  /** @throws also if the schema was adopted but the limits are missing, so that the ledger is polled again */
  async function look(): Promise<void> {
    const introspection = await fetchLedgerIntrospection(execute);
    // Takes about 20 ms: do it in this turn of the event loop, before the next response arrives.
    toSchemaText(introspection);
    const { service, failure } = await fetchLedgerService(execute, introspection, options.config.profile.serviceConfig);
    // The gateway is closing: building a generation would only delay it.
    if (isStopped) return;
    if (!failure) knownService = service;
    else if (!knownService) await readCache();
    const source: LedgerSource = { introspection, service: knownService ?? service, origin: 'ledger' };
    const { fingerprint, faults } = adopt(source);
    // Limits that are still unknown are guesses, which must not be cached.
    if (knownService && fingerprint !== cachedFingerprint && faults.length === 0) {
      await cache?.write(source);
      cachedFingerprint = fingerprint;
    }
    if (failure) throw failure;
  }

  /** The cached schema; `null` if there is none that can be used. Never rejects. */
  async function readCache(): Promise<LedgerSource | null> {
    try {
      const cached = (await cache?.read()) ?? null;
      if (!cached) return null;
      cachedFingerprint = toSchemaFingerprint(cached.introspection, cached.service);
      knownService = cached.service;
      return cached;
    } catch (error) {
      report(error);
      return null;
    }
  }

  /**
   * Puts a schema into force, unless it already is. Builds a generation only of a new one, because building blocks every
   * request.
   */
  function adopt(source: LedgerSource): Generation<Operation> {
    const fingerprint = toSchemaFingerprint(source.introspection, source.service);
    const previous = keeper.current;
    const isInForce = fingerprint === previous?.fingerprint;
    if (isInForce) refused = null;
    if (isInForce && source.origin === previous.origin) return previous;
    const made = isInForce ? { ...previous, origin: source.origin } : build(source, fingerprint);
    keeper.current = made;
    events.replaced(made, previous);
    if (!isInForce && made.faults.length > 0) events.refused(new SchemaRefusedError(made.faults), true);
    return made;
  }

  function adoptCached(source: LedgerSource): void {
    try {
      adopt(source);
    } catch (error) {
      if (!(error instanceof SchemaRefusedError) || error instanceof SchemaCollisionError) throw error;
      report(error);
    }
  }

  function build(source: LedgerSource, fingerprint: string): Generation<Operation> {
    // Known to be refused: building it at every poll would block requests for nothing.
    if (refused?.fingerprint === fingerprint) throw refused.error;
    try {
      const made = buildGeneration(source, options);
      if (isWorse(made, keeper.current)) throw new SchemaRefusedError(made.faults);
      refused = null;
      return made;
    } catch (thrown) {
      // Nothing but the schema decides whether a generation can be built.
      const error = thrown instanceof SchemaRefusedError ? thrown : new SchemaRefusedError([String(thrown)]);
      refused = { fingerprint, error };
      throw error;
    }
  }

  function report(error: unknown): void {
    if (error instanceof SchemaRefusedError) events.refused(error, false);
    else events.unavailable(error);
  }

  async function poll(): Promise<void> {
    clearTimeout(timer);
    const served = requests;
    requests = [];
    isPolling = true;
    let hasFailed = false;
    try {
      await look();
    } catch (error) {
      if (!isStopped) report(error);
      // A refused schema is not a failed poll: another poll soon would find the same schema.
      hasFailed = !(error instanceof SchemaRefusedError);
    }
    isPolling = false;
    for (const resolve of served) resolve();
    planNext(hasFailed);
  }

  function planNext(hasFailed: boolean): void {
    clearTimeout(timer);
    const isServing = keeper.current?.origin === 'ledger';
    // Without the ledger's schema, one that is rejected is a failure too.
    if (!hasFailed && isServing) retryMs = firstRetryMs;
    let waitMs = pollMs;
    if (requests.length > 0) waitMs = followUpMs;
    else if (hasFailed || !isServing) {
      waitMs = Math.min(retryMs, isServing ? pollMs || longestServingRetryMs : longestRetryMs);
      retryMs = waitMs * 2;
    }
    if (isStopped || waitMs === 0) return;
    timer = setTimeout(() => void poll(), waitMs);
    timer.unref();
  }
}

/** Does a generation lack a part of the ledger's schema for a fault that the one in force does not have? */
function isWorse(made: Pick<Generation<unknown>, 'faults'>, inForce: Generation<unknown> | null): boolean {
  if (inForce === null || inForce.origin === 'none') return false;
  return made.faults.some((fault) => !inForce.faults.includes(fault));
}
