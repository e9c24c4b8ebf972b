import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient, type ExecutionResult, type SubscribePayload } from 'graphql-ws';

const url = process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql';
const isSse = process.argv[2] === 'sse';
const client = isSse ? createSseClient({ url }) : createWsClient({ url: url.replace('http', 'ws') });

/** The results of a query or a mutation, which has one, or of a subscription. */
function iterate<Data>(payload: SubscribePayload | { documentId: string }) {
  // The types of the libraries know texts only.
  return client.iterate(payload as never) as AsyncIterableIterator<ExecutionResult<Data>>;
}

async function request<Data>(payload: SubscribePayload | { documentId: string }): Promise<ExecutionResult<Data>> {
  for await (const result of iterate<Data>(payload)) return result;
  throw new Error('The gateway sent no result.');
}

interface Events {
  queryEvents: { pageInfo: { startCursor: string }; nodes: { id: string }[] };
}
const query = `query ($count: Int!, $before: String) {
  queryEvents(last: $count, before: $before) { pageInfo { startCursor } nodes { id } }
}`;

const newest = (await request<Events>({ query, variables: { count: 6 } })).data?.queryEvents;
console.log('query', newest?.nodes.length);

const before = newest?.pageInfo.startCursor;
const older = (await request<Events>({ query, variables: { count: 6, before } })).data?.queryEvents;
console.log('page', ...[...(older?.nodes ?? []), ...(newest?.nodes ?? [])].map(({ id }) => id));

const { errors } = await request<Events>({ query, variables: { count: 6, before: 'no cursor' } });
console.log('error', errors?.[0]?.extensions?.code);

const { data } = await request<{ reserveGas: { state: string } }>({
  query: `mutation ($key: String!) {
    reserveGas(gasBudget: 10000000, reserveDurationSecs: 60, idempotencyKey: $key) { reservationId state }
  }`,
  variables: { key: crypto.randomUUID() },
});
console.log('mutation', data?.reserveGas?.state);

// graphql-ws requires a text.
const byId = { documentId: 'Chain', ...(!isSse && { query: '' }) };
const chain = await request<{ chainIdentifier: string }>(byId);
console.log('document id', chain.data?.chainIdentifier);

const live = iterate<{ liveEvents: { event?: { id: string } } }>({
  query: 'subscription ($after: String) { liveEvents(after: $after) { ... on LiveEventItem { event { id } } } }',
  variables: { after: before },
});
for await (const { data: item } of live) {
  console.log('subscription', item?.liveEvents.event?.id);
  break;
}
await client.dispose();
