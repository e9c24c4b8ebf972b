import { ExactNumber } from './exact-number.ts';

/** Is a value's JSON longer than about so many characters? Stops reading at that length. */
export function isLonger(value: unknown, characters: number): boolean {
  return leftAfter(value, characters) < 0;
}

/** Characters of quotes, commas and colons around a string and a member. */
const aroundText = 3;
const aroundMember = 4;
/** Characters of a number, a boolean or null. */
const ofScalar = 5;

/** @returns the characters left after the value; negative if there are too few */
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
