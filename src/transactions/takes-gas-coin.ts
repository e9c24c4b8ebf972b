import type { Argument, CallArg, Command, GasData, ProgrammableTransaction } from './transaction-data.ts';

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
