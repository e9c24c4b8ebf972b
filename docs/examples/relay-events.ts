import { graphql } from 'relay-runtime';

export const eventsQuery = () => graphql`
  query relayEventsQuery($filter: EventQueryFilter, $count: Int!, $before: String) {
    queryEvents(filter: $filter, last: $count, before: $before) @connection(key: "relayEvents_queryEvents") {
      edges { node { id type sender } }
      pageInfo { startCursor }
    }
  }
`;
