/**
 * Levels of objects and lists in an upstream's answer. `JSON.parse` reads any depth, but `JSON.stringify` overflows the stack
 * at some four thousand levels, far from the upstream that caused it; half of that leaves stack for the callers. No real
 * answer has a tenth of it.
 */
export const maxAnswerNesting = 2_000;

/**
 * Does a parsed value nest deeper than `max` levels?
 * @param max at most a few thousand, because this recurses as deep
 */
export function exceedsNesting(value: unknown, max: number): boolean {
  if (!isNesting(value)) return false;
  if (max === 0) return true;
  // Most entries are scalars: test them here and save the call.
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

/** Does an upstream's answer nest too deep? Skips answers whose body is too short for that: each level takes two bytes. */
export function isAnswerTooDeep(value: unknown, bodyBytes: number): boolean {
  return bodyBytes >= 2 * maxAnswerNesting && exceedsNesting(value, maxAnswerNesting);
}

function isNesting(value: unknown): value is Record<string, unknown> | unknown[] {
  return typeof value === 'object' && value !== null;
}
