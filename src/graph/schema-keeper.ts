import { toSchemaFingerprint } from '../ledger/schema-fingerprint.ts';
import { buildGeneration, type Generation, type GenerationOptions, SchemaCollisionError } from './generation.ts';
import { type LedgerSource, LedgerSourceReader, type SchemaCache } from './ledger-source.ts';
import { createPollSchedule } from './poll-schedule.ts';

/** Callbacks for changes of the schema. */
export interface SchemaEvents {
  replaced(generation: Generation, previous: Generation): void;
  refused(error: SchemaCollisionError): void;
  unavailable(error: unknown): void;
}

export interface SchemaKeeperOptions<Operation = unknown> extends GenerationOptions<Operation> {
  readonly cache: SchemaCache | null;
  /** Milliseconds between polls of the ledger's schema; 0 = no more after it was read, unless `refresh` requests one. */
  readonly pollMs: number;
  readonly events: SchemaEvents;
}

export interface SchemaKeeper<Operation = unknown> {
  readonly current: Generation<Operation>;
  /**
   * Polls the ledger's schema now. A poll in progress may have read the old schema, so another follows. Resolves when a poll
   * that began after the call has ended, or the keeper was stopped. Never rejects.
   */
  refresh(): Promise<void>;
  stop(): void;
}

/**
 * Holds the generation in force and replaces it when the ledger's schema changes; an unchanged schema is ignored. If the
 * ledger is unavailable at the start, the gateway serves the cached schema, or else its own schema alone, and keeps polling
 * the ledger.
 * @throws SchemaCollisionError if the first schema collides; later ones are rejected and the old one stays
 */
export async function startSchemaKeeper<Operation>(
  options: SchemaKeeperOptions<Operation>,
): Promise<SchemaKeeper<Operation>> {
  const { execute, cache, pollMs, events } = options;
  const report = (error: unknown): void => {
    if (error instanceof SchemaCollisionError) events.refused(error);
    else events.unavailable(error);
  };
  const reader = new LedgerSourceReader(execute, options.config.profile.serviceConfig, cache, report);
  let current = buildGeneration<Operation>(null, options);
  let refused: { readonly fingerprint: string; readonly error: SchemaCollisionError } | null = null;
  let isStopped = false;

  const build = (source: LedgerSource, fingerprint: string): Generation<Operation> => {
    // Known to collide: building it at every poll would block requests for nothing.
    if (refused?.fingerprint === fingerprint) throw refused.error;
    try {
      return buildGeneration(source, options);
    } catch (error) {
      if (error instanceof SchemaCollisionError) refused = { fingerprint, error };
      throw error;
    }
  };

  /**
   * Puts a schema into force, unless it already is. Builds a generation only of a new one, because building blocks every
   * request.
   */
  const adopt = (source: LedgerSource): void => {
    const fingerprint = toSchemaFingerprint(source.introspection, source.service);
    const isInForce = fingerprint === current.fingerprint;
    if (isInForce && source.origin === current.origin) return;
    const previous = current;
    current = isInForce ? { ...current, origin: source.origin } : build(source, fingerprint);
    events.replaced(current, previous);
  };

  /** @throws also if the schema was adopted but the limits are missing, so that the ledger is polled again */
  const look = async (): Promise<void> => {
    const answer = await reader.ask();
    // The gateway is closing: building a generation would only delay it.
    if (isStopped) return;
    const source = await reader.toSource(answer);
    adopt(source);
    await reader.keep(source, current.fingerprint);
    if (answer.failure) throw answer.failure;
  };

  const schedule = createPollSchedule({
    poll: async () => {
      try {
        await look();
        return { hasFailed: false };
      } catch (error) {
        if (!isStopped) report(error);
        // A collision is not a failed poll: another poll soon would find the same schema.
        return { hasFailed: !(error instanceof SchemaCollisionError) };
      }
    },
    isServing: () => current.origin === 'ledger',
    pollMs,
  });

  try {
    await look();
    schedule.planNext(false);
  } catch (error) {
    if (error instanceof SchemaCollisionError) throw error;
    report(error);
    const cached = current.origin === 'none' ? await reader.readCache() : null;
    if (cached) adopt(cached);
    schedule.planNext(true);
  }

  return {
    get current() {
      return current;
    },
    refresh: schedule.request,
    stop() {
      isStopped = true;
      schedule.stop();
    },
  };
}
