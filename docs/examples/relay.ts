import {
  createOperationDescriptor,
  Environment,
  type FetchFunction,
  fetchQuery,
  Network,
  RecordSource,
  Store,
} from 'relay-runtime';
// With babel-plugin-relay, a `graphql` tag in a component replaces this import.
import EventsQuery, { type relayEventsQuery } from './__generated__/relayEventsQuery.graphql.ts';

const fetchGraphQL: FetchFunction = async ({ text }, variables) => {
  const response = await fetch(process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: text, variables }),
  });
  return response.json();
};

const environment = new Environment({ network: Network.create(fetchGraphQL), store: new Store(new RecordSource()) });

const newest = createOperationDescriptor(EventsQuery, { count: 6 });
environment.retain(newest);
const data = await fetchQuery<relayEventsQuery>(environment, EventsQuery, { count: 6 }).toPromise();
console.log(new Set(data?.queryEvents?.edges.map(({ node }) => node.id)).size, 'events');

const before = data?.queryEvents?.pageInfo.startCursor;
await fetchQuery<relayEventsQuery>(environment, EventsQuery, { count: 6, before }).toPromise();
const merged = environment.lookup(newest.fragment).data as unknown as relayEventsQuery['response'];
for (const { node } of merged.queryEvents?.edges ?? []) console.log(node.id);
