import { ExactNumber } from './exact-number.ts';

/** Would a value's JSON be longer than so many characters, roughly? Takes no longer than the first so many of them. */
export function isLonger(value: unknown, characters: number): boolean {
  return leftAfter(value, characters) < 0;
}

/** Quotes, commas and colons, of text and of a member. */
const aroundText = 3;
const aroundMember = 4;
/** Of a number, a boolean or null. */
const ofScalar = 5;

/** @returns what is left of the characters behind the value; negative if they are not enough */
function leftAfter(value: unknown, characters: number): number {
  if (typeof value === 'string') return characters - value.length - aroundText;
  if (typeof value !== 'object' || value === null) return characters - ofScalar;
  if (value instanceof ExactNumber) return characters - value.text.length;
  let left = characters - aroundText;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index += 1) left = leftAfter(value[index], left);
    return left;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const name in members) {
    if (left < 0) break;
    left = leftAfter(members[name], left - name.length - aroundMember);
  }
  return left;
}
