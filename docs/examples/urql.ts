import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { persistedExchange } from '@urql/exchange-persisted';
import { createClient } from 'graphql-sse';
import { graphcacheKeys } from 'ledger-gateway/client/schema';
import { Chain, Events, Live, Reserve, toId } from './operations.ts';

const url = process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql';
const streams = createClient({ url });

const client = new Client({
  url,
  preferGetMethod: false,
  exchanges: [
    cacheExchange({
      keys: graphcacheKeys,
      resolvers: {
        Query: { queryEvents: relayPagination(), queryTransactionBlocks: relayPagination() },
      },
    }),
    // Sends ids of trusted documents, and texts to a gateway without a manifest.
    persistedExchange({ generateHash: async (_, document) => toId(document), enableForMutation: true }),
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: ({ query = '', variables }) => ({
        subscribe: (sink) => ({
          unsubscribe: streams.subscribe({ query, variables: { ...variables } }, sink as never),
        }),
      }),
    }),
  ],
});

const { data } = await client.query(Events, { count: 6 }).toPromise();
console.log('query', new Set(data?.queryEvents?.edges.map(({ node }) => node.id)).size);

const before = data?.queryEvents?.pageInfo.startCursor;
const merged = await client.query(Events, { count: 6, before }).toPromise();
console.log('page', ...(merged.data?.queryEvents?.edges.map(({ node }) => node.id) ?? []));

const { error } = await client.query(Events, { count: 6, before: 'no cursor' }).toPromise();
console.log('error', error?.graphQLErrors[0]?.extensions.code);

const reserved = await client.mutation(Reserve, { key: crypto.randomUUID() }).toPromise();
console.log('mutation', reserved.data?.reserveGas?.state);

const chain = await client.query(Chain, {}).toPromise();
console.log('document id', chain.data?.chainIdentifier);

const live = client.subscription(Live, { after: before }).subscribe(({ data: item }) => {
  if (item?.liveEvents.__typename !== 'LiveEventItem') return;
  console.log('subscription', item.liveEvents.event.id);
  live.unsubscribe();
});
