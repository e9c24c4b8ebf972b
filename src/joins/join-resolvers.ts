import { resolveExternalValue, type SubschemaConfig } from '@graphql-tools/delegate';
import {
  type FieldNode,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  responsePathAsArray,
} from 'graphql';
import type { LedgerExecutor } from '../subschemas/ledger/ledger-executor.ts';
import { createPerOperation, type OperationContext } from '../subschemas/operation-context.ts';
import { awaitIndex, checkWaitMs } from './await-index.ts';
import { createToJoinLookup, type JoinLookup, type RequestBounds } from './join-document.ts';
import { createReadJoinKey } from './join-key.ts';
import { createJoinLoader, type JoinAnswer, type JoinLoader } from './join-loader.ts';
import { type JoinSelection, toJoinSelection } from './join-selection.ts';
import { type ServedJoin, toJoinForm } from './joins.ts';
import { placeErrors } from './place-errors.ts';
import { toPlainBuiltins } from './plain-builtins.ts';

export interface JoinResolverOptions {
  readonly execute: LedgerExecutor;
  readonly limits: RequestBounds;
  readonly ledger: SubschemaConfig & { readonly schema: GraphQLSchema };
}

/** Kept for one operation, so that a selection is prepared once however many parents it has. */
interface StitchedJoins {
  readonly loader: JoinLoader;
  readonly selections: Map<readonly FieldNode[], JoinSelection>;
}

/**
 * Resolvers of joins, for operations that are stitched. All joins of one operation share one loader, so that they
 * travel together.
 */
export function createJoinResolver(options: JoinResolverOptions) {
  const { execute, limits, ledger } = options;
  const operationJoins = createPerOperation(({ cancellation }, info: GraphQLResolveInfo): StitchedJoins => {
    const loader = createJoinLoader({ execute, limits, variables: info.variableValues, cancellation });
    return { loader, selections: new Map() };
  });

  return (join: ServedJoin) => {
    const readKey = createReadJoinKey(join);
    return async (
      parent: Record<string, unknown>,
      args: { waitMs?: number | null },
      context: OperationContext,
      info: GraphQLResolveInfo,
    ) => {
      const { loader, selections } = operationJoins(context, info);
      const selection = selections.get(info.fieldNodes) ?? prepareSelection(info, ledger.schema, `J${selections.size}`);
      selections.set(info.fieldNodes, selection);
      const lookup = createToJoinLookup(toJoinForm(join, selection))(readKey(parent));
      const waitMs = checkWaitMs(args.waitMs);
      const answer = await awaitIndex(
        loadOne(loader, lookup),
        () => {
          loader.forget(lookup);
          return loadOne(loader, lookup);
        },
        waitMs,
        context.cancellation,
      );
      if (answer instanceof Error) throw answer;
      const { fieldNodes, fragments, returnType } = info;
      const below = fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? []);
      const type = ledger.schema.getType(getNamedType(returnType).name);
      const scope = { schema: ledger.schema, fragments: new Map(Object.entries(fragments)) };
      toPlainBuiltins(answer.value, below, type, scope);
      const { value, unplaced } = placeErrors(answer, responsePathAsArray(info.path));
      return resolveExternalValue(value, unplaced, ledger, context as unknown as Record<string, unknown>, info);
    };
  };
}

async function loadOne(loader: JoinLoader, lookup: JoinLookup): Promise<JoinAnswer | Error> {
  const [answer] = await loader.load([lookup]);
  return answer ?? new Error('a lookup has no answer');
}

function prepareSelection(info: GraphQLResolveInfo, schema: GraphQLSchema, name: string): JoinSelection {
  const type = schema.getType(getNamedType(info.returnType).name);
  if (!isCompositeType(type)) throw new Error(`join ${info.parentType.name}.${info.fieldName} has no object type`);
  return toJoinSelection(freeName(name, info.fragments), info.fieldNodes, type, info, schema);
}

/** Appends `_` until no fragment of the client has the name. */
export function freeName(name: string, taken: object): string {
  return name in taken ? freeName(`${name}_`, taken) : name;
}
