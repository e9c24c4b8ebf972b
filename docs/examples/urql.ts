import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { graphcacheKeys } from 'ledger-gateway/client/schema';
import { Events } from './operations.ts';

const client = new Client({
  url: process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql',
  preferGetMethod: false,
  exchanges: [
    cacheExchange({
      keys: graphcacheKeys,
      resolvers: {
        Query: { queryEvents: relayPagination(), queryTransactionBlocks: relayPagination() },
      },
    }),
    fetchExchange,
  ],
});

const { data } = await client.query(Events, { count: 6 }).toPromise();
console.log(new Set(data?.queryEvents?.edges.map(({ node }) => node.id)).size, 'events');

const before = data?.queryEvents?.pageInfo.startCursor;
const merged = await client.query(Events, { count: 6, before }).toPromise();
for (const { node } of merged.data?.queryEvents?.edges ?? []) console.log(node.id);
