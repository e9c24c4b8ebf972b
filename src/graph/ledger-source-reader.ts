import type { IntrospectionQuery } from 'graphql';
import { fetchLedgerIntrospection } from '../ledger/fetch-ledger-schema.ts';
import type { LedgerExecutor } from '../ledger/ledger-executor.ts';
import { fetchLedgerService, type LedgerService, type LedgerServiceAnswer } from '../ledger/ledger-service.ts';
import { toSchemaFingerprint } from '../ledger/schema-fingerprint.ts';
import type { LedgerSource } from './generation.ts';
import type { SchemaCache } from './schema-cache.ts';

export interface LedgerSourceReaderOptions {
  readonly execute: LedgerExecutor;
  readonly cache: SchemaCache | null;
  /** Called for a cached schema that cannot be used. */
  readonly onCacheFailure: (error: unknown) => void;
}

/** What a ledger says of itself. */
export interface LedgerAnswer extends LedgerServiceAnswer {
  readonly introspection: IntrospectionQuery;
}

export interface LedgerSourceReader {
  /**
   * Asks the ledger. Rejects when it does not give its schema; if it only does not tell its limits, the answer has a
   * `failure`.
   */
  ask(): Promise<LedgerAnswer>;
  /** If the ledger did not tell its limits, those it told last are used, in this run or the one before. */
  toSource(answer: LedgerAnswer): Promise<LedgerSource>;
  /** The schema in the cache; `null` if there is none that can be used. Never rejects. */
  readCache(): Promise<LedgerSource | null>;
  /** Writes a source to the cache, unless it is there already, or its limits are guesses. */
  keep(source: LedgerSource, fingerprint: string): Promise<void>;
}

export function createLedgerSourceReader(options: LedgerSourceReaderOptions): LedgerSourceReader {
  const { execute, cache, onCacheFailure } = options;
  /** The last complete answer, of this run or the one before. */
  let knownService: LedgerService | null = null;
  let keptFingerprint: string | null = null;

  const readCache = async (): Promise<LedgerSource | null> => {
    try {
      const kept = (await cache?.read()) ?? null;
      if (!kept) return null;
      keptFingerprint = toSchemaFingerprint(kept.introspection, kept.service);
      knownService = kept.service;
      return kept;
    } catch (error) {
      onCacheFailure(error);
      return null;
    }
  };

  return {
    ask: async () => {
      const introspection = await fetchLedgerIntrospection(execute);
      return { introspection, ...(await fetchLedgerService(execute, introspection)) };
    },
    toSource: async ({ introspection, service, failure }) => {
      if (!failure) knownService = service;
      else if (!knownService) await readCache();
      return { introspection, service: knownService ?? service, origin: 'ledger' };
    },
    readCache,
    keep: async (source, fingerprint) => {
      if (!knownService || fingerprint === keptFingerprint) return;
      await cache?.write(source);
      keptFingerprint = fingerprint;
    },
  };
}
