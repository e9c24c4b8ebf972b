import { readFileSync } from 'node:fs';
import { buildSchema, introspectionFromSchema } from 'graphql';
import type { Config } from '../config/config.ts';
import type { Estimate } from '../generated/own.ts';
import { buildGeneration, SchemaCollisionError } from '../graph/generation.ts';
import { isJoin } from '../graph/joins/joins.ts';
import { createSchemaCache, type LedgerSource } from '../graph/ledger-source.ts';
import { createOwnSchema } from '../graph/own-schema.ts';
import { silentLedgerService } from '../ledger/ledger-service.ts';
import { createPrepareOperation } from '../operation/prepare-operation.ts';
import type { ServedGeneration } from '../operation/prepared-operation.ts';
import type { OwnFieldsUpstream } from '../upstream/upstream.ts';
import { createOwnFieldCalls } from './count-upstream-calls.ts';
import { decideEstimate, type EstimateDecision, type EstimateRequest, toEstimate } from './estimate-operation.ts';
import {
  type ExplainedSelection,
  explainCosts,
  findOffending,
  type MistakePosition,
  pageSizeOf,
  toMistakePosition,
} from './explain-document.ts';

/** An estimate, with the source of every part of the cost. */
export interface Explanation extends Estimate {
  /** `null` if the operation would be served, or is rejected as a whole. */
  readonly offending: MistakePosition | null;
  /** The document as a tree; empty if it cannot be parsed. */
  readonly tree: readonly ExplainedSelection[];
  /** The tree was cut before the end of the document. */
  readonly isTreeCut: boolean;
  readonly schema: ExplainedSchema;
}

/** The ledger schema and limits behind the explanation: cached by an earlier run, or shipped with the gateway. */
export interface ExplainedSchema {
  readonly origin: 'kept' | 'shipped';
  /** Why the cached schema is not used, if a cache file is configured. */
  readonly note: string | null;
}

/**
 * Explains what a gateway with this configuration would do with an operation. Calls no upstream.
 * @param upstreams those whose fields are ours
 * @throws SchemaCollisionError if the cached schema cannot be served
 */
export async function explainOperation(
  request: EstimateRequest,
  config: Config,
  upstreams: readonly OwnFieldsUpstream[],
): Promise<Explanation> {
  const ownSchema = createOwnSchema(upstreams);
  const build = (source: LedgerSource): ServedGeneration =>
    buildGeneration(source, {
      prepareOn: createPrepareOperation,
      ownSchema,
      execute: neverExecute,
      names: config.profile.joins,
      config,
    });
  const { generation, schema } = await chooseGeneration(build, config.settings.SCHEMA_CACHE_FILE);
  const ownFieldCalls = createOwnFieldCalls(upstreams, config);
  const calls = { schema: generation.schema, ownSchema, isJoin, ownFieldCalls };
  const judgement = decideEstimate(generation, request);
  return {
    ...toEstimate(judgement, request, generation, { cost: config.rateLimit.cost, calls }),
    ...explainDocument(judgement, request, generation),
    schema,
  };
}

function explainDocument(
  { executable, errors, usage }: EstimateDecision,
  { variables }: EstimateRequest,
  { limits }: ServedGeneration,
): Pick<Explanation, 'offending' | 'tree' | 'isTreeCut'> {
  const [error] = errors;
  if (!executable) {
    return { offending: error ? toMistakePosition(error, null) : null, tree: [], isTreeCut: false };
  }
  const pages = { variables, defaultPageSize: limits.defaultPageSize };
  const offending = error ? findOffending(error, executable, limits, pageSizeOf(pages)) : null;
  const { selections, isCut } = explainCosts({ executable, ...pages, isCounted: usage !== null, offending });
  return { offending: error ? toMistakePosition(error, offending) : null, tree: selections, isTreeCut: isCut };
}

async function chooseGeneration(
  build: (source: LedgerSource) => ServedGeneration,
  cacheFile: string | null,
): Promise<{ readonly generation: ServedGeneration; readonly schema: ExplainedSchema }> {
  let failure: unknown = 'it does not exist yet';
  if (cacheFile !== null) {
    try {
      const kept = await createSchemaCache(cacheFile, (error) => {
        failure = error;
      }).read();
      if (kept) return { generation: build(kept), schema: { origin: 'kept', note: null } };
    } catch (error) {
      if (error instanceof SchemaCollisionError) throw error;
      failure = error;
    }
  }
  const reason = failure instanceof Error ? failure.message : String(failure);
  const note = cacheFile === null ? null : `SCHEMA_CACHE_FILE is not usable: ${reason}`;
  return { generation: build(readShippedSource()), schema: { origin: 'shipped', note } };
}

/** The schema of the embedded network, with shipped limits. */
function readShippedSource(): LedgerSource {
  const text = readFileSync(new URL('../../schema/ledger.graphql', import.meta.url), 'utf8');
  return { introspection: introspectionFromSchema(buildSchema(text)), service: silentLedgerService, origin: 'cache' };
}

function neverExecute(): Promise<never> {
  return Promise.reject(new Error('an explanation asks no upstream'));
}
