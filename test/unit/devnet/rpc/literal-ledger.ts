import { base58 } from '@scure/base';
import type { QueriedLedger } from '../../../../src/devnet/rpc/queries.ts';
import type {
  EventRecord,
  ObjectChange,
  ObjectRecord,
  TransactionRecord,
} from '../../../../src/devnet/state/records.ts';

/** `7` → `0x00…07`. */
export const address = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;
/** A digest that says which transaction it is of. */
export const digestOf = (sequence: number) => base58.encode(new Uint8Array(32).fill(sequence + 1));

export interface LiteralEvent {
  readonly packageId?: string;
  readonly module?: string;
  readonly type?: string;
  readonly json?: Readonly<Record<string, unknown>>;
}

export interface LiteralTransaction
  extends Partial<Pick<TransactionRecord, 'kind' | 'sender' | 'moveCalls' | 'inputObjects' | 'status'>> {
  readonly checkpoint?: number;
  readonly timestampMs?: number;
  readonly events?: readonly LiteralEvent[];
  readonly recipients?: readonly string[];
  readonly objectIds?: readonly string[];
  readonly changes?: readonly ObjectChange[];
  /** Not in a checkpoint yet. */
  readonly pending?: boolean;
}

const noGas = {
  computationCost: 1n,
  computationCostBurned: 1n,
  storageCost: 2n,
  storageRebate: 0n,
  nonRefundableStorageFee: 0n,
};

/** A ledger written down transaction by transaction. */
export function literalLedger(
  literals: readonly LiteralTransaction[],
): QueriedLedger & { readonly all: readonly TransactionRecord[] } {
  let eventCount = 0;
  const all = literals.map((literal, sequence): TransactionRecord => {
    const sender = literal.sender ?? address(1);
    const timestampMs = literal.timestampMs ?? sequence;
    return {
      digest: digestOf(sequence),
      sequence,
      kind: literal.kind ?? 'PROGRAMMABLE_TX',
      sender,
      bytes: new Uint8Array(),
      signatures: () => [],
      gas: { owner: sender, payment: [], price: 1n, budget: 1n },
      moveCalls: literal.moveCalls ?? [],
      inputObjects: literal.inputObjects ?? [],
      inputIds: (literal.inputObjects ?? []).map(({ objectId }) => objectId),
      expirationEpoch: null,
      status: literal.status ?? { ok: true },
      gasUsed: noGas,
      lamportVersion: 1,
      dependencies: [],
      changes: literal.changes ?? [],
      gasObject: null,
      balanceChanges: [],
      events: (literal.events ?? []).map((event, eventSeq): EventRecord => {
        const sequenceInLedger = eventCount;
        eventCount += 1;
        return {
          txDigest: digestOf(sequence),
          eventSeq,
          sequence: sequenceInLedger,
          packageId: event.packageId ?? address(2),
          transactionModule: event.module ?? 'coin',
          sender,
          type: event.type ?? `${address(2)}::coin::Minted`,
          json: event.json ?? {},
          bcs: Uint8Array.of(eventSeq),
          timestampMs,
          objectIds: literal.objectIds ?? [],
          recipients: literal.recipients ?? [],
        };
      }),
      eventsDigest: null,
      epoch: 0,
      timestampMs,
      checkpoint: literal.pending ? null : (literal.checkpoint ?? sequence),
    };
  });
  const transactions = all.filter(({ checkpoint }) => checkpoint !== null);
  return {
    all,
    transactions,
    events: transactions.flatMap(({ events }) => events),
    transaction: (digest) => all.find((transaction) => transaction.digest === digest),
    checkpoint: (sequenceNumber) => {
      const inside = transactions.filter(({ checkpoint }) => checkpoint === sequenceNumber);
      const [first] = inside;
      if (!first) return undefined;
      return {
        sequenceNumber,
        digest: digestOf(sequenceNumber),
        previousDigest: null,
        timestampMs: 0,
        epoch: 0,
        firstTransaction: first.sequence,
        endTransaction: first.sequence + inside.length,
        networkTotalTransactions: first.sequence + inside.length,
        rollingGasSummary: noGas,
        coinSupplies: new Map(),
        storageFund: 0n,
        validatorSignatures: '',
      };
    },
    object: () => undefined,
  };
}

export function ownedObject(objectId: string, owner: string, more: Partial<ObjectRecord> = {}): ObjectRecord {
  return {
    objectId,
    version: 1,
    digest: digestOf(0),
    type: `${address(2)}::coin::Coin`,
    owner: { kind: 'address', address: owner },
    live: true,
    json: {},
    bcs: new Uint8Array(),
    previousTransaction: digestOf(0),
    storageRebate: 0n,
    balance: null,
    checkpoint: 0,
    ...more,
  };
}
