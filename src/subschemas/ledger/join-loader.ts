import DataLoader from 'dataloader';
import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Cancellation } from '../../transport/cancellation.ts';
import { groupJoinLookups, type JoinLookup, joinAlias, type RequestBounds, toJoinDocument } from './join-document.ts';
import type { LedgerExecutor } from './ledger-executor.ts';

/** What one lookup found: the raw ledger value (null if there is none) and the errors below it, paths relative to it. */
export interface JoinAnswer {
  readonly value: unknown;
  readonly errors: readonly GraphQLError[];
}

export interface JoinLoaderOptions {
  readonly execute: LedgerExecutor;
  readonly limits: RequestBounds;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly cancellation?: Cancellation | undefined;
}

export type JoinLoader = DataLoader<JoinLookup, JoinAnswer, string>;

/**
 * Collects the lookups of one operation and asks the ledger for them together: one request, or as few as the ledger's
 * bounds allow. The same lookup twice is asked once.
 */
export function createJoinLoader({ execute, limits, variables, cancellation }: JoinLoaderOptions): JoinLoader {
  const load = async (group: readonly JoinLookup[]): Promise<readonly (JoinAnswer | Error)[]> => {
    const document = toJoinDocument(group);
    const names = new Set(
      group.flatMap(({ selection }) => selection.variables.map((each) => each.variable.name.value)),
    );
    const sent = Object.fromEntries(Object.entries(variables).filter(([name]) => names.has(name)));
    try {
      const result = await execute({ document, variables: sent, cancellation });
      return group.map((_lookup, index) => toAnswer(result, joinAlias(index)));
    } catch (error) {
      return group.map(() => (error instanceof Error ? error : new Error(String(error))));
    }
  };
  const sharedBytes = Buffer.byteLength(JSON.stringify(variables));
  return new DataLoader<JoinLookup, JoinAnswer, string>(
    async (lookups) => (await Promise.all(groupJoinLookups(lookups, limits, sharedBytes).map(load))).flat(),
    { cacheKeyFn: ({ field, args, selection }) => JSON.stringify([field, args, selection.fragment.name.value]) },
  );
}

function toAnswer({ data, errors = [] }: ExecutionResult, alias: string): JoinAnswer {
  const own = errors.filter((error) => error.path === undefined || error.path[0] === alias);
  return {
    value: data?.[alias] ?? null,
    errors: own.map(
      (error) => new GraphQLError(error.message, { path: error.path?.slice(1), extensions: error.extensions }),
    ),
  };
}
