/**
 * Objects and lists inside one another in what an upstream answers. No schema and no value of a ledger goes a tenth as
 * deep. `JSON.parse` reads any depth, but writing the value again takes stack for each level, and all of it at some four
 * thousand: an error without a name, far from whoever sent it. Half of that leaves room for those who call.
 */
export const maxAnswerNesting = 2_000;

/**
 * Do objects and lists lie deeper than that in one another? For a value that was parsed, whatever its size.
 * @param max at most a few thousand: it is how deep this looks
 */
export function exceedsNesting(value: unknown, max: number): boolean {
  if (!isNesting(value)) return false;
  if (max === 0) return true;
  // Most of what is in an answer is plain, and not worth a call.
  if (Array.isArray(value)) {
    for (const entry of value) if (isNesting(entry) && exceedsNesting(entry, max - 1)) return true;
    return false;
  }
  for (const name in value) {
    const member = value[name];
    if (isNesting(member) && exceedsNesting(member, max - 1)) return true;
  }
  return false;
}

/** The same for an upstream's answer, looked into only where it has the bytes for it. */
export function isAnswerTooDeep(value: unknown, bodyBytes: number): boolean {
  return bodyBytes >= 2 * maxAnswerNesting && exceedsNesting(value, maxAnswerNesting);
}

function isNesting(value: unknown): value is Record<string, unknown> | unknown[] {
  return typeof value === 'object' && value !== null;
}
