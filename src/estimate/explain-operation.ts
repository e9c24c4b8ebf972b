import { readFileSync } from 'node:fs';
import { buildSchema, introspectionFromSchema } from 'graphql';
import type { Config } from '../config/config.ts';
import type { TrustedDocument } from '../config/document-manifest.ts';
import type { ReadDocument } from '../documents/prepared-document.ts';
import type { Estimate } from '../generated/own.ts';
import { buildGeneration } from '../graph/generation.ts';
import { createOwnSchema } from '../graph/own-schema.ts';
import { createSchemaCache, type LedgerSource } from '../graph/schema-cache.ts';
import { SchemaCollisionError } from '../graph/schema-refused-error.ts';
import { silentLedgerService } from '../ledger/ledger-service.ts';
import { decideOperation } from '../operation/admit-operation.ts';
import { createPrepareOperation } from '../operation/prepare-operation.ts';
import type { PreparedOperation, ServedGeneration } from '../operation/prepared-operation.ts';
import type { OwnFieldsUpstream } from '../upstream/upstream.ts';
import { createOwnFieldCalls } from './count-upstream-calls.ts';
import {
  decideEstimate,
  type EstimateDecision,
  type EstimateRequest,
  toCallCounting,
  toEstimate,
} from './estimate-operation.ts';
import {
  type ExplainedSelection,
  explainCosts,
  findOffending,
  type MistakePosition,
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

/** An operation of a manifest, with its cost. */
export interface PricedDocument extends Omit<Estimate, 'limits'> {
  readonly id: string;
  /** The operation's name; `null` if it has none. */
  readonly name: string | null;
}

export interface ManifestExplanation {
  readonly documents: readonly PricedDocument[];
  readonly schema: ExplainedSchema;
}

/**
 * Explains what a gateway with this configuration would do with an operation. Calls no upstream.
 * @param upstreams those whose fields are ours
 * @throws SchemaCollisionError if the cached schema cannot be served
 */
export async function createExplanation(
  request: EstimateRequest,
  config: Config,
  upstreams: readonly OwnFieldsUpstream[],
): Promise<Explanation> {
  const { generation, schema, calls } = await openGeneration(config, upstreams);
  const judgement = decideEstimate(generation, request);
  return {
    ...toEstimate(judgement, request, generation, { cost: config.settings.RATE_LIMIT_COST, calls }),
    ...explainDocument(judgement, request, generation),
    schema,
  };
}

/**
 * Prices each operation of a manifest like `createExplanation`. Required variables without a value do not reject a document:
 * pages have their default size then.
 * @param variables values by name, for all documents
 */
export async function createManifestExplanation(
  documents: readonly TrustedDocument[],
  variables: EstimateRequest['variables'],
  config: Config,
  upstreams: readonly OwnFieldsUpstream[],
): Promise<ManifestExplanation> {
  const { generation, schema, calls } = await openGeneration(config, upstreams);
  const price = (document: TrustedDocument): readonly PricedDocument[] => {
    const read = generation.documents.read(document.text);
    const operations = read.executable?.operations ?? [];
    const names = operations.length > 1 ? operations.map(({ name }) => name?.value ?? null) : [null];
    return names.map((operationName) => {
      const request = { query: document.text, variables, operationName };
      const judgement = decideWithoutVariables(generation, request, read);
      const facts = { cost: config.settings.RATE_LIMIT_COST, calls };
      const { limits: _, ...estimate } = toEstimate(judgement, request, generation, facts);
      const name = operationName ?? operations[0]?.name?.value ?? document.name;
      // Without variables, calls cannot be counted, but the plan is known.
      const operation = read.prepared.kind === 'readable' ? read.prepared.operation(operationName) : null;
      const plan = operation && !estimate.refused ? operation.plan : null;
      return { id: document.id, name, ...estimate, plan };
    });
  };
  return { documents: documents.flatMap(price), schema };
}

function decideWithoutVariables(
  generation: ServedGeneration,
  request: EstimateRequest,
  read: ReadDocument<PreparedOperation>,
): EstimateDecision {
  const decision = decideOperation(generation, read.prepared, request);
  if (decision.kind === 'refused' || !decision.operation.coerce?.(request.variables).errors)
    return decideEstimate(generation, request, read);
  const { usage, operation } = decision;
  return { ...read, usage, ownMutations: operation.ownMutations, errors: [], bound: null };
}

async function openGeneration(config: Config, upstreams: readonly OwnFieldsUpstream[]) {
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
  return { generation, schema, calls: toCallCounting(generation, ownSchema, ownFieldCalls) };
}

function explainDocument(
  { executable, errors, prepared }: EstimateDecision,
  { variables }: EstimateRequest,
  { limits }: ServedGeneration,
): Pick<Explanation, 'offending' | 'tree' | 'isTreeCut'> {
  const [error] = errors;
  if (!executable) {
    return { offending: error ? toMistakePosition(error, null) : null, tree: [], isTreeCut: false };
  }
  const isCounted = prepared.size?.isExempt === false;
  const offending = error ? findOffending(error, executable, variables, limits) : null;
  const { selections, isCut } = explainCosts({ executable, variables, limits, isCounted, offending });
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
