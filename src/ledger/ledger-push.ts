import {
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInputObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import type { WatchAttempt } from '../live/keep-watch.ts';
import { createGraphqlSocket } from '../upstream/sockets/graphql-socket.ts';

/** As many as nodes allow elsewhere; who is beyond them asks again and again. */
const mostListeners = 100;

/** The ledger's own subscriptions, by which one is told that something happened. */
export interface LedgerPush {
  /**
   * Has the ledger such a subscription, and its argument `filter` such a member?
   * @param member `null` = without a filter
   */
  readonly offers: (field: string, member: string | null) => boolean;
  /**
   * Subscribes. What is told is not kept.
   * @returns leaves it
   */
  readonly listen: (query: string, attempt: WatchAttempt) => () => void;
}

export interface LedgerPushOptions {
  readonly url: string;
  /** The schema in force; `null` while there is none. */
  readonly schema: () => GraphQLSchema | null;
}

/**
 * Listens to the ledger over a connection of its own, not that of clients: what these ask for may be large, and break it. Only
 * that something happened is heard, so that little is read of each message, and of many in a second no more than some.
 */
export function createLedgerPush({ url, schema }: LedgerPushOptions): LedgerPush {
  const socket = createGraphqlSocket({ url, socket: { maxMessageBytes: 65_536, maxMessagesPerSecond: 2_000 } });
  let listeners = 0;
  return {
    offers(field, member) {
      const found = schema()?.getSubscriptionType()?.getFields()[field];
      if (!found || !isCompositeType(getNamedType(found.type))) return false;
      if (found.args.some((argument) => argument.name !== 'filter' && isRequiredArgument(argument))) return false;
      const argument = found.args.find(({ name }) => name === 'filter');
      if (member === null) return !argument || !isRequiredArgument(argument);
      const filter = getNamedType(argument?.type);
      if (!isInputObjectType(filter) || !filter.getFields()[member]) return false;
      return Object.values(filter.getFields()).every((each) => each.name === member || !isRequiredInputField(each));
    },
    listen(query, attempt) {
      if (listeners >= mostListeners) {
        queueMicrotask(() => attempt.down(true));
        return () => {};
      }
      listeners += 1;
      let isOver = false;
      const end = () => {
        if (!isOver) listeners -= 1;
        isOver = true;
      };
      const lose = (isRefused: boolean) => {
        end();
        attempt.down(isRefused);
      };
      const leave = socket.subscribe(
        { query },
        {
          sent: () => attempt.up(),
          next: () => attempt.news(),
          refused: () => lose(true),
          ended: () => lose(false),
          lost: () => lose(false),
        },
      );
      return () => {
        end();
        leave();
      };
    },
  };
}
