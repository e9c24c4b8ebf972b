import type { ObjectRecord } from '../state/records.ts';

/** The part of the ledger that execution reads. */
export interface LedgerView {
  /** The newest live version, pending transactions included. */
  currentObject(objectId: string): ObjectRecord | undefined;
  readonly epoch: number;
  readonly referenceGasPrice: bigint;
  readonly nativeCoinType: string;
  readonly timestampMs: number;
  readonly nextTransactionSequence: number;
  readonly nextEventSequence: number;
  /** The signature of a Move function, by `package::module::function`; `undefined` if the devnet does not know it. */
  describeCall(target: string): CallSignature | undefined;
}

/** A Move function of a package the devnet knows. */
export interface CallSignature {
  readonly parameters: readonly CallParameter[];
  /** Struct type of the event it emits, without type parameters: `package::module::Struct`. */
  readonly eventType: string;
  /** Whether the function's type arguments become the event's type parameters. */
  readonly isEventGeneric: boolean;
  /** Type of the object it returns, if any. */
  readonly returns: string | null;
}

export interface CallParameter {
  readonly name: string;
  readonly type: 'u8' | 'u64' | 'bool' | 'address' | 'string' | 'object';
}
