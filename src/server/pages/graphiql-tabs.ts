import { type GraphQLSchema, parse, validate } from 'graphql';

export interface ExampleTab {
  readonly query: string;
  readonly variables?: string;
}

/** What the examples say of the gateway's upstreams. */
export interface ExampleSources {
  /** Where its events come from; `null`: it has none. */
  readonly events: string | null;
  readonly hasSponsor: boolean;
}

const latestTransactions = (field: string): ExampleTab => ({
  query: `# The latest transactions, forwarded to the ledger.
query LatestTransactions($count: Int!) {
  chainIdentifier
  ${field}(last: $count) {
    pageInfo { hasPreviousPage startCursor }
    nodes {
      digest
      sender { address }
      effects { status timestamp }
    }
  }
}
`,
  variables: toText({ count: 5 }),
});

const latestEvents = (source: string | null): ExampleTab => ({
  query: `# The latest events, oldest first${source ? `,\n# from ${source}` : ''}.
# For the previous page, set the variable "before"
# to startCursor.
query LatestEvents(
  $filter: EventQueryFilter
  $before: String
) {
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
  variables: toText({ filter: { all: true } }),
});

const liveTab: ExampleTab = {
  query: `# Events as they happen. To resume after an event,
# set the variable "after" to its cursor.
subscription LiveEvents(
  $filter: EventStreamFilter
  $after: String
) {
  liveEvents(filter: $filter, after: $after) {
    __typename
    ... on LiveEventItem {
      cursor
      event { id type sender parsedJson }
    }
    ... on LiveGap { after before reason }
    ... on LiveMissed { count resumeAfter }
  }
}
`,
  variables: toText({ filter: { all: [] } }),
};

const reserveTab: ExampleTab = {
  query: `# Sponsorship, step 1: reserve gas coins.
# "object" joins each coin with its ledger object.
mutation Reserve {
  reserveGas(gasBudget: 10000000, reserveDurationSecs: 300) {
    reservationId
    sponsorAddress
    expiresAt
    gasCoins {
      objectId
      version
      digest
      object { owner { __typename } }
    }
  }
}
`,
};

const signTab = (addressType: string): ExampleTab => ({
  query: `# Step 2, only on the simulated network: build and
# sign a small transaction. Run Reserve first: its
# result fills in the variables.
query Sign(
  $sponsorAddress: ${addressType}
  $gasCoins: [DevnetGasCoinInput!]!
) {
  devnetSignTransaction(
    sponsorAddress: $sponsorAddress
    gasCoins: $gasCoins
    gasBudget: 10000000
  ) {
    txBytes
    userSig
    digest
  }
}
`,
  variables: toText({
    sponsorAddress: '(from Reserve)',
    // Placeholders of the variables' types: the editor marks other types as errors.
    gasCoins: [{ objectId: '(from Reserve)', version: 0, digest: '' }],
  }),
});

const executeQuery = `mutation Execute(
  $reservationId: ID!
  $txBytes: Base64!
  $userSig: Base64!
) {
  executeTx(
    reservationId: $reservationId
    txBytes: $txBytes
    userSig: $userSig
  ) {
    digest
    outcome
    effects {
      status { status error }
      gasUsed {
        computationCost
        storageCost
        storageRebate
      }
    }
    transactionBlock(waitMs: 5000) {
      digest
      effects {
        status
        checkpoint { sequenceNumber }
      }
    }
  }
}
`;

/** The page fills in the results of the steps before. */
const executeSignedTab: ExampleTab = {
  query: `# Step 3: execute. Run Reserve and Sign first.\n${executeQuery}`,
  variables: toText({ reservationId: '(from Reserve)', txBytes: '(from Sign)', userSig: '(from Sign)' }),
};

/** For real networks, where users sign transactions themselves. */
const executeTab: ExampleTab = {
  query: `# Step 2: execute. Run Reserve first. Then build and
# sign a transaction that pays with those coins.
${executeQuery}`,
  variables: toText({ reservationId: '(from Reserve)', txBytes: 'BCS, in base64', userSig: 'in base64' }),
};

const everything = ({ hasSponsor }: ExampleSources): ExampleTab => ({
  query: `# The ledger, its${hasSponsor ? ' gas sponsor,' : ''} events and the gateway,
# in one operation.
query Everything {
  chainIdentifier
  epoch { epochId referenceGasPrice }
${
  hasSponsor
    ? `  sponsor {
    health
    version { semver buildHash }
  }
`
    : ''
}  queryEvents(last: 3) {
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
});

/** The examples that a schema supports, in the order in which to run them. */
export function exampleTabs(schema: GraphQLSchema, sources: ExampleSources): readonly ExampleTab[] {
  const isServed = ({ query }: ExampleTab) => {
    const document = parse(query);
    // Validation accepts any mutation if the schema has no mutation type.
    const hasRoots = document.definitions.every((each) => !('operation' in each) || schema.getRootType(each.operation));
    return hasRoots && validate(schema, document).length === 0;
  };
  const fields = schema.getQueryType()?.getFields() ?? {};
  const signer = fields.devnetSignTransaction?.args.find(({ name }) => name === 'sponsorAddress');
  return [
    everything(sources),
    latestTransactions(fields.transactionBlocks ? 'transactionBlocks' : 'transactions'),
    latestEvents(sources.events),
    liveTab,
    reserveTab,
    ...(signer ? [signTab(String(signer.type)), executeSignedTab] : [executeTab]),
  ].filter(isServed);
}

function toText(variables: object): string {
  return JSON.stringify(variables, null, 2);
}
