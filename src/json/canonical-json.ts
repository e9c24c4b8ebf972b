import { ExactNumber, isObject } from './exact-json.ts';

/**
 * Returns the same text for equal JSON values: members sorted by name, numbers by value, in any notation and with any number
 * of digits.
 */
export function toCanonicalJson(value: unknown): string {
  if (value instanceof ExactNumber) return toCanonicalNumber(value.text);
  if (typeof value === 'number') return toCanonicalNumber(String(value));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${toCanonicalJson(each)}`).join(',')}}`;
}

/** Have two JSON values the same canonical text? Stops at the first difference, however large one of them is. */
export function isEqualJson(one: unknown, other: unknown): boolean {
  if (isNumber(one) && isNumber(other)) return toCanonicalJson(one) === toCanonicalJson(other);
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, index) => isEqualJson(each, other[index]));
  if (!isObject(one) || !isObject(other)) return one === other;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isEqualJson(one[name], other[name]));
}

function isNumber(value: unknown): value is number | ExactNumber {
  return typeof value === 'number' || value instanceof ExactNumber;
}

/** Longer numbers are compared as text. */
const maxNumber = 400;

/** Digits without zeros at either end, and a power of ten. It is never expanded: `1e999999999` has a billion digits. */
function toCanonicalNumber(text: string): string {
  const parts = text.length > maxNumber ? null : /^(-?)(\d+)(?:\.(\d+))?(?:[eE]\+?(-?\d+))?$/.exec(text);
  if (!parts) return text;
  const [, sign = '', whole = '', part = '', power = '0'] = parts;
  const digits = `${whole}${part}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  return `${sign}${kept}e${BigInt(power) - BigInt(part.length) + BigInt(digits.length - kept.length)}`;
}
