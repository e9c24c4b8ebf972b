import { createClient, GatewayError } from 'ledger-gateway/client';
import { NewestEvents } from './texts.ts';

const client = createClient({ url: process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql' });

const { queryEvents: newest } = await client.request(NewestEvents, { count: 1 });
const filter = { eventType: newest?.nodes[0]?.type ?? '' };
const { queryEvents } = await client.request(NewestEvents, { filter, count: 3 });
for (const { id, type } of queryEvents?.nodes ?? []) console.log(id, type);

let count = 0;
for await (const page of client.pages(NewestEvents, { count: 50 }, (data) => data.queryEvents))
  count += page.nodes.length;
console.log(count, 'events');

try {
  await client.request(NewestEvents, { count: 50, before: 'not a cursor' });
} catch (error) {
  if (error instanceof GatewayError) console.log(error.code, error.retry);
}
