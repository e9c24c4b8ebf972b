import type { GraphQLResolveInfo } from 'graphql';
import type { TransactionStreamFilter } from '../../generated/own.ts';
import { isDigest } from '../../ledger/values/check-argument.ts';
import type { LiveHub } from '../../live/live-hub.ts';
import type { LiveSource } from '../../live/live-source.ts';
import type { CursorKeys } from '../cursors/cursor-keys.ts';
import { createLiveCursors } from './live-cursor.ts';
import { type LiveFollower, type LiveRoot, present } from './present.ts';
import { type AskForTransactions, createTransactionSource, type NodeTransaction } from './transaction-source.ts';

export interface LiveTransactionResolversOptions {
  readonly hub: LiveHub<NodeTransaction, LiveRoot>;
  readonly cursorKeys: CursorKeys;
  /**
   * What asks for the pages of a query, and a text that is the same for the same query; throws if nobody can be asked.
   * @param isWhole is the node to add all parts of each transaction?
   */
  readonly toQuery: (
    filter: TransactionStreamFilter | null,
    isWhole: boolean,
  ) => { readonly identity: string; readonly ask: AskForTransactions; readonly watch: LiveSource<unknown>['watch'] };
  /** Does the selection ask for a field at this path? */
  readonly selects: (info: GraphQLResolveInfo, path: readonly string[]) => boolean;
}

export interface LiveTransactionsArguments {
  readonly filter?: TransactionStreamFilter | null | undefined;
  readonly after?: string | null | undefined;
}

/** The resolver of `Subscription.liveTransactions`. Nodes can find by themselves whatever its filters say. */
export function createLiveTransactionResolvers(options: LiveTransactionResolversOptions) {
  const { hub, cursorKeys, toQuery, selects } = options;
  return {
    liveTransactions: {
      subscribe(
        _: unknown,
        { filter, after }: LiveTransactionsArguments,
        { caller, streamPlace }: LiveFollower,
        info: GraphQLResolveInfo,
      ) {
        const isWhole = selects(info, ['transaction', 'raw']);
        const { identity, ask, watch } = toQuery(filter ?? null, isWhole);
        const cursors = createLiveCursors({ field: 'liveTransactions', filter: identity, isKey: isDigest }, cursorKeys);
        const own = {
          query: `${isWhole ? 'whole' : 'brief'} ${identity}`,
          source: () => createTransactionSource(ask, watch),
        };
        return hub.open({
          ...own,
          // What a transaction has to do with an address or an object is the node's to know.
          everything: filter ? null : own,
          filter: identity,
          presenter: () =>
            present(
              {
                field: 'liveTransactions',
                itemType: 'LiveTransactionItem',
                toItem: ({ item }) => ({ transaction: item }),
                matches: () => true,
              },
              cursors,
            ),
          after: cursors.toBeginning(after, streamPlace),
          weight: 1,
          caller: caller.rate.key,
          onQuiet: streamPlace && ((at) => streamPlace.quietAt(() => cursors.toCursor(at))),
        });
      },
    },
  };
}
