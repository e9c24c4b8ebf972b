import { type IntrospectionQuery, type IntrospectionType, parse } from 'graphql';
import { type Limits, shippedLimits } from '../documents/cost/limits.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { LedgerExecutor } from './ledger-executor.ts';

/** What the ledger reports about its service. */
export interface LedgerService {
  readonly limits: Limits;
  /** In milliseconds; `null` if the ledger does not say. */
  readonly requestTimeoutMs: number | null;
  readonly mutationTimeoutMs: number | null;
  /** `<year>.<month>` entries it serves. */
  readonly availableVersions: readonly string[];
}

/** For a ledger that reports nothing: the limits that ledgers ship with. */
export const silentLedgerService: LedgerService = {
  limits: shippedLimits,
  requestTimeoutMs: null,
  mutationTimeoutMs: null,
  availableVersions: [],
};

/** Names of the query timeout on the networks. Each network has one of them. */
export const queryTimeoutNames = ['requestTimeoutMs', 'queryTimeoutMs'] as const;

const numbers = [...Object.keys(shippedLimits), ...queryTimeoutNames, 'mutationTimeoutMs'];

export interface LedgerServiceAnswer {
  /** Missing numbers are those that ledgers ship with. */
  readonly service: LedgerService;
  /** Why the answer is incomplete; `null` if it is complete. */
  readonly failure: Error | null;
}

/** Asks the ledger for the limits it enforces. A ledger without such fields is not asked. */
export async function fetchLedgerService(
  execute: LedgerExecutor,
  introspection: IntrospectionQuery,
): Promise<LedgerServiceAnswer> {
  const query = fieldsOf(introspection, introspection.__schema.queryType.name);
  const plain = fieldsOf(introspection, 'ServiceConfig').filter(({ args }) => args.length === 0);
  const known = [...numbers, 'availableVersions'].filter((name) => plain.some((field) => field.name === name));
  if (!query.some(({ name }) => name === 'serviceConfig') || known.length === 0)
    return { service: silentLedgerService, failure: null };
  const document = parse(`{serviceConfig{${known.join(' ')}}}`);
  try {
    const { data, errors } = await execute({ document });
    const service = toLedgerService(data?.serviceConfig);
    return { service, failure: errors?.[0] ? toFailure(errors[0]) : null };
  } catch (error) {
    return { service: silentLedgerService, failure: toFailure(error) };
  }
}

function toFailure(error: unknown): Error {
  const cause = error instanceof Error ? error : new Error(String(error));
  return gatewayError(
    'UPSTREAM_BAD_RESPONSE',
    `The ledger did not answer for its limits: ${cause.message}`,
    { upstream: 'ledger' },
    { originalError: cause },
  );
}

/** Reads a `serviceConfig` object; unusable members count as missing. */
function toLedgerService(answer: unknown): LedgerService {
  const members = (typeof answer === 'object' && answer !== null ? answer : {}) as Record<string, unknown>;
  const numberOf = (name: string): number | null => {
    const value = members[name];
    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
  };
  const limits = Object.entries(shippedLimits).map(([name, shipped]) => [name, numberOf(name) ?? shipped]);
  const versions = Array.isArray(members.availableVersions) ? members.availableVersions : [];
  return {
    limits: Object.fromEntries(limits) as unknown as Limits,
    requestTimeoutMs: queryTimeoutNames.map(numberOf).find((ms) => ms !== null) ?? null,
    mutationTimeoutMs: numberOf('mutationTimeoutMs'),
    availableVersions: versions.filter((version): version is string => typeof version === 'string'),
  };
}

function fieldsOf({ __schema: { types } }: IntrospectionQuery, name: string) {
  const type: IntrospectionType | undefined = types.find((each) => each.name === name);
  return type && 'fields' in type ? type.fields : [];
}
