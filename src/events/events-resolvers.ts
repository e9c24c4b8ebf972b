import type { FieldNode, GraphQLResolveInfo, SelectionNode } from 'graphql';
import { isIncluded, selectionsBelow } from '../documents/selections.ts';
import type { Resolvers, RpcEvent } from '../generated/own.ts';
import { createPerOperation, type OperationContext } from '../upstream/operation-context.ts';
import { createSpareCalls, type PageArguments, type PageSizes, readConnection } from './connection.ts';
import { type CursorKeys, type CursorScope, createCursorCodec } from './signed-cursor.ts';
import type { EventSources } from './source.ts';
import type { EventWire } from './wire.ts';

interface EventsResolversOptions {
  /** @throws `NOT_CONFIGURED` where there is no upstream with events */
  readonly sources: () => EventSources;
  readonly pages: PageSizes;
  readonly cursorKeys: CursorKeys;
}

export function createEventsResolvers(options: EventsResolversOptions): Pick<Resolvers, 'Query'> {
  const { sources, pages, cursorKeys } = options;
  /** All fields of an operation share its spare calls. */
  const spareCallsOf = createPerOperation(createSpareCalls);
  const toRequest = (args: PageArguments, scope: CursorScope, context: OperationContext) => ({
    args,
    pages,
    codec: createCursorCodec(scope, cursorKeys),
    spare: spareCallsOf(context),
    cancellation: context.cancellation,
  });
  return {
    Query: {
      queryEvents: async (_, args, context) => {
        const { identity, source } = sources().events(args.filter);
        const request = toRequest(args, { field: 'queryEvents', identity }, context);
        return readConnection(request, toEventNode, source);
      },
      queryTransactionBlocks: async (_, args, context, info) => {
        const isWhole = selectsField(info, ['nodes', 'raw']) || selectsField(info, ['edges', 'node', 'raw']);
        const { identity, source } = sources().transactions(args.filter, isWhole);
        const request = toRequest(args, { field: 'queryTransactionBlocks', identity }, context);
        return readConnection(request, (transaction) => transaction, source);
      },
    },
  };
}

export function toEventNode({ id, mark: _, ...event }: EventWire): RpcEvent {
  return { ...event, ...id, id: `${id.txDigest}:${id.eventSeq}`, parsedJson: event.parsedJson ?? null };
}

/** Does the selection below the field being resolved ask for the field at this path? Honours `@skip` and `@include`. */
export function selectsField(
  { fieldNodes, fragments, variableValues }: GraphQLResolveInfo,
  path: readonly string[],
): boolean {
  const scope = { fragments: new Map(Object.entries(fragments)) };
  const selects = (node: SelectionNode | FieldNode, [name, ...rest]: readonly string[]): boolean =>
    selectionsBelow(node, scope).some((selection) => {
      if (!isIncluded(selection, variableValues)) return false;
      if (selection.kind !== 'Field') return selects(selection, [name ?? '', ...rest]);
      return selection.name.value === name && (rest.length === 0 || selects(selection, rest));
    });
  return fieldNodes.some((node) => selects(node, path));
}
