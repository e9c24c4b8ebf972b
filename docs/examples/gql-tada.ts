import { initGraphQLTada } from 'gql.tada';
import { GraphQLClient } from 'graphql-request';
import type { Scalars } from 'ledger-gateway/client/schema';
import type { introspection } from './generated/graphql-env.d.ts';

const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: Scalars;
}>();

const Newest = graphql(`query Newest { queryEvents(last: 1) { nodes { sender } } }`);

const Activity = graphql(`
  query Activity($sender: LedgerAddress!) {
    address(address: $sender) { balances { nodes { totalBalance } } }
    queryEvents(filter: { sender: $sender }, last: 3) { nodes { id timestampMs } }
  }
`);

const client = new GraphQLClient(process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql');
const newest = await client.request(Newest);
const sender = newest.queryEvents?.nodes[0]?.sender ?? '0x0';
const { address, queryEvents } = await client.request(Activity, { sender });
const balances: (string | null | undefined)[] = address?.balances.nodes.map(({ totalBalance }) => totalBalance) ?? [];
console.log(sender, balances.length, 'balances');
for (const { id } of queryEvents?.nodes ?? []) console.log(id);
