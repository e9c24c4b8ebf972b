import type { Argument, TransactionCommand } from '../../transactions/transaction-bcs.ts';
import type { CommandReport, ReportedValue } from '../state/records.ts';
import type { CommandContext } from './command-context.ts';
import type { CommandResult, Value } from './command-values.ts';

/**
 * Reports what a command returned and changed. Of a Move call only the result of a function that the devnet knows is
 * reported: no code runs, so what it would change is unknown.
 */
export function reportCommand(
  command: TransactionCommand,
  result: CommandResult,
  context: CommandContext,
): CommandReport {
  const read = (value: Value): ReportedValue[] => {
    const object = value.kind === 'object' ? context.store.read(value.objectId) : undefined;
    return object ? [{ type: object.type, bcs: object.bcs }] : [];
  };
  const mutated = changedArguments(command).flatMap((argument) =>
    read(context.values.resolve(argument, 0)).map((value) => ({ ...value, argument })),
  );
  if (result.kind === 'values') return { mutated, returned: result.values.flatMap(read) };
  return { mutated, returned: isKnownCall(command, context) ? [result.returned] : [] };
}

function changedArguments(command: TransactionCommand): readonly Argument[] {
  if (command.kind === 'splitCoins') return [command.coin];
  return command.kind === 'mergeCoins' ? [command.destination] : [];
}

function isKnownCall(command: TransactionCommand, { view }: CommandContext): boolean {
  if (command.kind !== 'moveCall') return false;
  return view.describeCall(`${command.package}::${command.module}::${command.function}`)?.returns != null;
}
