import type { LedgerReader } from '../state/ledger-state.ts';
import type { TransactionRecord } from '../state/records.ts';
import { toEffectsJson } from './effects-json.ts';
import { type EventDialect, readSubscriptionFilter } from './event-filter.ts';
import { toEventJson } from './event-json.ts';
import type { RpcCall } from './parse-call.ts';
import { invalidParams, RpcError, rpcCodes } from './rpc-error.ts';
import { readTransactionFilter } from './transaction-filter.ts';

/** The subscriptions of one connection. */
export interface Subscriptions {
  /** Answers one of the four subscription methods; `undefined` if the call is to another. */
  answer(call: RpcCall): number | boolean | undefined;
  /** Sends the items of a newly closed checkpoint to their subscriptions. */
  publish(transactions: readonly TransactionRecord[]): void;
}

interface Subscription {
  readonly kind: 'event' | 'transaction';
  readonly calledAs: string;
  /** The items of a transaction that are pushed. */
  readonly select: (transaction: TransactionRecord) => readonly unknown[];
}

export interface SubscriptionsOptions {
  readonly ledger: Pick<LedgerReader, 'object'>;
  readonly dialect?: EventDialect | undefined;
  readonly maxSubscriptions: number;
  readonly nextId: () => number;
  readonly send: (text: string) => void;
}

export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { ledger, dialect, maxSubscriptions, nextId, send } = options;
  const open = new Map<number, Subscription>();

  function subscribe(subscription: Subscription): number {
    if (open.size >= maxSubscriptions) {
      throw new RpcError(
        rpcCodes.tooManySubscriptions,
        `Too many subscriptions on the connection: ${maxSubscriptions} at most`,
      );
    }
    const id = nextId();
    open.set(id, subscription);
    return id;
  }

  function unsubscribe(kind: Subscription['kind'], [id]: readonly unknown[]): boolean {
    if (typeof id !== 'number') throw invalidParams('a subscription id is a number');
    return open.get(id)?.kind === kind && open.delete(id);
  }

  return {
    answer: ({ method, calledAs, params }) => {
      switch (method) {
        case 'subscribeEvent': {
          const { matches } = readSubscriptionFilter(requireFilter(params), dialect);
          const select = ({ events }: TransactionRecord) => events.filter(matches).map(toEventJson);
          return subscribe({ kind: 'event', calledAs, select });
        }
        case 'subscribeTransaction': {
          const { matches } = readTransactionFilter(requireFilter(params));
          const select = (transaction: TransactionRecord) =>
            matches(transaction) ? [toEffectsJson(transaction, ledger)] : [];
          return subscribe({ kind: 'transaction', calledAs, select });
        }
        case 'unsubscribeEvent':
          return unsubscribe('event', params);
        case 'unsubscribeTransaction':
          return unsubscribe('transaction', params);
        default:
          return undefined;
      }
    },
    publish: (transactions) => {
      for (const transaction of transactions) {
        for (const [subscription, { calledAs, select }] of open) {
          for (const result of select(transaction)) {
            send(JSON.stringify({ jsonrpc: '2.0', method: calledAs, params: { subscription, result } }));
          }
        }
      }
    },
  };
}

function requireFilter([filter]: readonly unknown[]): unknown {
  if (filter === null || filter === undefined) throw invalidParams('a filter is required');
  return filter;
}
