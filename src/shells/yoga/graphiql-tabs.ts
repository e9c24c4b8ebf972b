/** One tab of GraphiQL, as its page takes it. */
export interface ExampleTab {
  readonly query: string;
  readonly variables?: string;
}

const ledgerTab: ExampleTab = {
  query: `# The ledger, unchanged: its newest transactions, a page at a time.
query LatestTransactions($count: Int!) {
  chainIdentifier
  transactionBlocks(last: $count) {
    pageInfo { hasPreviousPage startCursor }
    nodes { ...Brief }
  }
}

fragment Brief on TransactionBlock {
  digest
  sender { address }
  effects { status timestamp }
}
`,
  variables: JSON.stringify({ count: 5 }, null, 2),
};

const eventsTab: ExampleTab = {
  query: `# Events over JSON-RPC, as a connection: newest last. Pass startCursor as "before" for the page before.
query LatestEvents($filter: EventQueryFilter, $before: String) {
  queryEvents(filter: $filter, last: 5, before: $before) {
    pageInfo { hasPreviousPage startCursor }
    nodes {
      id
      type
      sender
      timestampMs
      parsedJson
    }
  }
}
`,
  variables: JSON.stringify({ filter: { all: true } }, null, 2),
};

const reserveTab: ExampleTab = {
  query: `# Sponsorship, step 1 of 3: reserve gas coins. Each coin is joined to the ledger's view of it.
mutation Reserve {
  reserveGas(gasBudget: 10000000, reserveDurationSecs: 300) {
    reservationId
    sponsorAddress
    expiresAt
    gasCoins {
      objectId
      version
      digest
      object { status }
    }
  }
}
`,
};

const signTab: ExampleTab = {
  query: `# Sponsorship, step 2 of 3, on the devnet only: it builds and signs a small transaction with a key of its own.
# Put sponsorAddress and gasCoins of step 1 into the variables.
query Sign($sponsorAddress: LedgerAddress!, $gasCoins: [DevnetGasCoinInput!]!) {
  devnetSignTransaction(sponsorAddress: $sponsorAddress, gasCoins: $gasCoins, gasBudget: 10000000) {
    txBytes
    userSig
    digest
  }
}
`,
  variables: JSON.stringify(
    { sponsorAddress: '0x...', gasCoins: [{ objectId: '0x...', version: 1, digest: '...' }] },
    null,
    2,
  ),
};

const executeTab: ExampleTab = {
  query: `# Sponsorship, step 3 of 3: execute. Put reservationId of step 1, txBytes and userSig of step 2 into the variables.
mutation Execute($reservationId: ID!, $txBytes: Base64!, $userSig: Base64!) {
  executeTx(reservationId: $reservationId, txBytes: $txBytes, userSig: $userSig) {
    digest
    outcome
    effects {
      status { status error }
      gasUsed { computationCost storageCost storageRebate }
    }
    transactionBlock(waitMs: 5000) {
      digest
      effects { status checkpoint { sequenceNumber } }
    }
  }
}
`,
  variables: JSON.stringify({ reservationId: '...', txBytes: '...', userSig: '...' }, null, 2),
};

const mixedTab: ExampleTab = {
  query: `# All three upstreams in one operation, and what the gateway says of itself.
query Everything {
  chainIdentifier
  epoch { epochId referenceGasPrice }
  sponsor {
    health
    version { semver buildHash }
  }
  queryEvents(last: 3) {
    nodes {
      type
      transactionBlock { digest effects { status } }
    }
  }
  gateway {
    version
    upstreams { name state lastSeenAt }
  }
}
`,
};

/** On a real network there is no example of sponsorship: only the devnet signs for somebody else. */
export function exampleTabs({ devnet }: { readonly devnet: boolean }): readonly ExampleTab[] {
  return [mixedTab, ledgerTab, eventsTab, reserveTab, ...(devnet ? [signTab] : []), executeTab];
}
