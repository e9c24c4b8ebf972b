import { type GraphQLSchema, parse } from 'graphql';
import { type Limits, shippedLimits } from '../../limits/limits.ts';
import type { LedgerExecutor } from './ledger-executor.ts';

/** What the ledger says of its own service. */
export interface LedgerService {
  readonly limits: Limits;
  /** In milliseconds; `null` where it does not say. */
  readonly requestTimeoutMs: number | null;
  readonly mutationTimeoutMs: number | null;
  /** `<year>.<month>` entries it serves. */
  readonly availableVersions: readonly string[];
}

/** A ledger that says nothing is taken for one that was never configured. */
export const silentLedgerService: LedgerService = {
  limits: shippedLimits,
  requestTimeoutMs: null,
  mutationTimeoutMs: null,
  availableVersions: [],
};

const numbers = [...Object.keys(shippedLimits), 'requestTimeoutMs', 'mutationTimeoutMs'];

/** Asks the ledger for the bounds it enforces; what it does not have, or does not answer, is as shipped. */
export async function fetchLedgerService(execute: LedgerExecutor, schema: GraphQLSchema): Promise<LedgerService> {
  const known = [...numbers, 'availableVersions'].filter((name) => isPlainField(schema, name));
  if (!schema.getQueryType()?.getFields().serviceConfig || known.length === 0) return silentLedgerService;
  const document = parse(`{serviceConfig{${known.join(' ')}}}`);
  const { data } = await execute({ document }).catch(() => ({ data: null }));
  return toLedgerService(data?.serviceConfig);
}

/** Reads a `serviceConfig` object; anything unusable in it counts as not said. */
export function toLedgerService(answer: unknown): LedgerService {
  const said = (typeof answer === 'object' && answer !== null ? answer : {}) as Record<string, unknown>;
  const numberOf = (name: string): number | null => {
    const value = said[name];
    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
  };
  const limits = Object.entries(shippedLimits).map(([name, shipped]) => [name, numberOf(name) ?? shipped]);
  const versions = Array.isArray(said.availableVersions) ? said.availableVersions : [];
  return {
    limits: Object.fromEntries(limits) as unknown as Limits,
    requestTimeoutMs: numberOf('requestTimeoutMs'),
    mutationTimeoutMs: numberOf('mutationTimeoutMs'),
    availableVersions: versions.filter((version): version is string => typeof version === 'string'),
  };
}

function isPlainField(schema: GraphQLSchema, name: string): boolean {
  const type = schema.getType('ServiceConfig');
  const field = type && 'getFields' in type ? type.getFields()[name] : undefined;
  return field !== undefined && (!('args' in field) || field.args.length === 0);
}
