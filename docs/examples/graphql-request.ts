import { print } from 'graphql';
import { ClientError, GraphQLClient } from 'graphql-request';
import { createClient } from 'graphql-sse';
import { Chain, Events, Live, Reserve, toId } from './operations.ts';

const url = process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql';
const client = new GraphQLClient(url);

const { queryEvents } = await client.request(Events, { count: 6 });
console.log('query', queryEvents?.edges.length);

const before = queryEvents?.pageInfo.startCursor ?? null;
const older = await client.request(Events, { count: 6, before });
const edges = [...(older.queryEvents?.edges ?? []), ...(queryEvents?.edges ?? [])];
console.log('page', ...edges.map(({ node }) => node.id));

await client.request(Events, { count: 6, before: 'no cursor' }).catch((error) => {
  if (error instanceof ClientError) console.log('error', error.response.errors?.[0]?.extensions.code);
});

// graphql-request never repeats by itself. Repeat with the same key.
const { reserveGas } = await client.request(Reserve, { key: crypto.randomUUID() });
console.log('mutation', reserveGas?.state);

// Sends the id of a trusted document in place of its text.
const byId = new GraphQLClient(url, {
  requestMiddleware: (request) => ({
    ...request,
    body: JSON.stringify({ documentId: toId(Chain), variables: request.variables }),
  }),
});
console.log('document id', (await byId.request(Chain)).chainIdentifier);

// graphql-request has no subscriptions.
for await (const { data } of createClient({ url }).iterate<{ liveEvents: { event?: { id: string } } }>({
  query: print(Live),
  variables: { after: before },
})) {
  console.log('subscription', data?.liveEvents.event?.id);
  break;
}

// The types enforce that a filter has exactly one member.
// @ts-expect-error
export const twoMembers = () => client.request(Events, { filter: { eventType: '0x2::m::T', sender: '0x2' }, count: 3 });
