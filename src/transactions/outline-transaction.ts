import { parseBcs, taggedUnion, UnknownShapeError } from './strict-bcs.ts';
import {
  type Argument,
  type CallArg,
  type Command,
  type GasData,
  type ProgrammableTransaction,
  programmableTransactionBcs,
  type TransactionData,
  transactionDataBcsOf,
} from './transaction-bcs.ts';

/** What decides whether a user's transaction may be sponsored. Addresses have 64 digits in lower case. */
export interface TransactionOutline {
  readonly sender: string;
  readonly gas: GasData;
  readonly commands: ReadonlySet<Command['kind']>;
  /** `package::module::function` of each called function, without type arguments. */
  readonly moveCalls: ReadonlySet<string>;
  /** Does it use a coin of its payment for anything but paying gas? */
  readonly takesGasCoin: boolean;
  /** The last epoch it may execute in; `null`: any. */
  readonly expirationEpoch: number | null;
}

export type OutlinedTransaction =
  | { readonly kind: 'known'; readonly outline: TransactionOutline }
  /** Of an unknown version, with an unknown part, or of a kind that users do not send. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** No transaction of any version. */
  | { readonly kind: 'malformed'; readonly reason: string };

const userTransactionBcs = transactionDataBcsOf(
  taggedUnion<ProgrammableTransaction>('transaction kind', { PROGRAMMABLE_TX: [0, programmableTransactionBcs] }),
);

/**
 * Parses a transaction strictly, in its canonical encoding. Takes time and memory proportional to the bytes. Never throws.
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
 * Does a transaction use a coin of its payment for anything but paying gas, as the gas coin or as an input? It could give away the
 * sponsor's coins.
 */
export function takesGasCoin({ inputs, commands }: ProgrammableTransaction, { payment }: GasData): boolean {
  const paying = new Set(payment.map(({ objectId }) => objectId));
  return (
    inputs.some((input) => isOneOf(paying, input)) ||
    commands.some((command) => argumentsOf(command).some(({ kind }) => kind === 'gasCoin'))
  );
}

/** In any form: owned, received, or shared, which no coin that pays can be. */
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
