import { parseBcs, UnknownShapeError } from './parse-bcs.ts';
import { taggedUnion } from './tagged-union.ts';
import { programmableTransactionBcs, transactionDataBcsOf } from './transaction-bcs.ts';
import type {
  Argument,
  CallArg,
  Command,
  GasData,
  ProgrammableTransaction,
  TransactionData,
} from './transaction-data.ts';

/** Of a transaction of a user, what decides whether it may be paid for. Addresses in full, in lower case. */
export interface TransactionOutline {
  readonly sender: string;
  readonly gas: GasData;
  /** The kinds of its commands. */
  readonly commands: ReadonlySet<Command['kind']>;
  /** `package::module::function` of what it calls, each once, whatever its type arguments. */
  readonly moveCalls: ReadonlySet<string>;
  /** Does it do anything with a coin of its payment but pay? */
  readonly takesGasCoin: boolean;
  /** The last epoch it may execute in; `null`: any. */
  readonly expirationEpoch: number | null;
}

export type OutlinedTransaction =
  | { readonly kind: 'known'; readonly outline: TransactionOutline }
  /** Of a version or with a part that is not known here, or of a kind that users do not send. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** No transaction, in whichever version. */
  | { readonly kind: 'malformed'; readonly reason: string };

const userTransactionBcs = transactionDataBcsOf(
  taggedUnion<ProgrammableTransaction>('transaction kind', { PROGRAMMABLE_TX: [0, programmableTransactionBcs] }),
);

/**
 * Reads a transaction strictly: each has one encoding, and nothing stands behind it. Time and memory grow with the bytes.
 * Never throws.
 * @param bytes BCS of the TransactionData
 */
export function outlineTransaction(bytes: Uint8Array): OutlinedTransaction {
  try {
    return { kind: 'known', outline: toOutline(parseBcs(userTransactionBcs, bytes)) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'not readable';
    return { kind: error instanceof UnknownShapeError ? 'unknown' : 'malformed', reason };
  }
}

function toOutline({ kind, sender, gas, expirationEpoch }: TransactionData): TransactionOutline {
  const commands = new Set<Command['kind']>();
  const moveCalls = new Set<string>();
  for (const command of kind.commands) {
    commands.add(command.kind);
    if (command.kind === 'moveCall') moveCalls.add(`${command.package}::${command.module}::${command.function}`);
  }
  return { sender, gas, commands, moveCalls, takesGasCoin: takesGasCoin(kind, gas), expirationEpoch };
}

/**
 * Does a transaction do anything with a coin of its payment but pay, by the name of the gas coin or as an input of its own?
 * A sponsor's coins could be given away like that.
 */
export function takesGasCoin({ inputs, commands }: ProgrammableTransaction, { payment }: GasData): boolean {
  const paying = new Set(payment.map(({ objectId }) => objectId));
  return (
    inputs.some((input) => isOneOf(paying, input)) ||
    commands.some((command) => argumentsOf(command).some(({ kind }) => kind === 'gasCoin'))
  );
}

/** Whichever way it is named: owned, received, or as a shared object, which no coin that pays can be. */
function isOneOf(coins: ReadonlySet<string>, input: CallArg): boolean {
  switch (input.kind) {
    case 'pure':
      return false;
    case 'shared':
      return coins.has(input.objectId);
    case 'owned':
    case 'receiving':
      return coins.has(input.ref.objectId);
  }
}

function argumentsOf(command: Command): readonly Argument[] {
  switch (command.kind) {
    case 'moveCall':
      return command.arguments;
    case 'transferObjects':
      return [...command.objects, command.recipient];
    case 'splitCoins':
      return [command.coin, ...command.amounts];
    case 'mergeCoins':
      return [command.destination, ...command.sources];
    case 'makeMoveVec':
      return command.elements;
    case 'upgrade':
      return [command.ticket];
    case 'publish':
      return [];
  }
}
