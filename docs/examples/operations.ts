import { graphql } from './generated/documents/index.ts';

export const Events = graphql(`
  query Events($filter: EventQueryFilter, $count: Int!, $before: String) {
    queryEvents(filter: $filter, last: $count, before: $before) {
      pageInfo { hasPreviousPage startCursor }
      edges { cursor node { id type sender timestampMs parsedJson } }
    }
  }
`);

export const GasPrice = graphql(`
  query GasPrice {
    epoch { referenceGasPrice }
  }
`);

export const Reserve = graphql(`
  mutation Reserve($gasBudget: UInt53!) {
    reserveGas(gasBudget: $gasBudget, reserveDurationSecs: 60) {
      reservationId
      sponsorAddress
      gasCoins { objectId version digest }
    }
  }
`);

export const Execute = graphql(`
  mutation Execute($reservationId: ID!, $txBytes: Base64!, $userSig: Base64!) {
    executeTx(reservationId: $reservationId, txBytes: $txBytes, userSig: $userSig) {
      digest
      outcome
      transactionBlock(waitMs: 5000) { effects { status } }
    }
  }
`);
