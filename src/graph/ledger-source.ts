import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { IntrospectionQuery } from 'graphql';
import type { NetworkProfile } from '../config/network-profile.ts';
import { fetchLedgerIntrospection } from '../ledger/fetch-ledger-schema.ts';
import type { LedgerExecutor } from '../ledger/ledger-executor.ts';
import {
  fetchLedgerService,
  type LedgerService,
  type LedgerServiceAnswer,
  silentLedgerService,
} from '../ledger/ledger-service.ts';
import { toSchemaFingerprint, toSchemaText } from '../ledger/schema-fingerprint.ts';

/** Everything that a generation is built from. */
export interface LedgerSource {
  readonly introspection: IntrospectionQuery;
  readonly service: LedgerService;
  readonly origin: 'ledger' | 'cache';
}

/** Stores the last good schema of the ledger between runs. */
export interface SchemaCache {
  read(): Promise<LedgerSource | null>;
  write(source: LedgerSource): Promise<void>;
}

/**
 * A cache in a file that is replaced atomically, so that a crash never leaves half of it. If it cannot be read or written, the
 * gateway works without a cache.
 */
export function createSchemaCache(file: string, onFailure: (error: unknown) => void): SchemaCache {
  return {
    async read() {
      try {
        const { introspection, service } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
        if (!introspection) return null;
        return {
          introspection: introspection as IntrospectionQuery,
          service: { ...silentLedgerService, ...(service as object) },
          origin: 'cache',
        };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onFailure(error);
        return null;
      }
    },
    async write({ introspection, service }) {
      // A unique name, since other processes may write the same file now.
      const written = `${file}.${randomUUID()}.new`;
      try {
        await writeFile(written, JSON.stringify({ introspection, service }));
        await rename(written, file);
      } catch (error) {
        onFailure(error);
        await rm(written, { force: true });
      }
    },
  };
}

/** A ledger's schema and limits. */
export interface LedgerAnswer extends LedgerServiceAnswer {
  readonly introspection: IntrospectionQuery;
}

/**
 * Reads the ledger's schema and limits, and completes the response from earlier ones and the cache.
 * @param onCacheFailure called for a cached schema that cannot be used
 */
export class LedgerSourceReader {
  readonly #execute: LedgerExecutor;
  readonly #names: NetworkProfile['serviceConfig'];
  readonly #cache: SchemaCache | null;
  readonly #onCacheFailure: (error: unknown) => void;
  /** The last complete response, of this run or the one before. */
  #knownService: LedgerService | null = null;
  #cachedFingerprint: string | null = null;

  constructor(
    execute: LedgerExecutor,
    names: NetworkProfile['serviceConfig'],
    cache: SchemaCache | null,
    onCacheFailure: (error: unknown) => void,
  ) {
    this.#execute = execute;
    this.#names = names;
    this.#cache = cache;
    this.#onCacheFailure = onCacheFailure;
  }

  /** Rejects without a schema. If only the limits are missing, the response has a `failure`. */
  async ask(): Promise<LedgerAnswer> {
    const introspection = await fetchLedgerIntrospection(this.#execute);
    // Takes about 20 ms: do it in this turn of the event loop, before the next response arrives.
    toSchemaText(introspection);
    return { introspection, ...(await fetchLedgerService(this.#execute, introspection, this.#names)) };
  }

  /** If the limits are missing, the last known ones are used, of this run or the one before. */
  async toSource({ introspection, service, failure }: LedgerAnswer): Promise<LedgerSource> {
    if (!failure) this.#knownService = service;
    else if (!this.#knownService) await this.readCache();
    return { introspection, service: this.#knownService ?? service, origin: 'ledger' };
  }

  /** The cached schema; `null` if there is none that can be used. Never rejects. */
  async readCache(): Promise<LedgerSource | null> {
    try {
      const cached = (await this.#cache?.read()) ?? null;
      if (!cached) return null;
      this.#cachedFingerprint = toSchemaFingerprint(cached.introspection, cached.service);
      this.#knownService = cached.service;
      return cached;
    } catch (error) {
      this.#onCacheFailure(error);
      return null;
    }
  }

  /** Writes a source to the cache, unless it is there already, or its limits are guesses. */
  async keep(source: LedgerSource, fingerprint: string): Promise<void> {
    if (!this.#knownService || fingerprint === this.#cachedFingerprint) return;
    await this.#cache?.write(source);
    this.#cachedFingerprint = fingerprint;
  }
}
