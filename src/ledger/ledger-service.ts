import {
  type IntrospectionField,
  type IntrospectionQuery,
  type IntrospectionType,
  type IntrospectionTypeRef,
  parse,
} from 'graphql';
import type { NetworkProfile } from '../config/network-profile.ts';
import { type Limits, shippedLimits } from '../documents/cost/limits.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { LedgerExecutor } from './ledger-executor.ts';

export interface LedgerService {
  readonly limits: Limits;
  /** The ledger's own timeout of a query in milliseconds; `null` if it does not report one. */
  readonly queryTimeoutMs: number | null;
  readonly mutationTimeoutMs: number | null;
  /** Page sizes by `Type.field`, if the ledger reports them for each connection. */
  readonly pageSizes: NetworkProfile['limits']['pageSizes'];
  /** The most keys of a field `multiGet…`; `null` if the ledger does not report it. */
  readonly maxMultiGetSize: number | null;
  /** `<year>.<month>` versions that it serves. */
  readonly availableVersions: readonly string[];
}

/** For a ledger that reports nothing: the default limits of ledgers. */
export const silentLedgerService: LedgerService = {
  limits: shippedLimits,
  queryTimeoutMs: null,
  mutationTimeoutMs: null,
  pageSizes: {},
  maxMultiGetSize: null,
  availableVersions: [],
};

type Names = NetworkProfile['serviceConfig'];

const numbers = [...Object.keys(shippedLimits), 'mutationTimeoutMs', 'maxMultiGetSize'];

/** Connections per request for page sizes, so that its body stays below 5,000 bytes. */
const connectionsPerRequest = 16;

export interface LedgerServiceAnswer {
  /** Missing numbers are replaced by the default limits of ledgers. */
  readonly service: LedgerService;
  /** Why the response is incomplete; `null` if it is complete. */
  readonly failure: Error | null;
}

/** Queries the ledger's limits, unless its schema has no such fields. */
export async function fetchLedgerService(
  execute: LedgerExecutor,
  introspection: IntrospectionQuery,
  names: Names,
): Promise<LedgerServiceAnswer> {
  const query = fieldsOf(introspection, introspection.__schema.queryType.name);
  const members = fieldsOf(introspection, 'ServiceConfig');
  const plain = members.filter(({ args }) => args.length === 0);
  const wanted = [...numbers, names.queryTimeoutMs, 'availableVersions'];
  const known = wanted.filter((name) => plain.some((field) => field.name === name));
  if (!query.some(({ name }) => name === 'serviceConfig') || known.length === 0)
    return { service: silentLedgerService, failure: null };
  const ask = async (selections: readonly string[]) => {
    const { data, errors } = await execute({ document: parse(`{serviceConfig{${selections.join(' ')}}}`) });
    return { answer: toMembers(data?.serviceConfig), error: errors?.[0] ?? null };
  };
  const hasPageSizes = pageSizeMembers.every((name) => isPerConnection(members.find((field) => field.name === name)));
  const connections = hasPageSizes ? connectionsOf(introspection) : [];
  const pageSizes = connections.map((coordinate, index) => {
    const [type, field] = coordinate.split('.');
    return pageSizeMembers.map((name) => `${toKey(name, index)}:${name}(type:"${type}",field:"${field}")`);
  });
  const requests = [known];
  for (let from = 0; from < pageSizes.length; from += connectionsPerRequest)
    requests.push(pageSizes.slice(from, from + connectionsPerRequest).flat());
  try {
    const answers = await Promise.all(requests.map(ask));
    const answer = Object.assign({}, ...answers.map((each) => each.answer));
    const error = answers.find((each) => each.error)?.error;
    return { service: toLedgerService(answer, names, connections), failure: error ? toFailure(error) : null };
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

const pageSizeMembers = ['defaultPageSize', 'maxPageSize'] as const;

/** Does the ledger report a page size for each connection, by its type and field? */
function isPerConnection(member: IntrospectionField | undefined): boolean {
  return member?.args.length === 2 && member.args.every(({ name }) => name === 'type' || name === 'field');
}

/** `Type.field` of all fields that are connections. */
function connectionsOf({ __schema: { types } }: IntrospectionQuery): readonly string[] {
  return types.flatMap((type) =>
    (type.kind === 'OBJECT' || type.kind === 'INTERFACE') && !type.name.startsWith('__')
      ? type.fields
          .filter((field) => nameOf(field.type).endsWith('Connection'))
          .map(({ name }) => `${type.name}.${name}`)
      : [],
  );
}

function nameOf(type: IntrospectionTypeRef): string {
  return type.kind === 'LIST' || type.kind === 'NON_NULL' ? nameOf(type.ofType) : type.name;
}

const toKey = (member: string, connection: number) => `${member}_${connection}`;

type Members = Readonly<Record<string, unknown>>;

function toMembers(answer: unknown): Members {
  return typeof answer === 'object' && answer !== null ? (answer as Members) : {};
}

/** Reads the members of `serviceConfig`; invalid ones count as missing. */
function toLedgerService(members: Members, names: Names, connections: readonly string[]): LedgerService {
  const numberOf = (name: string): number | null => {
    const value = members[name];
    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
  };
  const limits = Object.entries(shippedLimits).map(([name, shipped]) => [name, numberOf(name) ?? shipped]);
  const pageSizes = connections.flatMap((coordinate, index) => {
    const [usual, max] = pageSizeMembers.map((name) => numberOf(toKey(name, index)));
    return usual && max ? [[coordinate, { usual, max }] as const] : [];
  });
  const versions = Array.isArray(members.availableVersions) ? members.availableVersions : [];
  return {
    limits: Object.fromEntries(limits) as unknown as Limits,
    queryTimeoutMs: numberOf(names.queryTimeoutMs),
    mutationTimeoutMs: numberOf('mutationTimeoutMs'),
    pageSizes: Object.fromEntries(pageSizes),
    maxMultiGetSize: numberOf('maxMultiGetSize'),
    availableVersions: versions.filter((version): version is string => typeof version === 'string'),
  };
}

function fieldsOf({ __schema: { types } }: IntrospectionQuery, name: string): readonly IntrospectionField[] {
  const type: IntrospectionType | undefined = types.find((each) => each.name === name);
  return type && 'fields' in type ? type.fields : [];
}
