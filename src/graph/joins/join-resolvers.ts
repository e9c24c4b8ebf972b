import { resolveExternalValue, type SubschemaConfig } from '@graphql-tools/delegate';
import {
  type FieldNode,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  responsePathAsArray,
} from 'graphql';
import { ToldErrors } from '../../errors/told-errors.ts';
import type { LedgerExecutor } from '../../ledger/ledger-executor.ts';
import { createPerOperation, type OperationContext } from '../../upstream/operation-context.ts';
import { awaitIndex, checkWaitMs } from './await-index.ts';
import { createToJoinLookup, type RequestBounds } from './join-document.ts';
import { createReadJoinKey } from './join-key.ts';
import { createJoinLoader, type JoinAnswer, type JoinLoader } from './join-loader.ts';
import { type JoinSelection, shareSelection, toJoinSelection } from './join-selection.ts';
import { type ServedJoin, toJoinForm } from './joins.ts';
import type { OpenRoots } from './open-roots.ts';
import { placeErrors } from './place-errors.ts';
import { toPlainBuiltins } from './plain-builtins.ts';
import { Turns } from './turns.ts';

export interface JoinResolverOptions {
  readonly execute: LedgerExecutor;
  readonly limits: RequestBounds;
  readonly ledger: SubschemaConfig & { readonly schema: GraphQLSchema };
  /** The root fields of an operation. */
  readonly rootsOf: (context: OperationContext) => OpenRoots;
}

/** Kept for one operation, since a field may have thousands of parents. */
interface StitchedJoins {
  readonly loader: JoinLoader;
  readonly fields: Map<readonly FieldNode[], StitchedField>;
  /** By their bodies: fields with the same selection share one, so that lookups they have in common are asked once. */
  readonly selections: Map<string, JoinSelection>;
  readonly told: ToldErrors;
  readonly turns: Turns;
}

/** What is the same for all parents of a field. */
interface StitchedField {
  readonly toLookup: ReturnType<typeof createToJoinLookup>;
  /** Prepares an answer of the ledger for the stitching library, once, though thousands of parents may share it. */
  readonly toPlain: (answer: JoinAnswer) => void;
}

/**
 * Resolvers of joins, for operations that are stitched. All joins of one operation share one loader, so that they
 * travel together.
 */
export function createJoinResolver(options: JoinResolverOptions) {
  const { execute, limits, ledger, rootsOf } = options;
  const operationJoins = createPerOperation((context, info: GraphQLResolveInfo): StitchedJoins => {
    const { cancellation } = context;
    const roots = rootsOf(context);
    const loader = createJoinLoader({ execute, limits, variables: info.variableValues, cancellation, roots });
    return { loader, fields: new Map(), selections: new Map(), told: new ToldErrors(), turns: new Turns() };
  });

  return (join: ServedJoin) => {
    const readKey = createReadJoinKey(join);
    return async (
      parent: Record<string, unknown>,
      args: { waitMs?: number | null },
      context: OperationContext,
      info: GraphQLResolveInfo,
    ) => {
      const { loader, fields, selections, told, turns } = operationJoins(context, info);
      const known = fields.get(info.fieldNodes);
      const field = known ?? prepareField(join, info, ledger.schema, selections);
      if (!known) fields.set(info.fieldNodes, field);
      const lookup = field.toLookup(readKey(parent));
      const waitMs = checkWaitMs(args.waitMs);
      const first = loader.loadOne(lookup);
      const again = () => {
        loader.forget(lookup);
        return loader.loadOne(lookup);
      };
      const answer = await (waitMs === 0 ? first : awaitIndex(first, again, waitMs, context.cancellation));
      const turn = turns.next();
      if (turn !== null) await turn;
      if (answer instanceof Error) throw answer;
      field.toPlain(answer);
      const { value, unplaced } = placeErrors(answer, responsePathAsArray(info.path), told);
      return resolveExternalValue(value, unplaced, ledger, context as unknown as Record<string, unknown>, info);
    };
  };
}

function prepareField(
  join: ServedJoin,
  info: GraphQLResolveInfo,
  schema: GraphQLSchema,
  selections: Map<string, JoinSelection>,
): StitchedField {
  const { fieldNodes, fragments, returnType } = info;
  const below = fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  const type = schema.getType(getNamedType(returnType).name);
  const scope = { schema, fragments: new Map(Object.entries(fragments)) };
  const plain = new Set<JoinAnswer>();
  const selection = shareSelection(selections, prepareSelection(info, schema, `J${selections.size}`));
  return {
    toLookup: createToJoinLookup(toJoinForm(join, selection)),
    toPlain: (answer) => {
      if (!plain.has(answer)) toPlainBuiltins(answer.value, below, type, scope);
      plain.add(answer);
    },
  };
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
