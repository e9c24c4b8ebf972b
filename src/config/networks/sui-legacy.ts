import { type ProfileDifferences, rpcMethodsWith } from './profile-schema.ts';

const suiKinds = [
  'ProgrammableTransaction',
  'ChangeEpoch',
  'Genesis',
  'ConsensusCommitPrologue',
  'AuthenticatorStateUpdate',
  'EndOfEpochTransaction',
  'RandomnessStateUpdate',
];

/** Sui's first GraphQL RPC, whose schema has transaction blocks. */
export const suiLegacy: ProfileDifferences = {
  name: 'sui-legacy',
  recognisedBy: ['SuiAddress', 'Query.transactionBlock'],
  headers: { version: 'x-sui-rpc-version', showUsage: 'x-sui-rpc-show-usage', showUsageByPresence: true },
  events: {
    methods: rpcMethodsWith('suix'),
    filters: {
      moveEvent: null,
      eventType: 'MoveEventType',
      recipient: null,
      object: null,
      package: 'Package',
      moveEventType: 'MoveEventType',
    },
    timeRange: { encoding: 'text', endExclusive: true },
  },
  history: { transactions: { content: { kinds: suiKinds } } },
  subscriptions: { path: '/subscriptions' },
  sponsor: { requestTypeKey: 'request_type', transactionForms: 'extended' },
};
