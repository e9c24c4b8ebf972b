import type { LedgerReader } from '../state/ledger-state.ts';
import type { BalanceChange, ObjectChange, TransactionRecord } from '../state/records.ts';
import { toEffectsJson, toOwnerJson } from './effects-json.ts';
import { toEventJson } from './event-json.ts';
import { readFlag, readObject } from './read-param.ts';
import { toRawTransaction, toTransactionInputJson } from './transaction-input-json.ts';

/** The parts of a transaction that a caller may ask for, beside its digest, time and checkpoint. */
const optionNames = [
  'showInput',
  'showRawInput',
  'showEffects',
  'showEvents',
  'showObjectChanges',
  'showBalanceChanges',
] as const;
export type TransactionOptions = Readonly<Record<(typeof optionNames)[number], boolean>>;

export function readTransactionOptions(value: unknown): TransactionOptions {
  const given = value === null || value === undefined ? {} : readObject('options', value);
  const flags = optionNames.map((name) => [name, readFlag(`options.${name}`, given[name])]);
  return Object.fromEntries(flags) as TransactionOptions;
}

export function toTransactionJson(
  transaction: TransactionRecord,
  options: TransactionOptions,
  ledger: Pick<LedgerReader, 'object'>,
) {
  const { digest, timestampMs, checkpoint, status } = transaction;
  return {
    digest,
    ...(options.showInput && { transaction: toTransactionInputJson(transaction) }),
    ...(options.showRawInput && { rawTransaction: toRawTransaction(transaction) }),
    ...(options.showEffects && { effects: toEffectsJson(transaction, ledger) }),
    ...(options.showEvents && { events: transaction.events.map(toEventJson) }),
    ...(options.showObjectChanges && {
      objectChanges: transaction.changes.flatMap((change) => toObjectChangeJson(change, transaction.sender)),
    }),
    ...(options.showBalanceChanges && { balanceChanges: transaction.balanceChanges.map(toBalanceChangeJson) }),
    ...(!status.ok && { errors: [status.error] }),
    timestampMs: String(timestampMs),
    checkpoint: String(checkpoint),
  };
}

function toObjectChangeJson(
  { kind, objectId, input, output }: ObjectChange,
  sender: string,
): readonly Readonly<Record<string, unknown>>[] {
  if (kind === 'deleted') {
    const objectType = input?.type ?? output?.type;
    return [{ type: kind, sender, objectType, objectId, version: String(output?.version ?? input?.version) }];
  }
  if (!output) return [];
  const { type: objectType, version, digest } = output;
  if (objectType === 'package')
    return [{ type: 'published', packageId: objectId, version: String(version), digest, modules: [] }];
  const change = {
    type: kind,
    sender,
    owner: toOwnerJson(output.owner),
    objectType,
    objectId,
    version: String(version),
  };
  return [input ? { ...change, previousVersion: String(input.version), digest } : { ...change, digest }];
}

function toBalanceChangeJson({ owner, coinType, amount }: BalanceChange) {
  return { owner: { AddressOwner: owner }, coinType, amount: String(amount) };
}
