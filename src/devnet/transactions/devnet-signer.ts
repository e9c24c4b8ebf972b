import { transactionDigest } from '../../transactions/digest.ts';
import type { ObjectRef } from '../../transactions/transaction-bcs.ts';
import type { DevnetAccounts } from '../genesis/accounts.ts';
import type { DevnetContracts } from '../genesis/contracts.ts';
import { encodeTransactionData } from './encode-transaction.ts';
import { createProgrammableBuilder } from './programmable-builder.ts';
import { signTransaction } from './signature.ts';

export interface DevnetSignerOptions {
  readonly accounts: Pick<DevnetAccounts, 'visitor'>;
  readonly contracts: Pick<DevnetContracts, 'packages'>;
  /** Price per unit of gas that the transaction offers. */
  readonly gasPrice: bigint;
}

export interface SigningRequest {
  /** Owner of the gas coins. */
  readonly sponsorAddress: string;
  readonly gasCoins: readonly ObjectRef[];
  /** In the native coin's smallest unit. */
  readonly gasBudget: bigint;
}

export interface SignedForSponsor {
  /** BCS of the TransactionData. */
  readonly bytes: Uint8Array;
  /** The visitor's signature: base64 of flag ‖ signature ‖ public key. The gas owner's is still missing. */
  readonly signature: string;
  /** Base58. */
  readonly digest: string;
}

/**
 * Returns a function that builds and signs, as the devnet's visitor, a transaction that mints a hero and keeps it:
 * one event, one new object, and no input of the visitor's that could go stale. Each is different, so none is ever a
 * replay.
 */
export function createDevnetSigner(options: DevnetSignerOptions): (request: SigningRequest) => SignedForSponsor {
  const { visitor } = options.accounts;
  let signed = 0;
  return ({ sponsorAddress, gasCoins, gasBudget }) => {
    signed += 1;
    const builder = createProgrammableBuilder();
    const fields = [builder.text(`Hero ${signed}`), builder.u64(signed)];
    builder.transfer([builder.call(`${options.contracts.packages.arena}::hero::mint`, fields)], visitor.address);
    const bytes = encodeTransactionData({
      kind: builder.build(),
      sender: visitor.address,
      gas: { payment: gasCoins, owner: sponsorAddress, price: options.gasPrice, budget: gasBudget },
      expirationEpoch: null,
    });
    return { bytes, signature: signTransaction(visitor, bytes), digest: transactionDigest(bytes) };
  };
}
