import { graphql } from './generated/texts/index.ts';

export const NewestEvents = graphql(`
  query NewestEvents($filter: EventQueryFilter, $count: Int!, $before: String) {
    queryEvents(filter: $filter, last: $count, before: $before) {
      pageInfo { hasPreviousPage startCursor }
      nodes { id type sender }
    }
  }
`);

export const LiveEvents = graphql(`
  subscription LiveEvents($filter: EventStreamFilter) {
    liveEvents(filter: $filter) {
      __typename
      ... on LiveEventItem { event { id type sender } }
      ... on LiveGap { reason }
      ... on LiveMissed { count resumeAfter }
    }
  }
`);

export const Execute = graphql(`
  mutation Execute($reservationId: ID!, $txBytes: Base64!, $userSig: Base64!, $idempotencyKey: String) {
    executeTx(reservationId: $reservationId, txBytes: $txBytes, userSig: $userSig, idempotencyKey: $idempotencyKey) {
      digest
      outcome
      transactionBlock(waitMs: 5000) { effects { status } }
    }
  }
`);
