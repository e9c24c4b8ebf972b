import { argumentError, refuse } from '../ledger/values/check-argument.ts';

export interface PageArguments {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

export interface PageSizes {
  readonly defaultSize: number;
  readonly maxSize: number;
}

/** How many items a page has at most, and from which end of its range they are taken. */
export interface PagePlan {
  readonly size: number;
  readonly backward: boolean;
}

/**
 * @throws `BAD_USER_INPUT` for `first` together with `last`, a negative size, or one above the maximum: a page is never
 *   silently cut
 */
export function planPage({ first, last }: PageArguments, { defaultSize, maxSize }: PageSizes): PagePlan {
  if (first != null && last != null) throw argumentError('last', "'first' and 'last' must not be used together");
  const argument = last != null ? 'last' : 'first';
  const size = last ?? first ?? Math.min(defaultSize, maxSize);
  if (!Number.isSafeInteger(size) || size < 0) refuse(argument, size, `must be from 0 to ${maxSize}`);
  if (size > maxSize) throw argumentError(argument, `Connection's page size of ${size} exceeds max of ${maxSize}`);
  return { size, backward: last != null };
}
