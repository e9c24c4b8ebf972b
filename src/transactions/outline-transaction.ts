import { parseBcs, UnknownShapeError } from './ledger-bcs.ts';
import {
  type Argument,
  type CallArg,
  type ExtendedInput,
  type GasData,
  type ObjectRef,
  type ProgrammableTransaction,
  type TransactionCommand,
  type TransactionData,
  type TransactionForms,
  userKindBcs,
  userTransactionBcs,
} from './transaction-bcs.ts';

/** Everything that decides whether a user's transaction may be sponsored. Addresses have 64 digits in lower case. */
export interface TransactionOutline {
  readonly sender: string;
  readonly gas: GasData;
  readonly commands: ReadonlySet<TransactionCommand['kind']>;
  readonly commandCount: number;
  /** `package::module::function` of each called function, without type arguments. */
  readonly moveCalls: ReadonlySet<string>;
  /** Does it use a coin of its payment for anything but paying gas? */
  readonly takesGasCoin: boolean;
  /** Addresses from whose balance it may withdraw funds: its own, its gas owner's, or those that gave an allowance. */
  readonly funders: ReadonlySet<string>;
}

export type OutlinedTransaction =
  | { readonly kind: 'known'; readonly outline: TransactionOutline }
  /**
   * An unknown version, an unknown part, or a kind that users do not send.
   * `extended`: what it means if it has one of the extended forms
   */
  | { readonly kind: 'unknown'; readonly reason: string; readonly extended: TransactionOutline | null }
  /** Not a transaction of any version. */
  | { readonly kind: 'malformed'; readonly reason: string };

/**
 * Parses a transaction strictly, in its canonical encoding. Takes time and memory proportional to the bytes. Never throws.
 * @param bytes BCS of the TransactionData
 */
export function outlineTransaction(bytes: Uint8Array, forms: TransactionForms): OutlinedTransaction {
  return outline(forms, (read) => parseBcs<UserTransaction>(userTransactionBcs[read], bytes));
}

/** As `outlineTransaction`, for a kind alone, whose sender and gas are known. @param kind BCS of the TransactionKind */
export function outlineKind(
  kind: Uint8Array,
  forms: TransactionForms,
  rest: Omit<UserTransaction, 'kind'>,
): OutlinedTransaction {
  return outline(forms, (read) => ({ ...rest, kind: parseBcs<UserKind>(userKindBcs[read], kind) }));
}

function outline(forms: TransactionForms, parse: (forms: TransactionForms) => UserTransaction): OutlinedTransaction {
  try {
    return { kind: 'known', outline: toOutline(parse(forms)) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'not readable';
    if (!(error instanceof UnknownShapeError)) return { kind: 'malformed', reason };
    const there = forms === 'extended' ? null : outline('extended', parse);
    return { kind: 'unknown', reason, extended: there?.kind === 'known' ? there.outline : null };
  }
}

interface UserTransaction extends Pick<TransactionData, 'sender' | 'gas'> {
  readonly kind: UserKind;
}

interface UserKind {
  readonly inputs: readonly (CallArg | ExtendedInput)[];
  readonly commands: readonly TransactionCommand[];
}

function toOutline({ kind, sender, gas }: UserTransaction): TransactionOutline {
  const commands = new Set<TransactionCommand['kind']>();
  const moveCalls = new Set<string>();
  for (const command of kind.commands) {
    commands.add(command.kind);
    if (command.kind === 'moveCall') moveCalls.add(`${command.package}::${command.module}::${command.function}`);
  }
  const funders = new Set<string>();
  const objects: ObjectInput[] = [];
  for (const input of kind.inputs) {
    if (input.kind === 'withdrawal') funders.add(toFunder(input.from, sender, gas.owner));
    else if (input.kind !== 'pure') objects.push(input);
  }
  const takesGasCoin = usesGasCoin(objects, kind.commands, gas);
  return { sender, gas, commands, commandCount: kind.commands.length, moveCalls, takesGasCoin, funders };
}

function toFunder(
  from: Extract<ExtendedInput, { readonly kind: 'withdrawal' }>['from'],
  sender: string,
  gasOwner: string,
): string {
  if (from.kind === 'senderAllowance') return from.funder;
  return from.kind === 'sponsor' ? gasOwner : sender;
}

/**
 * Does a transaction use a coin of its payment for anything but paying gas, as the gas coin or as an input? It could give away
 * the sponsor's coins.
 */
export function takesGasCoin({ inputs, commands }: ProgrammableTransaction, gas: GasData): boolean {
  return usesGasCoin(
    inputs.filter((input) => input.kind !== 'pure'),
    commands,
    gas,
  );
}

/** An object in any form: owned, shared or received. Payment coins cannot be shared. */
type ObjectInput =
  | { readonly kind: 'shared'; readonly objectId: string }
  | { readonly kind: 'owned' | 'receiving'; readonly ref: ObjectRef };

function usesGasCoin(
  inputs: readonly ObjectInput[],
  commands: readonly TransactionCommand[],
  { payment }: GasData,
): boolean {
  const paying = new Set(payment.map(({ objectId }) => objectId));
  return (
    inputs.some((input) => paying.has(input.kind === 'shared' ? input.objectId : input.ref.objectId)) ||
    commands.some((command) => argumentsOf(command).some(({ kind }) => kind === 'gasCoin'))
  );
}

function argumentsOf(command: TransactionCommand): readonly Argument[] {
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
