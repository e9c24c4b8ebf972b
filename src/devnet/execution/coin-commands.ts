import type { Argument, TransactionCommand } from '../../transactions/transaction-bcs.ts';
import { type CommandContext, makeResult, readU64 } from './command-context.ts';
import type { CommandResult } from './command-values.ts';
import { createCoin, type ObjectDraft, toCoinType, withBalance } from './move-object.ts';

export function splitCoins(
  context: CommandContext,
  command: TransactionCommand & { kind: 'splitCoins' },
): CommandResult {
  let { coin, balance, coinType } = takeCoin(context, command.coin, 0);
  const owner = { kind: 'address', address: context.sender } as const;
  const parts = command.amounts.map((argument, index) => {
    const amount = readU64(context.values, argument, index + 1);
    if (amount > balance) throw context.values.failure('InsufficientCoinBalance');
    balance -= amount;
    return makeResult(context, createCoin(context.nextObjectId(), coinType, owner, amount));
  });
  coin = withBalance(coin, balance);
  context.store.write(coin);
  return { kind: 'values', values: parts };
}

export function mergeCoins(
  context: CommandContext,
  command: TransactionCommand & { kind: 'mergeCoins' },
): CommandResult {
  const { store, values } = context;
  const destination = takeCoin(context, command.destination, 0);
  let balance = destination.balance;
  command.sources.forEach((argument, index) => {
    const position = index + 1;
    const value = values.resolve(argument, position);
    if (value.kind === 'object' && value.access === 'gas') throw values.fault(position, 'InvalidGasCoinUsage');
    const source = takeCoin(context, argument, position);
    if (source.coin.objectId === destination.coin.objectId) throw values.fault(position, 'InvalidValueUsage');
    if (source.coinType !== destination.coinType) throw values.fault(position, 'TypeMismatch');
    balance += source.balance;
    store.delete(source.coin.objectId);
    values.markMoved(value);
  });
  store.write(withBalance(destination.coin, balance));
  return { kind: 'values', values: [] };
}

/** A coin the transaction may change. */
function takeCoin(
  { store, values }: CommandContext,
  argument: Argument,
  position: number,
): { coin: ObjectDraft; balance: bigint; coinType: string } {
  const value = values.resolve(argument, position);
  const coin = value.kind === 'object' && store.isMutable(value.objectId) ? store.read(value.objectId) : undefined;
  const coinType = coin ? toCoinType(coin.type) : null;
  if (!coin || coin.balance === null || coinType === null) throw values.fault(position, 'TypeMismatch');
  return { coin, balance: coin.balance, coinType };
}
