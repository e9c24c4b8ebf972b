/**
 * Objects and lists inside one another in what an upstream answers. No schema and no value of a ledger goes a tenth as
 * deep. `JSON.parse` reads any depth, but what writes the value again, or walks it, runs out of stack from a few
 * thousand on: an error without a name, far from whoever sent it.
 */
export const maxAnswerNesting = 1_000;

/**
 * Do objects and lists lie deeper than that in one another? For a value that was parsed, whatever its size.
 * @param max at most a few thousand: it is how deep this looks
 */
export function exceedsNesting(value: unknown, max: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (max === 0) return true;
  if (Array.isArray(value)) return value.some((entry) => isOpen(entry) && exceedsNesting(entry, max - 1));
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    if (isOpen(member) && exceedsNesting(member, max - 1)) return true;
  }
  return false;
}

/** Most of what is in an answer is plain, and not worth a call. */
function isOpen(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
