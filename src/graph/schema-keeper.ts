import { fetchLedgerIntrospection } from '../subschemas/ledger/fetch-ledger-schema.ts';
import { fetchLedgerService, type LedgerService } from '../subschemas/ledger/ledger-service.ts';
import { toSchemaFingerprint } from '../subschemas/ledger/schema-fingerprint.ts';
import {
  buildGeneration,
  type Generation,
  type GenerationOptions,
  type LedgerSource,
  SchemaCollisionError,
} from './generation.ts';

/** Where the last good ledger schema is kept between runs. */
export interface SchemaCache {
  read(): Promise<LedgerSource | null>;
  write(source: LedgerSource): Promise<void>;
}

/** What the keeper has to say, for the log. */
export interface SchemaEvents {
  replaced(generation: Generation): void;
  refused(error: SchemaCollisionError): void;
  unavailable(error: unknown): void;
}

export interface SchemaKeeperOptions extends GenerationOptions {
  readonly cache: SchemaCache | null;
  /** Milliseconds between looks at the ledger's schema; 0 = never again once it was seen, unless `refresh` asks for it. */
  readonly pollMs: number;
  readonly events: SchemaEvents;
}

export interface SchemaKeeper {
  readonly current: Generation;
  /**
   * Looks at the ledger's schema now; while a look is under way, which may have seen what was before, again after it.
   * Resolves when a look that began after the call has ended, or the keeper was stopped. Never rejects.
   */
  refresh(): Promise<void>;
  stop(): void;
}

/** How long to wait after a look that failed, in milliseconds: doubling, with a ceiling. */
const firstRetryMs = 250;
/** The ceiling while no schema of the ledger's own is in force: everybody waits for it. */
const longestRetryMs = 10_000;
/** The ceiling while there is one that is not polled: what is in force may be all that there is to know. */
const longestServingRetryMs = 60_000;
/**
 * Between a look and the one that was asked for meanwhile, in milliseconds. While a ledger is replaced instance by
 * instance each look may find both versions, and would ask for the next.
 */
const followUpMs = 1_000;

/**
 * Holds the generation in force and replaces it when the ledger's schema changes. A ledger that cannot be reached at start
 * costs only its own part: the last schema kept is used, or ours alone, and the ledger is asked again.
 * @throws SchemaCollisionError when the first schema seen collides; later ones are refused and the old one stays
 */
export async function startSchemaKeeper(options: SchemaKeeperOptions): Promise<SchemaKeeper> {
  const { execute, cache, pollMs, events } = options;
  let current = buildGeneration(null, options);
  /** What the ledger last said of its service in full, in this run or the one before. */
  let knownService: LedgerService | null = null;
  let refused: { readonly fingerprint: string; readonly error: SchemaCollisionError } | null = null;
  let keptFingerprint: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  let retryMs = firstRetryMs;
  let isLooking = false;
  let stopped = false;
  /** Those whom no look has served yet that began after they asked. */
  let waiting: (() => void)[] = [];

  /** Builds only what has not been seen: a build holds up every request. */
  const adopt = (source: LedgerSource): void => {
    const { introspection, service, origin } = source;
    const fingerprint = toSchemaFingerprint(introspection, service);
    if (fingerprint === current.fingerprint) {
      if (origin === current.origin) return;
      current = { ...current, origin };
    } else {
      if (refused?.fingerprint === fingerprint) throw refused.error;
      try {
        current = buildGeneration(source, options);
      } catch (error) {
        if (error instanceof SchemaCollisionError) refused = { fingerprint, error };
        throw error;
      }
    }
    events.replaced(current);
  };

  const report = (error: unknown): void => {
    if (error instanceof SchemaCollisionError) events.refused(error);
    else events.unavailable(error);
  };

  /** What cannot be made sense of costs the cache, not the service. */
  const readCache = async (): Promise<LedgerSource | null> => {
    try {
      const kept = (await cache?.read()) ?? null;
      if (!kept) return null;
      keptFingerprint = toSchemaFingerprint(kept.introspection, kept.service);
      knownService = kept.service;
      return kept;
    } catch (error) {
      report(error);
      return null;
    }
  };

  /** @throws also when only the ledger's limits are not to be had: then those known stay, which may be the shipped ones */
  const look = async (): Promise<void> => {
    const introspection = await fetchLedgerIntrospection(execute);
    const { service: said, failure } = await fetchLedgerService(execute, introspection);
    // What a service that is closing would be built on is nobody's any more.
    if (stopped) return;
    if (!failure) knownService = said;
    else if (!knownService) await readCache();
    const source: LedgerSource = { introspection, service: knownService ?? said, origin: 'ledger' };
    adopt(source);
    if (knownService && current.fingerprint !== keptFingerprint) {
      await cache?.write(source);
      keptFingerprint = current.fingerprint;
    }
    if (failure) throw failure;
  };

  const schedule = (hasFailed: boolean): void => {
    clearTimeout(timer);
    const isServing = current.origin === 'ledger';
    if (!hasFailed) retryMs = firstRetryMs;
    let waitMs = pollMs;
    if (waiting.length > 0) waitMs = followUpMs;
    else if (hasFailed || !isServing) {
      waitMs = Math.min(retryMs, isServing ? pollMs || longestServingRetryMs : longestRetryMs);
      retryMs = waitMs * 2;
    }
    if (stopped || waitMs === 0) return;
    timer = setTimeout(() => void lookAndSchedule(), waitMs);
    timer.unref();
  };

  const lookAndSchedule = async (): Promise<void> => {
    clearTimeout(timer);
    const served = waiting;
    waiting = [];
    isLooking = true;
    let hasFailed = false;
    try {
      await look();
    } catch (error) {
      // A schema that collides has been read: it is looked at again when it is time, not because of that.
      hasFailed = !(error instanceof SchemaCollisionError);
      if (!stopped) report(error);
    }
    isLooking = false;
    for (const tell of served) tell();
    schedule(hasFailed);
  };

  let hasFailed = false;
  try {
    await look();
  } catch (error) {
    if (error instanceof SchemaCollisionError) throw error;
    hasFailed = true;
    report(error);
    const kept = current.origin === 'none' ? await readCache() : null;
    if (kept) adopt(kept);
  }
  schedule(hasFailed);

  return {
    get current() {
      return current;
    },
    refresh: () =>
      new Promise((resolve) => {
        if (stopped) return resolve();
        waiting.push(resolve);
        // Others wait already for one that is due: it will serve all of them.
        if (!isLooking && waiting.length === 1) void lookAndSchedule();
      }),
    stop() {
      stopped = true;
      clearTimeout(timer);
      for (const tell of waiting) tell();
      waiting = [];
    },
  };
}
