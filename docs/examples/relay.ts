import {
  commitMutation,
  createOperationDescriptor,
  Environment,
  type FetchFunction,
  fetchQuery,
  Network,
  Observable,
  RecordSource,
  type RequestParameters,
  requestSubscription,
  Store,
  type SubscribeFunction,
  type Variables,
} from 'relay-runtime';
import ChainQuery, { type relayEventsChainQuery } from './__generated__/relayEventsChainQuery.graphql.ts';
import Live, { type relayEventsLiveSubscription } from './__generated__/relayEventsLiveSubscription.graphql.ts';
// With babel-plugin-relay, a `graphql` tag in a component replaces these imports.
import EventsQuery, { type relayEventsQuery } from './__generated__/relayEventsQuery.graphql.ts';
import Reserve, { type relayEventsReserveMutation } from './__generated__/relayEventsReserveMutation.graphql.ts';

const url = process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql';
// With `persistConfig`, a document has an id and no text.
const toDocument = ({ id, text }: RequestParameters) => (id ? { doc_id: id } : { query: text ?? '' });

const fetchGraphQL: FetchFunction = async (request, variables) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...toDocument(request), variables }),
  });
  const result = await response.json();
  // Relay ignores errors beside data, and throws the others.
  for (const { extensions } of result.errors ?? []) console.log('error', extensions.code);
  return result;
};

const subscribe: SubscribeFunction = (request: RequestParameters, variables: Variables) =>
  Observable.create((sink) => {
    const search = new URLSearchParams({ ...toDocument(request), variables: JSON.stringify(variables) });
    const source = new EventSource(`${url}?${search}`);
    source.addEventListener('next', ({ data }) => sink.next(JSON.parse(data)));
    return () => source.close();
  });

const network = Network.create(fetchGraphQL, subscribe);
const environment = new Environment({ network, store: new Store(new RecordSource()) });

const newest = createOperationDescriptor(EventsQuery, { count: 6 });
environment.retain(newest);
const data = await fetchQuery<relayEventsQuery>(environment, EventsQuery, { count: 6 }).toPromise();
console.log('query', new Set(data?.queryEvents?.edges.map(({ node }) => node.id)).size);

const before = data?.queryEvents?.pageInfo.startCursor ?? null;
await fetchQuery<relayEventsQuery>(environment, EventsQuery, { count: 6, before }).toPromise();
const merged = environment.lookup(newest.fragment).data as unknown as relayEventsQuery['response'];
console.log('page', ...(merged.queryEvents?.edges.map(({ node }) => node.id) ?? []));

await fetchQuery<relayEventsQuery>(environment, EventsQuery, { count: 6, before: 'no cursor' }).toPromise();

const reserved = await new Promise<relayEventsReserveMutation['response']>((onCompleted, onError) =>
  commitMutation<relayEventsReserveMutation>(environment, {
    mutation: Reserve,
    variables: { key: crypto.randomUUID() },
    onCompleted,
    onError,
  }),
);
console.log('mutation', reserved.reserveGas?.state);

const chain = await fetchQuery<relayEventsChainQuery>(environment, ChainQuery, {}).toPromise();
console.log('document id', chain?.chainIdentifier);

const live = requestSubscription<relayEventsLiveSubscription>(environment, {
  subscription: Live,
  variables: { after: before },
  onNext(item) {
    if (item?.liveEvents.__typename !== 'LiveEventItem') return;
    console.log('subscription', item.liveEvents.event?.id);
    live.dispose();
  },
});
