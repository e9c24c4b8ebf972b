import { ExactNumber } from './exact-number.ts';

/**
 * The same text for JSON values that are equal: members in order of their names, numbers by their value, however they are
 * written and however many digits they have.
 */
export function toCanonicalJson(value: unknown): string {
  if (value instanceof ExactNumber) return toCanonicalNumber(value.text);
  if (typeof value === 'number') return toCanonicalNumber(String(value));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${toCanonicalJson(each)}`).join(',')}}`;
}

/** Longer numbers, and larger powers, are compared as they are written: nobody writes them in two ways. */
const maxNumber = 400;

/** Digits without zeros at their ends, and a power of ten: never written out, since a short text may stand for a billion digits. */
function toCanonicalNumber(text: string): string {
  const parts = text.length > maxNumber ? null : /^(-?)(\d+)(?:\.(\d+))?(?:[eE]\+?(-?\d+))?$/.exec(text);
  if (!parts) return text;
  const [, sign = '', whole = '', part = '', power = '0'] = parts;
  const digits = `${whole}${part}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  return `${sign}${kept}e${BigInt(power) - BigInt(part.length) + BigInt(digits.length - kept.length)}`;
}
