import { ExactNumber } from './exact-json.ts';

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

/**
 * Is this the canonical text of a value? Stops at the first difference, so that its time depends on the length of the text,
 * not on the size of the value.
 */
export function isCanonicalJsonOf(value: unknown, text: string): boolean {
  return matchFrom(0, value, text) === text.length;
}

/** @returns the index after the value in the text, or -1 if the text differs */
function matchFrom(at: number, value: unknown, text: string): number {
  const rest = text.length - at;
  if (at < 0 || (typeof value === 'string' && value.length > rest)) return -1;
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) {
    return skip(at, toCanonicalJson(value), text);
  }
  if (Array.isArray(value)) {
    const end = matchEach(skip(at, '[', text), value, text, (next, each) => matchFrom(next, each, text));
    return skip(end, ']', text);
  }
  const members = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(value);
  // Check before sorting: each member takes at least four characters.
  if (names.length * 4 > rest) return -1;
  const end = matchEach(skip(at, '{', text), names.sort(), text, (next, name) =>
    matchFrom(skip(matchFrom(next, name, text), ':', text), members[name], text),
  );
  return skip(end, '}', text);
}

function matchEach<Part>(
  at: number,
  parts: readonly Part[],
  text: string,
  match: (at: number, part: Part) => number,
): number {
  let next = at;
  for (const [index, part] of parts.entries()) {
    if (index > 0) next = skip(next, ',', text);
    if (next < 0) break;
    next = match(next, part);
  }
  return next;
}

function skip(at: number, piece: string, text: string): number {
  return at >= 0 && text.startsWith(piece, at) ? at + piece.length : -1;
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
