import type { TransactionCommand } from '../../transactions/transaction-bcs.ts';
import type { CommandReport } from '../state/records.ts';
import { mergeCoins, splitCoins } from './coin-commands.ts';
import type { CommandContext } from './command-context.ts';
import { reportCommand } from './command-report.ts';
import type { CommandResult } from './command-values.ts';
import { makeMoveVec, moveCall, publish, transferObjects, upgrade } from './object-commands.ts';
import { ExecutionFailure } from './refusal.ts';

/**
 * Runs the commands in order, with their effects in the context's store and events. Throws `ExecutionFailure` at the first
 * that fails. `report` is called for each that ran. The devnet runs no Move code, so a call leaves objects as they are, with
 * one exception: an object that was made for a call by a command and is not used afterwards stays with the called contract,
 * as in a real deposit.
 */
export function runCommands(
  commands: readonly TransactionCommand[],
  context: CommandContext,
  report?: (report: CommandReport) => void,
): void {
  for (const command of commands) {
    const result = runCommand(command, context);
    report?.(reportCommand(command, result, context));
    context.values.push(result);
  }
  for (const { objectId, command, position } of context.values.leftOver()) {
    if (!context.seenByCalls.has(objectId)) {
      throw new ExecutionFailure(`UnusedValueWithoutDrop { result_idx: ${command}, secondary_idx: ${position} }`);
    }
    context.store.delete(objectId);
  }
}

function runCommand(command: TransactionCommand, context: CommandContext): CommandResult {
  switch (command.kind) {
    case 'moveCall':
      return moveCall(context, command);
    case 'transferObjects':
      return transferObjects(context, command);
    case 'splitCoins':
      return splitCoins(context, command);
    case 'mergeCoins':
      return mergeCoins(context, command);
    case 'publish':
      return publish(context, command);
    case 'makeMoveVec':
      return makeMoveVec(context, command);
    case 'upgrade':
      return upgrade(context, command);
  }
}
