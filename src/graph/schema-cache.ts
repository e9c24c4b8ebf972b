import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { IntrospectionQuery } from 'graphql';
import { type LedgerService, silentLedgerService } from '../ledger/ledger-service.ts';

/** Everything that a generation is built from. */
export interface LedgerSource {
  readonly introspection: IntrospectionQuery;
  readonly service: LedgerService;
  readonly origin: 'ledger' | 'cache';
}

export type SchemaCache = ReturnType<typeof createSchemaCache>;

/**
 * Stores the last good schema of the ledger between runs, in a file that is replaced atomically, so that a crash never leaves
 * half of it. If it cannot be read or written, the gateway works without a cache.
 */
export function createSchemaCache(file: string, onFailure: (error: unknown) => void) {
  return {
    async read(): Promise<LedgerSource | null> {
      try {
        const { introspection, service } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
        const { __schema: schema } = (introspection ?? {}) as Partial<IntrospectionQuery>;
        if (!Array.isArray(schema?.types)) throw new Error('it does not hold the result of an introspection');
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
    async write({ introspection, service }: LedgerSource): Promise<void> {
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
