import { buildLedgerSchema, fetchLedgerIntrospection } from '../subschemas/ledger/fetch-ledger-schema.ts';
import { fetchLedgerService } from '../subschemas/ledger/ledger-service.ts';
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
  /** Milliseconds between looks at the ledger's schema; 0 = never again once it was seen. */
  readonly pollMs: number;
  readonly events: SchemaEvents;
}

export interface SchemaKeeper {
  readonly current: Generation;
  /** Looks at the ledger's schema now, or joins the look under way. Never rejects. */
  refresh(): Promise<void>;
  stop(): void;
}

/** While no ledger schema is known, how long to wait before the next try, in milliseconds: doubling, with a ceiling. */
const firstRetryMs = 250;
const longestRetryMs = 10_000;

/**
 * Holds the generation in force and replaces it when the ledger's schema changes. A ledger that cannot be reached at start
 * costs only its own part: the last schema kept is used, or ours alone, and the ledger is asked again.
 * @throws SchemaCollisionError when the first schema seen collides; later ones are refused and the old one stays
 */
export async function startSchemaKeeper(options: SchemaKeeperOptions): Promise<SchemaKeeper> {
  const { execute, cache, pollMs, events } = options;
  let current = buildGeneration(null, options);
  let timer: NodeJS.Timeout | undefined;
  let retryMs = firstRetryMs;
  let underWay: Promise<void> | undefined;
  let stopped = false;

  const adopt = (source: LedgerSource): boolean => {
    const next = buildGeneration(source, options);
    if (next.fingerprint === current.fingerprint && next.origin === current.origin) return false;
    current = next;
    events.replaced(next);
    return true;
  };

  const look = async (): Promise<void> => {
    const introspection = await fetchLedgerIntrospection(execute);
    const service = await fetchLedgerService(execute, buildLedgerSchema(introspection));
    const source: LedgerSource = { introspection, service, origin: 'ledger' };
    if (adopt(source)) await cache?.write(source);
  };

  const schedule = (): void => {
    const waitMs = current.origin === 'ledger' ? pollMs : retryMs;
    if (stopped || waitMs === 0) return;
    retryMs = Math.min(retryMs * 2, longestRetryMs);
    timer = setTimeout(() => void refresh(), waitMs);
    timer.unref();
  };

  const report = (error: unknown): void => {
    if (error instanceof SchemaCollisionError) events.refused(error);
    else events.unavailable(error);
  };

  const refresh = (): Promise<void> => {
    clearTimeout(timer);
    underWay ??= look()
      .catch(report)
      .finally(() => {
        underWay = undefined;
        schedule();
      });
    return underWay;
  };

  try {
    await look();
  } catch (error) {
    if (error instanceof SchemaCollisionError) throw error;
    report(error);
    const kept = await cache?.read();
    if (kept) adopt({ ...kept, origin: 'cache' });
  }
  schedule();

  return {
    get current() {
      return current;
    },
    refresh,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
