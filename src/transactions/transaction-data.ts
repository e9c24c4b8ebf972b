import type { TypeTag } from './type-tag.ts';

/** Names one version of one object. */
export interface ObjectRef {
  readonly objectId: string;
  readonly version: number;
  readonly digest: string;
}

/**
 * TransactionData V1, decoded. What users send is of the kind `ProgrammableTransaction`; a ledger has kinds of its own
 * besides.
 */
export interface TransactionData<Payload = ProgrammableTransaction> {
  readonly kind: Payload;
  readonly sender: string;
  readonly gas: GasData;
  /** The last epoch it may execute in; `null`: any. */
  readonly expirationEpoch: number | null;
}

export interface GasData {
  readonly payment: readonly ObjectRef[];
  readonly owner: string;
  readonly price: bigint;
  readonly budget: bigint;
}

export interface ProgrammableTransaction {
  readonly kind: 'PROGRAMMABLE_TX';
  readonly inputs: readonly CallArg[];
  readonly commands: readonly Command[];
}

export type CallArg =
  | { readonly kind: 'pure'; readonly bytes: Uint8Array }
  | { readonly kind: 'owned'; readonly ref: ObjectRef }
  | {
      readonly kind: 'shared';
      readonly objectId: string;
      readonly initialSharedVersion: number;
      readonly mutable: boolean;
    }
  | { readonly kind: 'receiving'; readonly ref: ObjectRef };

export type Argument =
  | { readonly kind: 'gasCoin' }
  | { readonly kind: 'input'; readonly index: number }
  | { readonly kind: 'result'; readonly index: number }
  | { readonly kind: 'nestedResult'; readonly index: number; readonly resultIndex: number };

export type Command =
  | MoveCallCommand
  | { readonly kind: 'transferObjects'; readonly objects: readonly Argument[]; readonly recipient: Argument }
  | { readonly kind: 'splitCoins'; readonly coin: Argument; readonly amounts: readonly Argument[] }
  | { readonly kind: 'mergeCoins'; readonly destination: Argument; readonly sources: readonly Argument[] }
  | { readonly kind: 'publish'; readonly modules: readonly Uint8Array[]; readonly dependencies: readonly string[] }
  | { readonly kind: 'makeMoveVec'; readonly type: TypeTag | null; readonly elements: readonly Argument[] }
  | {
      readonly kind: 'upgrade';
      readonly modules: readonly Uint8Array[];
      readonly dependencies: readonly string[];
      readonly package: string;
      readonly ticket: Argument;
    };

export interface MoveCallCommand {
  readonly kind: 'moveCall';
  readonly package: string;
  readonly module: string;
  readonly function: string;
  readonly typeArguments: readonly TypeTag[];
  readonly arguments: readonly Argument[];
}
