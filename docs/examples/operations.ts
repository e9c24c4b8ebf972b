import { graphql } from './generated/documents/index.ts';

export const Events = graphql(`
  query Events($filter: EventQueryFilter, $count: Int!, $before: String) {
    queryEvents(filter: $filter, last: $count, before: $before) {
      pageInfo { hasPreviousPage startCursor }
      edges { cursor node { id type sender timestampMs parsedJson } }
    }
  }
`);

export const Reserve = graphql(`
  mutation Reserve($key: String!) {
    reserveGas(gasBudget: 10000000, reserveDurationSecs: 60, idempotencyKey: $key) { reservationId state }
  }
`);

export const Live = graphql(`
  subscription Live($after: String) {
    liveEvents(after: $after) { __typename ... on LiveEventItem { event { id } } }
  }
`);

export const Chain = graphql(`
  query Chain { chainIdentifier }
`);

/** The document's id in the manifest. */
export const toId = (document: object) => (document as { __meta__?: { hash: string } }).__meta__?.hash ?? '';
