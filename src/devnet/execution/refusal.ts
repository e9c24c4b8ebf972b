/** A validator will not run the transaction. Thrown inside execution, turned into an outcome at its door. */
export class TransactionRefusal extends Error {
  override readonly name = 'TransactionRefusal';
}

/** What a node says about inputs and gas payments: one prefix, then the reason. */
export function inputRefusal(reason: string): TransactionRefusal {
  return new TransactionRefusal(`Error checking transaction input objects: ${reason}`);
}

/** The transaction runs and fails: gas is paid, nothing else happens. The message is the status text of the effects. */
export class ExecutionFailure extends Error {
  override readonly name = 'ExecutionFailure';
}
