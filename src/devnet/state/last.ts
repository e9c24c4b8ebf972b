/** The last item. @throws RangeError if there is none. @param what names the items in the message */
export function last<T>(items: readonly T[], what: string): T {
  const item = items.at(-1);
  if (item === undefined) throw new RangeError(`the ledger has no ${what} yet`);
  return item;
}
