import { graphql } from 'relay-runtime';

export const documents = () => [
  graphql`
    query relayEventsQuery($filter: EventQueryFilter, $count: Int!, $before: String) {
      queryEvents(filter: $filter, last: $count, before: $before) @connection(key: "relayEvents_queryEvents") {
        edges { node { id type sender } }
        pageInfo { startCursor }
      }
    }
  `,
  graphql`
    mutation relayEventsReserveMutation($key: String!) {
      reserveGas(gasBudget: 10000000, reserveDurationSecs: 60, idempotencyKey: $key) { reservationId state }
    }
  `,
  graphql`
    subscription relayEventsLiveSubscription($after: String) {
      liveEvents(after: $after) { __typename ... on LiveEventItem { event { id } } }
    }
  `,
  graphql`
    query relayEventsChainQuery { chainIdentifier }
  `,
];
