/** A validator will not run the transaction. Thrown inside execution; the ledger turns it into an outcome. */
export class TransactionRefusal extends Error {
  override readonly name = 'TransactionRefusal';
}

/** A refusal because of inputs or gas payment, in the node's words: a prefix, then the reason. */
export function inputRefusal(reason: string): TransactionRefusal {
  return new TransactionRefusal(`Error checking transaction input objects: ${reason}`);
}

/** The transaction runs and fails: gas is paid, nothing else happens. The message is the status text of the effects. */
export class ExecutionFailure extends Error {
  override readonly name = 'ExecutionFailure';
}
