import { setTimeout as delay } from 'node:timers/promises';
import { resolveExternalValue, type SubschemaConfig } from '@graphql-tools/delegate';
import {
  type FieldNode,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  responsePathAsArray,
} from 'graphql';
import type { NetworkProfile } from '../config/network-profile.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { type JoinSelection, type RequestBounds, toJoinSelection } from '../subschemas/ledger/join-document.ts';
import { createJoinLoader, type JoinAnswer, type JoinLoader } from '../subschemas/ledger/join-loader.ts';
import type { LedgerExecutor } from '../subschemas/ledger/ledger-executor.ts';
import type { OperationContext } from '../subschemas/operation-context.ts';
import type { Cancellation } from '../transport/cancellation.ts';
import type { Join } from './joins.ts';
import { placeErrors } from './place-errors.ts';
import { reservedAliasPrefix } from './reserved-alias-rule.ts';

export interface JoinResolverOptions {
  readonly execute: LedgerExecutor;
  readonly limits: RequestBounds;
  readonly names: NetworkProfile['joins'];
  readonly ledger: SubschemaConfig & { readonly schema: GraphQLSchema };
}

/** Longest a join may wait for the ledger's indexer, in milliseconds. */
export const maxWaitMs = 10_000;
const firstPauseMs = 50;
const longestPauseMs = 800;

/**
 * Our fields that a join reads are asked for under names of their own, which no alias of the client and no other join of
 * the same type can shadow.
 */
const idAlias = ({ field }: Join): string => `${reservedAliasPrefix}Id_${field}`;
const versionAlias = ({ field }: Join): string => `${reservedAliasPrefix}Version_${field}`;

/** The fields a join needs of its parent, as a selection set. */
export function joinSelectionSet(join: Join): string {
  const { id, version } = join.key;
  return `{ ${idAlias(join)}: ${id} ${version ? `${versionAlias(join)}: ${version}` : ''} }`;
}

/** One operation's lookups: a loader, and each join field's selection prepared once however many parents it has. */
interface OperationJoins {
  readonly loader: JoinLoader;
  readonly selections: Map<readonly FieldNode[], JoinSelection>;
}

/** Makes the resolver of a join. All joins of one operation share one loader, so that they travel together. */
export function createJoinResolver(options: JoinResolverOptions) {
  const { execute, limits, names, ledger } = options;
  const operations = new WeakMap<OperationContext, OperationJoins>();

  const operationJoins = (context: OperationContext, info: GraphQLResolveInfo): OperationJoins => {
    const known = operations.get(context);
    if (known) return known;
    const { cancellation } = context;
    const loader = createJoinLoader({ execute, limits, variables: info.variableValues, cancellation });
    const made = { loader, selections: new Map() };
    operations.set(context, made);
    return made;
  };

  return (join: Join) =>
    async (
      parent: Record<string, unknown>,
      args: { waitMs?: number | null },
      context: OperationContext,
      info: GraphQLResolveInfo,
    ) => {
      const { loader, selections } = operationJoins(context, info);
      const selection = selections.get(info.fieldNodes) ?? prepareSelection(info, ledger.schema, `J${selections.size}`);
      selections.set(info.fieldNodes, selection);
      const lookup = { field: names[join.target].field, args: toArguments(join, parent, names), selection };
      const answer = await waitFor(
        () => loader.clear(lookup).load(lookup),
        () => loader.load(lookup),
        checkWaitMs(args.waitMs),
        context.cancellation,
      );
      const { value, unplaced } = placeErrors(answer, responsePathAsArray(info.path));
      return resolveExternalValue(value, unplaced, ledger, context as unknown as Record<string, unknown>, info);
    };
}

function prepareSelection(info: GraphQLResolveInfo, schema: GraphQLSchema, name: string): JoinSelection {
  const type = schema.getType(getNamedType(info.returnType).name);
  if (!isCompositeType(type)) throw new Error(`join ${info.parentType.name}.${info.fieldName} has no object type`);
  // A fragment of the client could bear the name we would choose.
  let unique = name;
  while (unique in info.fragments) unique = `${unique}_`;
  return toJoinSelection(unique, info.fieldNodes, type, schema, info.fragments, info.operation);
}

function toArguments(
  join: Join,
  parent: Record<string, unknown>,
  names: NetworkProfile['joins'],
): Record<string, string | number> {
  const id = deepestText(parent[idAlias(join)]);
  const version = parent[versionAlias(join)];
  const entry = names[join.target];
  return { [entry.id]: id, ...('version' in entry && typeof version === 'number' ? { [entry.version]: version } : {}) };
}

/** `joinId: id { txDigest }` gives `{ txDigest }`; every other key is plain text. */
function deepestText(value: unknown): string {
  if (typeof value === 'object' && value !== null) return deepestText(Object.values(value)[0]);
  return String(value);
}

function checkWaitMs(waitMs: number | null | undefined): number {
  const wait = waitMs ?? 0;
  if (wait >= 0 && wait <= maxWaitMs) return wait;
  throw gatewayError('BAD_USER_INPUT', `waitMs must be from 0 to ${maxWaitMs} milliseconds; got ${wait}.`, {
    argument: 'waitMs',
  });
}

/** Asks until there is a value, an error, or no time left; the ledger indexes a transaction a moment after it executed. */
async function waitFor(
  again: () => Promise<JoinAnswer>,
  first: () => Promise<JoinAnswer>,
  waitMs: number,
  cancellation: Cancellation,
): Promise<JoinAnswer> {
  const deadline = performance.now() + waitMs;
  let answer = await first();
  for (
    let pauseMs = firstPauseMs;
    answer.value === null && answer.errors.length === 0;
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
  ) {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) break;
    await delay(Math.min(pauseMs, leftMs), undefined, { signal: cancellation.signal }).catch(() => {
      throw gatewayError(
        'REQUEST_TIMEOUT',
        'The request ended while it waited for the ledger to index the transaction.',
        {
          upstream: 'ledger',
        },
      );
    });
    answer = await again();
  }
  return answer;
}
