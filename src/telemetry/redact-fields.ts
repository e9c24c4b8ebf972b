import { redactUrl, Secret } from '../config/secret.ts';

const redacted = '[redacted]';

/** Fields with these names are redacted whatever their value. Names are compared without case, `-` and `_`. */
const secretName = /^(proxy)?authorization$|token$|cookie|password|secret|apikey$|leasekeys$|^usersig$|^credentials?$/i;

/** Names that match the pattern above but contain no secret. */
const harmlessNames = new Set(['nexttoken', 'hastoken']);

const maxDepth = 6;

/**
 * Matches at most 32 characters of the scheme. Without that limit a long text of letters and dots, such as a path, would take
 * 0.1 s, because a scheme could begin at each of them. The scheme itself is not a secret.
 */
const urlInText = /(?:\b[a-z][a-z\d+.-]{0,31})?:\/\/[^\s"'<>`]+/gi;
const bearerInText = /\b(bearer|basic)\s+[^\s"',;]+/gi;

/** Removes credentials from text: those in URLs, and those after `Bearer` or `Basic`. */
export function redactText(text: string): string {
  const withoutUrls = text.includes('://') ? text.replaceAll(urlInText, redactFoundUrl) : text;
  return withoutUrls.replaceAll(bearerInText, `$1 ${redacted}`);
}

/** Redacts one URL found in text. `file:` URLs stay, so that stack traces stay readable. */
function redactFoundUrl(found: string): string {
  if (found.startsWith('file:')) return found;
  const shown = redactUrl(found);
  return shown.startsWith('[')
    ? found.replace(/\/\/[^/]*@/, `//${redacted}@`).replace(/[?#].*$/, `?${redacted}`)
    : shown;
}

/**
 * A copy of a log line's fields that may be written: fields named like credentials, secrets, and credentials inside texts are
 * `[redacted]`; errors become their type, message, code, stack and cause. Never throws.
 */
export function redactFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  left = maxLineBytes;
  return redactObject(fields, 0, new Set());
}

/**
 * Bytes of all texts in one line, because log collectors and pipes take 4 KiB in one piece. One text, such as a stack, leaves
 * room for others.
 */
const maxLineBytes = 2_600;
/** Bytes of a field's name and the punctuation around it. */
const bytesPerName = 24;
const maxTextBytes = 1_800;
/** Texts of up to this many characters may also use the bytes reserved for short ones. */
const maxShort = 80;
const reservedBytes = 500;
/** Maximum of entries of a list; the others are omitted. */
const maxEntries = 10;
/** Remaining bytes of the line that is being redacted. */
let left = maxLineBytes;

/** A text without credentials, truncated where the line would become too long. */
function toShown(text: string): string {
  const shown = redactText(text);
  // Short texts, such as ids, are kept even after a long text.
  const mayTake = shown.length <= maxShort ? left + reservedBytes : left;
  const most = Math.min(maxTextBytes, mayTake);
  if (most <= 0) return '…';
  const bytes = shown.length * 6 < most ? shown.length : Buffer.byteLength(JSON.stringify(shown));
  left -= Math.min(bytes, most) + bytesPerName;
  return bytes > most ? `${shown.slice(0, Math.floor((shown.length * most) / bytes))}…` : shown;
}

function redactObject(object: object, depth: number, above: ReadonlySet<object>): Record<string, unknown> {
  let within: ReadonlySet<object> | undefined;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(object)) {
    let value = isSecretName(key) ? redacted : readField(object, key);
    if (typeof value === 'object' && value !== null) {
      // Create the set only when an object holds another: most hold none, and this runs for every request's line.
      within ??= new Set(above).add(object);
      value = redactValue(value, depth + 1, within);
    } else if (value !== redacted) value = redactValue(value, depth + 1, above);
    if (key === '__proto__') Object.defineProperty(copy, key, { value, enumerable: true });
    else copy[key] = value;
  }
  return copy;
}

function redactValue(value: unknown, depth: number, above: ReadonlySet<object>): unknown {
  if (typeof value === 'string') return toShown(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Secret) return redacted;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof URL) return redactUrl(value.href);
  if (above.has(value)) return '[circular]';
  if (depth > maxDepth) return '[too deep]';
  if (value instanceof Error) return redactError(value, depth, above);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) {
    if (left <= 0 && value.length > 0) return '…';
    const within = new Set(above).add(value);
    return value.slice(0, maxEntries).map((item) => redactValue(item, depth + 1, within));
  }
  return redactObject(value, depth, above);
}

function redactError(error: Error, depth: number, above: ReadonlySet<object>): Record<string, unknown> {
  const { cause, message, stack } = error;
  const errors = error instanceof AggregateError ? error.errors : undefined;
  return {
    ...redactObject(error, depth, above),
    type: error.name,
    message: toShown(String(message)),
    ...(stack === undefined ? {} : { stack: toShown(String(stack)) }),
    ...(cause === undefined ? {} : { cause: redactValue(cause, depth + 1, new Set(above).add(error)) }),
    ...(errors === undefined ? {} : { errors: redactValue(errors, depth + 1, new Set(above).add(error)) }),
  };
}

function readField(object: object, key: string): unknown {
  try {
    return Reflect.get(object, key);
  } catch {
    return '[unreadable]';
  }
}

function isSecretName(name: string): boolean {
  const plain = /[-_]/.test(name) ? name.replaceAll(/[-_]/g, '') : name;
  return secretName.test(plain) && !harmlessNames.has(plain.toLowerCase());
}
