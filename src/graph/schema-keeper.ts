import { toSchemaFingerprint } from '../ledger/schema-fingerprint.ts';
import {
  buildGeneration,
  type Generation,
  type GenerationOptions,
  type LedgerSource,
  SchemaCollisionError,
} from './generation.ts';
import { createLedgerSourceReader } from './ledger-source-reader.ts';
import { createLookSchedule } from './look-schedule.ts';
import type { SchemaCache } from './schema-cache.ts';

/** Called at what happens to the schema. */
export interface SchemaEvents {
  replaced(generation: Generation): void;
  refused(error: SchemaCollisionError): void;
  unavailable(error: unknown): void;
}

export interface SchemaKeeperOptions<Operation = unknown> extends GenerationOptions<Operation> {
  readonly cache: SchemaCache | null;
  /** Between looks at the ledger's schema; 0 = never again once it was read, unless `refresh` asks for it. */
  readonly pollMs: number;
  readonly events: SchemaEvents;
}

export interface SchemaKeeper<Operation = unknown> {
  readonly current: Generation<Operation>;
  /**
   * Looks at the ledger's schema now. A look that is under way may have seen the schema from before, so another follows.
   * Resolves when a look that began after the call has ended, or the keeper was stopped. Never rejects.
   */
  refresh(): Promise<void>;
  stop(): void;
}

/**
 * Holds the generation in force and replaces it when the ledger's schema changes. If the ledger cannot be reached at
 * start, the gateway serves the cached schema, or else its own schema alone, and keeps asking the ledger.
 * @throws SchemaCollisionError when the first schema seen collides; later ones are refused and the old one stays
 */
export async function startSchemaKeeper<Operation>(
  options: SchemaKeeperOptions<Operation>,
): Promise<SchemaKeeper<Operation>> {
  const { execute, cache, pollMs, events } = options;
  const report = (error: unknown): void => {
    if (error instanceof SchemaCollisionError) events.refused(error);
    else events.unavailable(error);
  };
  const ledger = createLedgerSourceReader({ execute, cache, onCacheFailure: report });
  let stopped = false;
  const keeper = {
    current: buildGeneration<Operation>(null, options),
    refresh: () => schedule.request(),
    stop: () => {
      stopped = true;
      schedule.stop();
    },
  };
  const adopt = createAdopt(options, keeper);

  /** @throws also when the schema was adopted but the ledger did not tell its limits, so that it is asked again */
  const look = async (): Promise<void> => {
    const answer = await ledger.ask();
    // The gateway is closing: building a generation would only hold it up.
    if (stopped) return;
    const source = await ledger.toSource(answer);
    adopt(source);
    await ledger.keep(source, keeper.current.fingerprint);
    if (answer.failure) throw answer.failure;
  };

  const schedule = createLookSchedule({
    look: async () => {
      try {
        await look();
        return { hasFailed: false };
      } catch (error) {
        if (!stopped) report(error);
        // A collision is no failed look: looking again soon would find the same schema.
        return { hasFailed: !(error instanceof SchemaCollisionError) };
      }
    },
    isServing: () => keeper.current.origin === 'ledger',
    pollMs,
  });

  try {
    await look();
    schedule.planNext(false);
  } catch (error) {
    if (error instanceof SchemaCollisionError) throw error;
    report(error);
    const kept = keeper.current.origin === 'none' ? await ledger.readCache() : null;
    if (kept) adopt(kept);
    schedule.planNext(true);
  }

  return keeper;
}

/**
 * Builds a generation only for a schema that is new: a build blocks every request.
 * @param keeper gets it in its place
 * @returns puts a ledger schema into force, unless it is the one in force already; throws a SchemaCollisionError when it
 *   collides, and the generation in force stays
 */
function createAdopt<Operation>(
  options: SchemaKeeperOptions<Operation>,
  keeper: { current: Generation<Operation> },
): (source: LedgerSource) => void {
  let refused: { readonly fingerprint: string; readonly error: SchemaCollisionError } | null = null;

  const build = (source: LedgerSource, fingerprint: string): Generation<Operation> => {
    // Known to collide: building it at every look would block requests for nothing.
    if (refused?.fingerprint === fingerprint) throw refused.error;
    try {
      return buildGeneration(source, options);
    } catch (error) {
      if (error instanceof SchemaCollisionError) refused = { fingerprint, error };
      throw error;
    }
  };

  return (source) => {
    const { introspection, service, origin } = source;
    const fingerprint = toSchemaFingerprint(introspection, service);
    const { current } = keeper;
    const isInForce = fingerprint === current.fingerprint;
    if (isInForce && origin === current.origin) return;
    keeper.current = isInForce ? { ...current, origin } : build(source, fingerprint);
    options.events.replaced(keeper.current);
  };
}
