import type { TransactionOutline } from '../../transactions/outline-transaction.ts';

/**
 * Why a transaction does more than its caller may call, or `null`. A package covers its modules, and a module its functions,
 * with whichever type arguments. Transfers, and splitting and merging coins, call nothing. Publishing and upgrading run code
 * that no list can name, and are not for callers with a list.
 * @param allowed as `Caller.moveCalls`
 */
export function toCallFault(
  { moveCalls, commands }: Pick<TransactionOutline, 'moveCalls' | 'commands'>,
  allowed: readonly string[],
): string | null {
  if (commands.has('publish') || commands.has('upgrade')) {
    return `it publishes or upgrades a package; ${toMayCall(allowed)}`;
  }
  if (moveCalls.size === 0) return null;
  const names = new Set(allowed);
  const others = [...moveCalls].filter((target) => !covers(names, target));
  return others.length === 0 ? null : `it calls ${toList(others, shownCalls)}; ${toMayCall(allowed)}`;
}

function covers(allowed: ReadonlySet<string>, target: string): boolean {
  if (allowed.has(target)) return true;
  const [packageId = '', module = ''] = target.split('::');
  return allowed.has(packageId) || allowed.has(`${packageId}::${module}`);
}

const shownCalls = 3;
const shownAllowed = 20;

function toMayCall(allowed: readonly string[]): string {
  return allowed.length === 0
    ? 'this caller may call nothing'
    : `this caller may only call ${toList(allowed, shownAllowed)}`;
}

function toList(targets: readonly string[], max: number): string {
  const shown = targets.slice(0, max).map(toShown);
  const more = targets.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}

/** Longer than any name that a network takes. */
const maxShownLength = 340;

/** As people write it, without the zeros: `0x2::coin::join`. */
function toShown(target: string): string {
  const short = target.replace(/^0x0+(?=[\da-f])/, '0x');
  return short.length > maxShownLength ? `${short.slice(0, maxShownLength)}…` : short;
}
