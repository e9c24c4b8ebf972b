import { bcs } from '@mysten/bcs';
import { hash256, parseDigest, toDigest } from '../../transactions/digest.ts';
import { ledgerBcs, toAddress } from '../../transactions/ledger-bcs.ts';
import type { ObjectRecord, OwnerRecord } from '../state/records.ts';
import { toWellKnownAddress } from '../transactions/address.ts';
import { contentHash } from '../transactions/content-hash.ts';
import { encodeBcs } from '../transactions/encode-bcs.ts';
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
const coinContent = bcs.struct('Coin', { id: ledgerBcs.address, balance: ledgerBcs.u64 });
const { u64 } = ledgerBcs;

/** First byte of what is hashed to the id of a new object, so that ids cannot coincide with addresses. */
const objectIdScope = Uint8Array.of(0xf1);
/** The digest the network gives a deleted object: 32 bytes of 99. */
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
    bcs: encodeBcs(coinContent, { id: objectId, balance }),
    balance,
  };
}

/** The id of the `index`-th object a transaction creates. */
export function toCreatedObjectId(transactionDigest: string, index: number): string {
  return toAddress(hash256(objectIdScope, parseDigest(transactionDigest), encodeBcs(u64, index)));
}

/** An object known only by its id and the encoded fields after it. */
export function toObjectBcs(objectId: string, ...fields: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat([encodeBcs(ledgerBcs.address, objectId), ...fields]));
}

/** The version of an object that a transaction leaves behind, not in a checkpoint yet. */
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

/** The version that marks an object as deleted. */
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

/**
 * The digest of an object version, over its members as text and its content. Only this ledger computes it, so it need
 * not be a hash over BCS, which would slow down the start.
 */
function toObjectDigest(draft: ObjectDraft, version: number, previousTransaction: string): string {
  const { objectId, type, owner } = draft;
  const text = `Object:: ${objectId} ${version} ${type} ${toOwnerText(owner)} ${previousTransaction} `;
  return toDigest(contentHash(Buffer.concat([Buffer.from(text), draft.bcs])));
}

function toOwnerText(owner: OwnerRecord): string {
  if (owner.kind === 'address' || owner.kind === 'object') return `${owner.kind}:${owner.address}`;
  return owner.kind === 'shared' ? `shared:${owner.initialSharedVersion}` : owner.kind;
}
