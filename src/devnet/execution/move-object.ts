import type { ObjectRecord, OwnerRecord } from '../state/records.ts';
import { toAddress, toWellKnownAddress } from '../transactions/address.ts';
import { BcsWriter } from '../transactions/bcs-writer.ts';
import { contentHash, hash256, parseDigest, toDigest } from '../transactions/digest.ts';
import { storageCostOf } from './gas-schedule.ts';

/** An object as a running transaction sees it: content and owner, no version yet. */
export interface ObjectDraft {
  readonly objectId: string;
  readonly type: string;
  readonly owner: OwnerRecord;
  readonly json: Readonly<Record<string, unknown>>;
  readonly bcs: Uint8Array;
  /** Coins only. */
  readonly balance: bigint | null;
}

const frameworkAddress = toWellKnownAddress(2);
const coinPrefix = `${frameworkAddress}::coin::Coin<`;
const objectSalt = Buffer.from('Object::');
/** Hashing scope of ids of new objects, so that they cannot coincide with addresses. */
const objectIdScope = Uint8Array.of(0xf1);
/** What the network writes for the digest of a deleted object: 32 times byte 99. */
const deletedDigest = toDigest(new Uint8Array(32).fill(99));

/** The coin's currency, or `null` when the type is not a coin's. */
export function toCoinType(type: string): string | null {
  return type.startsWith(coinPrefix) && type.endsWith('>') ? type.slice(coinPrefix.length, -1) : null;
}

export function createCoin(objectId: string, coinType: string, owner: OwnerRecord, balance: bigint): ObjectDraft {
  return { objectId, type: `${coinPrefix}${coinType}>`, owner, ...toCoinContent(objectId, balance) };
}

export function withBalance(coin: ObjectDraft, balance: bigint): ObjectDraft {
  return { ...coin, ...toCoinContent(coin.objectId, balance) };
}

function toCoinContent(objectId: string, balance: bigint): Pick<ObjectDraft, 'json' | 'bcs' | 'balance'> {
  return {
    json: { id: objectId, balance: balance.toString() },
    bcs: new BcsWriter(40).address(objectId).u64(balance).toBytes(),
    balance,
  };
}

/** The id of the `index`-th object a transaction creates. */
export function toCreatedObjectId(transactionDigest: string, index: number): string {
  return toAddress(
    hash256(objectIdScope, new BcsWriter(40).fixed(parseDigest(transactionDigest)).u64(index).toBytes()),
  );
}

/** A draft as the version this transaction leaves behind, not in a checkpoint yet. */
export function toObjectRecord(
  draft: ObjectDraft,
  version: number,
  previousTransaction: string,
  storageRebate = storageCostOf(draft),
): ObjectRecord {
  return {
    objectId: draft.objectId,
    version,
    digest: toObjectDigest(draft, version, previousTransaction),
    type: draft.type,
    owner: draft.owner,
    live: true,
    json: draft.json,
    bcs: draft.bcs,
    previousTransaction,
    storageRebate,
    balance: draft.balance,
    checkpoint: null,
  };
}

/** The version at which an object ends. */
export function toTombstone(input: ObjectRecord, version: number, previousTransaction: string): ObjectRecord {
  return {
    ...input,
    version,
    digest: deletedDigest,
    live: false,
    previousTransaction,
    storageRebate: 0n,
    checkpoint: null,
  };
}

function toObjectDigest(draft: ObjectDraft, version: number, previousTransaction: string): string {
  const writer = new BcsWriter(256);
  writer.fixed(objectSalt).address(draft.objectId).u64(version).string(draft.type).string(draft.owner.kind);
  if (draft.owner.kind === 'address' || draft.owner.kind === 'object') writer.address(draft.owner.address);
  if (draft.owner.kind === 'shared') writer.u64(draft.owner.initialSharedVersion);
  return toDigest(contentHash(writer.bytes(draft.bcs).string(previousTransaction).toBytes()));
}
