import { GraphQLClient } from 'graphql-request';
import { Events } from './operations.ts';

const client = new GraphQLClient(process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql');

const { queryEvents } = await client.request(Events, { filter: { moveEvent: 'ItemSold' }, count: 3 });
for (const { node } of queryEvents?.edges ?? []) console.log(node.id, node.type);

// The types enforce that a filter has exactly one member.
// @ts-expect-error
export const twoMembers = () => client.request(Events, { filter: { moveEvent: 'ItemSold', sender: '0x2' }, count: 3 });
