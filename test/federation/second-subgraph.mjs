import { createServer } from 'node:http';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { graphql, parse } from 'graphql';

/**
 * The SDL of a subgraph that extends the ledger's types, refers to them, and has a `PageInfo` of its own.
 * @param network the names of the ledger's types: transactions, and the scalar of addresses
 */
export function secondSdl({ transaction, address }) {
  return `
    extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@external", "@requires"])
    scalar ${address}
    type Query {
      listings(addresses: [${address}!]!): ListingConnection!
      note(digest: String!): Note
      reservationNote(reservationId: ID!): ReservationNote
    }
    type ListingConnection { nodes: [Listing!]! pageInfo: PageInfo! }
    type PageInfo @shareable { hasPreviousPage: Boolean! hasNextPage: Boolean! startCursor: String endCursor: String }
    type Listing { price: Int! item: Object }
    type Note { text: String! about: ${transaction} }
    type ReservationNote { text: String! about: GasReservation }
    type Object @key(fields: "address") {
      address: ${address}!
      digest: String @external
      listing: Listing!
      digestLength: Int! @requires(fields: "digest")
    }
    type ${transaction} @key(fields: "digest") { digest: String${transaction === 'Transaction' ? '!' : ''} note: String! }
    type GasReservation @key(fields: "reservationId") { reservationId: ID! purpose: String! }
    type RpcEvent @key(fields: "id") { id: ID! label: String! }
  `;
}

const resolvers = ({ transaction }) => ({
  Query: {
    listings: (_, { addresses }) => ({
      nodes: addresses.map((address, price) => ({ price, item: { __typename: 'Object', address } })),
      pageInfo: { hasPreviousPage: false, hasNextPage: false },
    }),
    note: (_, { digest }) => ({ text: 'a note', about: { __typename: transaction, digest } }),
    reservationNote: (_, { reservationId }) => ({
      text: 'a note',
      about: { __typename: 'GasReservation', reservationId },
    }),
  },
  Object: {
    __resolveReference: (reference) => reference,
    listing: ({ address }) => ({ price: 7, item: { __typename: 'Object', address } }),
    digestLength: ({ digest }) => digest.length,
  },
  [transaction]: { __resolveReference: (reference) => reference, note: ({ digest }) => `about ${digest}` },
  GasReservation: { __resolveReference: (reference) => reference, purpose: () => 'a test' },
  RpcEvent: { __resolveReference: (reference) => reference, label: ({ id }) => `event ${id}` },
});

/** Serves the second subgraph. */
export function startSecond(network) {
  const schema = buildSubgraphSchema({ typeDefs: parse(secondSdl(network)), resolvers: resolvers(network) });
  return startGraphql((source, variableValues) => graphql({ schema, source, variableValues }));
}

/** A GraphQL server over HTTP. @param answer returns the response to a query and its variables */
export async function startGraphql(answer) {
  const server = createServer(async (req, res) => {
    const chunks = await req.toArray();
    const { query, variables } = JSON.parse(Buffer.concat(chunks).toString());
    const body = JSON.stringify(await answer(query, variables));
    res.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/graphql`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
