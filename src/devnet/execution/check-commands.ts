import type { ProgrammableTransaction, TransactionCommand } from '../../transactions/transaction-bcs.ts';
import { gasSchedule } from './gas-schedule.ts';
import { inputRefusal } from './refusal.ts';

/** Checks the rules on commands that do not depend on the ledger. Rejects transactions that a validator would not start. */
export function checkCommands({ inputs, commands }: ProgrammableTransaction): void {
  if (commands.length === 0) throw inputRefusal('Empty input: a transaction needs at least one command');
  if (commands.length > gasSchedule.maxCommands) {
    throw inputRefusal(
      `Size limit exceeded: maximum commands in a programmable transaction is ${gasSchedule.maxCommands}`,
    );
  }
  if (inputs.length > gasSchedule.maxInputs) {
    throw inputRefusal(`Size limit exceeded: maximum inputs in a programmable transaction is ${gasSchedule.maxInputs}`);
  }
  for (const command of commands) {
    if (isEmpty(command)) throw inputRefusal(`Empty command input: ${command.kind} needs at least one argument`);
  }
}

function isEmpty(command: TransactionCommand): boolean {
  switch (command.kind) {
    case 'transferObjects':
      return command.objects.length === 0;
    case 'splitCoins':
      return command.amounts.length === 0;
    case 'mergeCoins':
      return command.sources.length === 0;
    case 'makeMoveVec':
      return command.type === null && command.elements.length === 0;
    case 'publish':
    case 'upgrade':
      return command.modules.length === 0;
    case 'moveCall':
      return false;
  }
}
