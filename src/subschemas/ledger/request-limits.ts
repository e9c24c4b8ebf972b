import { type GraphQLSchema, parse } from 'graphql';
import type { LedgerExecutor } from './ledger-executor.ts';

/** Bounds of one request to the ledger that a merged document has to respect. */
export interface RequestLimits {
  readonly maxQueryNodes: number;
  readonly maxQueryPayloadSize: number;
}

/** What the ledger's software ships with; used where a ledger does not say. */
export const shippedRequestLimits: RequestLimits = { maxQueryNodes: 300, maxQueryPayloadSize: 5_000 };

/** Asks the ledger for the bounds it enforces. A ledger that has no such fields, or does not answer, gets the shipped ones. */
export async function fetchRequestLimits(execute: LedgerExecutor, schema: GraphQLSchema): Promise<RequestLimits> {
  const serviceConfig = schema.getQueryType()?.getFields().serviceConfig;
  const known = Object.keys(shippedRequestLimits).filter((name) => serviceConfig && hasPlainField(schema, name));
  if (known.length === 0) return shippedRequestLimits;
  const { data } = await execute({ document: parse(`{serviceConfig{${known.join(' ')}}}`) }).catch(() => ({
    data: null,
  }));
  const answered = Object.entries((data?.serviceConfig ?? {}) as Record<string, unknown>).filter(
    ([, value]) => Number.isSafeInteger(value) && Number(value) > 0,
  );
  return { ...shippedRequestLimits, ...Object.fromEntries(answered) };
}

function hasPlainField(schema: GraphQLSchema, name: string): boolean {
  const type = schema.getType('ServiceConfig');
  const field = type && 'getFields' in type ? type.getFields()[name] : undefined;
  return field !== undefined && (!('args' in field) || field.args.length === 0);
}
