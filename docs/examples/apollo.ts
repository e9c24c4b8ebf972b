import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import { dataIdFromObject } from 'ledger-gateway/client/schema';
import { Events } from './operations.ts';

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

const client = new ApolloClient({
  // An unavailable upstream affects only its own fields: keep the rest of the response.
  defaultOptions: { watchQuery: { errorPolicy: 'all' }, query: { errorPolicy: 'all' }, mutate: { errorPolicy: 'all' } },
  link: new HttpLink({ uri: process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql' }),
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
console.log(new Set(data?.queryEvents?.edges.map(({ node }) => node.id)).size, 'events');

// In a component, use `fetchMore({ variables: { before } })`.
const before = data?.queryEvents?.pageInfo.startCursor;
await client.query({ query: Events, variables: { count: 6, before }, fetchPolicy: 'network-only' });
const merged = client.readQuery({ query: Events, variables: { count: 6 } });
for (const { node } of merged?.queryEvents?.edges ?? []) console.log(node.id);
