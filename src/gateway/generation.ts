import { createHash } from 'node:crypto';
import { type GraphQLSchema, type IntrospectionQuery, lexicographicSortSchema, printSchema } from 'graphql';
import type { NetworkProfile } from '../config/network-profile.ts';
import { buildLedgerSchema } from '../subschemas/ledger/fetch-ledger-schema.ts';
import type { LedgerExecutor } from '../subschemas/ledger/ledger-executor.ts';
import type { RequestLimits } from '../subschemas/ledger/request-limits.ts';
import { findCollisions } from './find-collisions.ts';
import { stitch } from './stitch.ts';

/**
 * Everything that depends on the ledger's schema, made once and never changed. A new ledger schema makes a new
 * generation; operations in flight finish on theirs.
 */
export interface Generation {
  readonly schema: GraphQLSchema;
  /** Where the ledger's part came from; `none` while the ledger has not been reached yet. */
  readonly origin: 'ledger' | 'cache' | 'none';
  /** Tells two ledger schemas apart. */
  readonly fingerprint: string;
  readonly missingJoins: ReadonlyMap<string, string>;
}

/** The ledger's schema collides with ours: nothing was merged. */
export class SchemaCollisionError extends Error {
  override readonly name = 'SchemaCollisionError';
  readonly collisions: readonly string[];

  constructor(collisions: readonly string[]) {
    super(`The ledger's schema collides with the gateway's own:\n${collisions.map((each) => `  ${each}`).join('\n')}`);
    this.collisions = collisions;
  }
}

export interface LedgerSource {
  readonly introspection: IntrospectionQuery;
  readonly limits: RequestLimits;
  readonly origin: 'ledger' | 'cache';
}

export interface GenerationOptions {
  readonly local: GraphQLSchema;
  readonly execute: LedgerExecutor;
  readonly names: NetworkProfile['joins'];
}

/**
 * Builds the generation of a ledger schema, or the one with our own part alone.
 * @throws SchemaCollisionError when a name means something in both
 */
export function buildGeneration(source: LedgerSource | null, { local, execute, names }: GenerationOptions): Generation {
  if (!source) return { ...stitch({ local, ledger: null, execute, names }), origin: 'none', fingerprint: 'none' };
  const schema = buildLedgerSchema(source.introspection);
  const collisions = findCollisions(local, schema);
  if (collisions.length > 0) throw new SchemaCollisionError(collisions);
  return {
    ...stitch({ local, ledger: { schema, limits: source.limits }, execute, names }),
    origin: source.origin,
    fingerprint: fingerprintOf(schema, source.limits),
  };
}

function fingerprintOf(schema: GraphQLSchema, limits: RequestLimits): string {
  const text = printSchema(lexicographicSortSchema(schema)) + JSON.stringify(limits);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
