import { graphql } from './generated/documents/index.ts';

export const Events = graphql(`
  query Events($filter: EventQueryFilter, $count: Int!, $before: String) {
    queryEvents(filter: $filter, last: $count, before: $before) {
      pageInfo { hasPreviousPage startCursor }
      edges { cursor node { id type sender timestampMs parsedJson } }
    }
  }
`);
