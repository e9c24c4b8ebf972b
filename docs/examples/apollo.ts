import { ApolloClient, ApolloLink, CombinedGraphQLErrors, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { relayStylePagination } from '@apollo/client/utilities';
import { createClient } from 'graphql-ws';
import { dataIdFromObject } from 'ledger-gateway/client/schema';
import { Chain, Events, Live, Reserve, toId } from './operations.ts';

// Declare the default error policies, so that Apollo derives the types of results from them.
declare module '@apollo/client' {
  namespace ApolloClient {
    namespace DeclareDefaultOptions {
      interface WatchQuery {
        errorPolicy: 'all';
      }
      interface Query {
        errorPolicy: 'all';
      }
      interface Mutate {
        errorPolicy: 'all';
      }
    }
  }
}

const uri = process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql';
const sockets = createClient({ url: uri.replace('http', 'ws') });

const client = new ApolloClient({
  // An unavailable upstream affects only its own fields: keep the rest of the response.
  defaultOptions: { watchQuery: { errorPolicy: 'all' }, query: { errorPolicy: 'all' }, mutate: { errorPolicy: 'all' } },
  link: ApolloLink.split(
    ({ operationType }) => operationType === 'subscription',
    new GraphQLWsLink(sockets),
    // Sends ids of trusted documents, and texts to a gateway without a manifest.
    new PersistedQueryLink({ generateHash: toId }).concat(new HttpLink({ uri })),
  ),
  cache: new InMemoryCache({
    dataIdFromObject,
    typePolicies: {
      Query: {
        fields: {
          // One list per filter, to which pages read with `before` and `after` are added. Select `edges`, not `nodes`.
          queryEvents: relayStylePagination(['filter']),
          queryTransactionBlocks: relayStylePagination(['filter']),
        },
      },
    },
  }),
});

const { data } = await client.query({ query: Events, variables: { count: 6 } });
console.log('query', new Set(data?.queryEvents?.edges.map(({ node }) => node.id)).size);

// In a component, use `fetchMore({ variables: { before } })`.
const before = data?.queryEvents?.pageInfo.startCursor;
await client.query({ query: Events, variables: { count: 6, before }, fetchPolicy: 'network-only' });
const merged = client.readQuery({ query: Events, variables: { count: 6 } });
console.log('page', ...(merged?.queryEvents?.edges.map(({ node }) => node.id) ?? []));

const wrong = { count: 6, before: 'no cursor' };
const { error } = await client.query({ query: Events, variables: wrong, fetchPolicy: 'network-only' });
if (CombinedGraphQLErrors.is(error)) console.log('error', error.errors[0]?.extensions?.code);

const reserved = await client.mutate({ mutation: Reserve, variables: { key: crypto.randomUUID() } });
console.log('mutation', reserved.data?.reserveGas?.state);

const chain = await client.query({ query: Chain });
console.log('document id', chain.data?.chainIdentifier);

const live = client.subscribe({ query: Live, variables: { after: before } }).subscribe(({ data: item }) => {
  if (item?.liveEvents.__typename !== 'LiveEventItem') return;
  console.log('subscription', item.liveEvents.event.id);
  live.unsubscribe();
  void sockets.dispose();
});
