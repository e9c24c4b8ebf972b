import { initGraphQLTada } from 'gql.tada';
import { print } from 'graphql';
import { createClient, GatewayError } from 'ledger-gateway/client';
import type { Scalars } from 'ledger-gateway/client/schema';
import type { introspection } from './generated/graphql-env.d.ts';

const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: Scalars;
}>();

const Events = graphql(`
  query Events($count: Int!, $before: String) {
    queryEvents(last: $count, before: $before) { pageInfo { hasPreviousPage startCursor } nodes { id sender } }
  }
`);

// One variable serves fields of the ledger and of the gateway.
const Activity = graphql(`
  query Activity($sender: LedgerAddress!) {
    address(address: $sender) { balances { nodes { totalBalance } } }
    queryEvents(filter: { sender: $sender }, last: 3) { nodes { id timestampMs } }
  }
`);

const Reserve = graphql(`
  mutation Reserve($key: String!) {
    reserveGas(gasBudget: 10000000, reserveDurationSecs: 60, idempotencyKey: $key) { reservationId state }
  }
`);

const Live = graphql(`
  subscription Live($after: String) {
    liveEvents(after: $after) { __typename ... on LiveEventItem { event { id } } }
  }
`);

// `gql.tada generate-persisted` writes the manifest with this id.
const Chain = graphql.persisted('Chain', graphql(`query Chain { chainIdentifier }`));

const client = createClient({ url: process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql', print, documentIds: true });

const { queryEvents } = await client.request(Events, { count: 6 });
console.log('query', queryEvents?.nodes.length);

const before = queryEvents?.pageInfo.startCursor ?? null;
const older = await client.request(Events, { count: 6, before });
console.log('page', ...[...(older.queryEvents?.nodes ?? []), ...(queryEvents?.nodes ?? [])].map(({ id }) => id));

const sender = queryEvents?.nodes.at(-1)?.sender ?? '0x0';
const { address, queryEvents: theirs } = await client.request(Activity, { sender });
const balances: (string | null | undefined)[] = address?.balances.nodes.map(({ totalBalance }) => totalBalance) ?? [];
console.log('activity', sender, balances.length > 0, ...(theirs?.nodes.map(({ id }) => id) ?? []));

await client.request(Events, { count: 6, before: 'no cursor' }).catch((error) => {
  if (error instanceof GatewayError) console.log('error', error.code);
});

const { reserveGas } = await client.request(Reserve, { key: crypto.randomUUID() });
console.log('mutation', reserveGas?.state);

console.log('document id', (await client.request(Chain)).chainIdentifier);

for await (const { data } of client.tail(Live, {}, { after: before })) {
  if (data.liveEvents.__typename === 'LiveEventItem') console.log('subscription', data.liveEvents.event.id);
  break;
}
