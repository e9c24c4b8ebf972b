import { bcs } from '@mysten/bcs';
import { ledgerBcs, taggedUnion } from '../../transactions/ledger-bcs.ts';
import { programmableTransactionBcs, transactionDataBcsOf } from '../../transactions/transaction-bcs.ts';

const { address, u53 } = ledgerBcs;

/** The kinds of transactions. Index 3 is an older system transaction that the devnet does not send. */
export const transactionPayloadBcs = taggedUnion('transaction kind', {
  PROGRAMMABLE_TX: [0, programmableTransactionBcs],
  GENESIS: [1, bcs.struct('Genesis', { objectIds: bcs.vector(address) })],
  CONSENSUS_COMMIT_PROLOGUE_V1: [
    2,
    bcs.struct('ConsensusCommitPrologueV1', { epoch: u53, round: u53, commitTimestampMs: u53 }),
  ],
  END_OF_EPOCH_TX: [4, bcs.struct('EndOfEpoch', { nextEpoch: u53, epochStartTimestampMs: u53 })],
});

/** TransactionData of any kind that is in the ledger. */
export const transactionDataBcs = transactionDataBcsOf(transactionPayloadBcs);
