import { z } from 'zod';
import type { NetworkProfile } from '../config/network-profile.ts';
import { toCanonicalAddress } from '../ledger/values/move-types.ts';
import { readChangedObjects, readSentTransaction } from '../transactions/transaction-relations.ts';
import { toPresentText, valueAt } from './ledger-pages.ts';
import type { TransactionWire } from './wire.ts';

/**
 * The identities of all filters of `liveTransactions` that select a transaction. Nodes select by an index of these relations, so
 * that a set of them decides every filter as the node does.
 */
export type TransactionKeys = ReadonlySet<string>;

/** What filters of transactions test. Addresses have all 32 bytes. */
interface TransactionFacts {
  /** As JSON-RPC names it. */
  readonly kind: string;
  readonly sender: string;
  readonly calls: readonly { readonly package: string; readonly module: string; readonly function: string }[];
  /** Objects and packages that it takes as input. */
  readonly inputs: readonly string[];
  /** Objects that exist after it, and the addresses that own them. */
  readonly changed: readonly { readonly objectId: string; readonly owner: string | null }[];
}

const usersKind = 'ProgrammableTransaction';

/** @throws if a part is missing or has an unknown form: its filters cannot be decided */
export type ReadTransactionKeys = (transaction: TransactionWire) => TransactionKeys;

function toKeys({ kind, sender, calls, inputs, changed }: TransactionFacts): TransactionKeys {
  const keys = new Set<string>();
  const add = (variant: string, value: unknown) => keys.add(JSON.stringify({ [variant]: value }));
  add('FromAddress', sender);
  add('TransactionKind', kind);
  if (kind !== usersKind) add('TransactionKind', 'SystemTransaction');
  for (const { package: id, module, function: name } of calls) {
    add('MoveFunction', { package: id });
    add('MoveFunction', { package: id, module });
    add('MoveFunction', { package: id, module, function: name });
  }
  for (const id of inputs) add('InputObject', id);
  for (const { objectId, owner } of changed) {
    add('ChangedObject', objectId);
    if (owner !== null) add('ToAddress', owner);
  }
  return keys;
}

/** For transactions of the ledger's GraphQL with all their parts. */
export function keysOfLedger({ history, sponsor }: NetworkProfile): ReadTransactionKeys {
  const { content } = history.transactions;
  const bytesAt = (raw: TransactionWire['raw'], path: string) =>
    Buffer.from(toPresentText(valueAt(raw, path)), 'base64');
  return ({ digest, raw }) => {
    const { kind, inputs, ...sent } = readSentTransaction(bytesAt(raw, content.transaction), sponsor.transactionForms);
    const objects = content.effects === null ? [] : readChangedObjects(bytesAt(raw, content.effects), digest);
    // System transactions take shared objects.
    const shared = objects.filter(({ wasShared }) => wasShared).map(({ objectId }) => objectId);
    const changed = objects.filter(({ isLive }) => isLive);
    return toKeys({ ...sent, kind: content.kinds[kind] ?? '', inputs: inputs ?? shared, changed });
  };
}

const address = z.string().transform((text, context) => {
  const whole = toCanonicalAddress(text);
  if (whole !== null) return whole;
  context.issues.push({ code: 'custom', input: text });
  return z.NEVER;
});
const owned = z
  .object({ owner: z.unknown(), reference: z.object({ objectId: address }) })
  .transform(({ owner, reference: { objectId } }) => {
    const ofAddress = z.object({ AddressOwner: address }).safeParse(owner);
    return { objectId, owner: ofAddress.success ? ofAddress.data.AddressOwner : null };
  });
const list = <Item extends z.ZodType>(item: Item) => z.array(item).default([]);
const moveCall = z.object({
  package: address,
  module: z.string(),
  function: z.string(),
  type_arguments: list(z.string()),
});
const command = z.union([
  z.object({ MoveCall: moveCall }),
  z.object({ Publish: z.array(address) }),
  z.object({ Upgrade: z.tuple([z.array(address), address], z.unknown()) }),
  z.object({ MakeMoveVec: z.tuple([z.string().nullable()], z.unknown()) }),
  z.unknown().transform(() => null),
]);

const wholeTransaction = z.object({
  transaction: z.object({
    data: z.object({
      sender: address,
      gasData: z.object({ payment: list(z.object({ objectId: address })) }),
      transaction: z.object({
        kind: z.string(),
        inputs: list(z.object({ objectType: z.string().optional(), objectId: address.optional() })),
        transactions: list(command),
      }),
    }),
  }),
  effects: z.object({
    created: list(owned),
    mutated: list(owned),
    unwrapped: list(owned),
    sharedObjects: list(z.object({ objectId: address })),
  }),
});

/** For transactions of JSON-RPC with all their parts. */
export const keysOfRpc: ReadTransactionKeys = ({ raw }) => {
  const { transaction, effects } = wholeTransaction.parse(raw);
  const { sender, gasData } = transaction.data;
  const { kind, inputs, transactions } = transaction.data.transaction;
  const isUsers = kind === usersKind;
  const commands = isUsers ? transactions : [];
  const named = [
    ...inputs.flatMap(({ objectType, objectId }) => (objectId && objectType !== 'receiving' ? [objectId] : [])),
    ...gasData.payment.map(({ objectId }) => objectId),
    ...commands.flatMap(packagesOf),
  ];
  return toKeys({
    kind,
    sender,
    calls: commands.flatMap((each) => (each && 'MoveCall' in each ? [each.MoveCall] : [])),
    // System transactions take shared objects.
    inputs: isUsers ? named : effects.sharedObjects.map(({ objectId }) => objectId),
    changed: [...effects.created, ...effects.mutated, ...effects.unwrapped],
  });
};

function packagesOf(given: z.output<typeof command>): readonly string[] {
  if (given === null) return [];
  if ('MoveCall' in given) return [given.MoveCall.package, ...given.MoveCall.type_arguments.flatMap(packagesOfType)];
  if ('Publish' in given) return given.Publish;
  if ('Upgrade' in given) return [...given.Upgrade[0], given.Upgrade[1]];
  return given.MakeMoveVec[0] === null ? [] : packagesOfType(given.MakeMoveVec[0]);
}

function packagesOfType(type: string): readonly string[] {
  return [...type.matchAll(/0x[\da-f]+(?=::)/gi)].map(([id]) => toCanonicalAddress(id) ?? id);
}
