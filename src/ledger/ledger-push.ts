import {
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInputObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import type { WatchAttempt } from '../live/watch.ts';
import { createGraphqlSubscriptions } from '../upstream/sockets/graphql-event-streams.ts';

/** Maximum of subscriptions, as nodes have for JSON-RPC. Further readers poll. */
const maxSubscriptions = 100;

export interface LedgerPushOptions {
  readonly urls: readonly string[];
  /** The schema in force; `null` while there is none. */
  readonly schema: () => GraphQLSchema | null;
}

export type LedgerPush = ReturnType<typeof createLedgerPush>;

/**
 * The ledger's own subscriptions, used to trigger polls.
 * Uses a connection of its own, because a large result for a client may break the clients' connection. Messages only trigger
 * polls, so few and small ones are enough.
 */
export function createLedgerPush({ urls, schema }: LedgerPushOptions) {
  const socket = createGraphqlSubscriptions({
    urls,
    maxSubscriptions,
    socket: { maxMessageBytes: 65_536, maxMessagesPerSecond: 2_000 },
  });
  return {
    /**
     * Does the ledger have such a subscription, and does its argument `filter` have such a member?
     * @param member `null` = without a filter
     */
    offers(field: string, member: string | null): boolean {
      const found = schema()?.getSubscriptionType()?.getFields()[field];
      if (!found || !isCompositeType(getNamedType(found.type))) return false;
      if (found.args.some((argument) => argument.name !== 'filter' && isRequiredArgument(argument))) return false;
      const argument = found.args.find(({ name }) => name === 'filter');
      if (member === null) return !argument || !isRequiredArgument(argument);
      const filter = getNamedType(argument?.type);
      if (!isInputObjectType(filter) || !filter.getFields()[member]) return false;
      return Object.values(filter.getFields()).every((each) => each.name === member || !isRequiredInputField(each));
    },
    /** Subscribes. @returns unsubscribes */
    listen: (query: string, attempt: WatchAttempt): (() => void) =>
      socket.subscribe(
        { query },
        {
          sent: () => attempt.up(),
          next: () => attempt.news(),
          refused: () => attempt.down(true),
          ended: () => attempt.down(false),
          lost: () => attempt.down(false),
        },
      ),
  };
}
