import { badArgument } from './bad-argument.ts';

/**
 * A budget is positive and below the sponsor's maximum.
 * @throws `BAD_USER_INPUT`
 */
export function checkGasBudget(gasBudget: number, maxGasBudgetExclusive: number): void {
  if (Number.isSafeInteger(gasBudget) && gasBudget >= 1 && gasBudget < maxGasBudgetExclusive) return;
  throw badArgument('gasBudget', String(gasBudget), `it must be a whole number from 1 to ${maxGasBudgetExclusive - 1}`);
}
