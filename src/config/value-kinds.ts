import { isIP } from 'node:net';
import type { ValueKind } from './config-key.ts';
import { redactUrl } from './redact-url.ts';
import { Secret } from './secret.ts';

/** A whole number from `min` to `max`. @param unit shown after the range, like `milliseconds` */
export function integer(min: number, max: number, unit?: string): ValueKind<number> {
  return {
    expected: `an integer from ${min} to ${max}${unit ? ` (${unit})` : ''}`,
    parse: (text) =>
      /^(0|-?[1-9]\d{0,14})$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined,
    jsonSchema: { type: ['integer', 'string'], minimum: min, maximum: max, pattern: '^\\s*(-?\\d+)?\\s*$' },
  };
}

export const boolean: ValueKind<boolean> = {
  expected: 'true or false',
  parse: (text) => (/^true$/i.test(text) ? true : /^false$/i.test(text) ? false : undefined),
  jsonSchema: { enum: [true, false, 'true', 'false'] },
};

export function oneOf<const Value extends string>(...values: readonly Value[]): ValueKind<Value> {
  return {
    expected: `one of ${values.join(', ')}`,
    parse: (text) => values.find((value) => value === text),
    jsonSchema: { enum: values },
  };
}

/** An absolute URL of one of the schemes, without a fragment. It may hold credentials, which messages do not show. */
export function url(...schemes: readonly string[]): ValueKind<string> {
  return {
    expected: `a URL with ${schemes.map((scheme) => `${scheme}://`).join(' or ')} and without a #fragment`,
    parse: (text) => {
      const parsed = /^[a-z]+:\/\/[^\s]+$/i.test(text) && URL.canParse(text) ? new URL(text) : null;
      return parsed && schemes.includes(parsed.protocol.slice(0, -1)) && !text.includes('#') ? text : undefined;
    },
    show: redactUrl,
    jsonSchema: { type: 'string', pattern: `^(${schemes.join('|')}):` },
  };
}

/** The same for an address that is asked without credentials: those in it would not be sent. */
export function urlWithoutCredentials(...schemes: readonly string[]): ValueKind<string> {
  const kind = url(...schemes);
  return {
    ...kind,
    expected: `${kind.expected}, and without a user or password`,
    parse: (text) => {
      const parsed = kind.parse(text);
      if (parsed === undefined) return undefined;
      const { username, password } = new URL(parsed);
      return username === '' && password === '' ? parsed : undefined;
    },
  };
}

export const filePath: ValueKind<string> = {
  expected: 'a path to a file',
  parse: (text) => (text.includes('\0') ? undefined : text),
};

/** The path of a file that holds a secret. Never shown: people put the secret itself here by mistake. */
export const secretFilePath: ValueKind<string> = {
  ...filePath,
  expected: 'a path to a readable file',
  show: () => '[redacted]',
};

export const host: ValueKind<string> = {
  expected: 'an IP address or a host name',
  parse: (text) =>
    isIP(text) || (text.length <= 253 && /^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(text)) ? text : undefined,
};

/** A token without the word `Bearer`, of characters that a header can carry. */
export const bearerToken: ValueKind<Secret> = {
  expected: 'a token of visible ASCII characters, without the word Bearer',
  parse: (text) => (/^[\x21-\x7e]+$/.test(text) ? new Secret(text) : undefined),
  show: () => '[redacted]',
};

const minSigningKeyCharacters = 32;

/** Keys that sign: the first signs, all verify, so that keys can be replaced without a break. */
export const signingKeys: ValueKind<readonly Secret[]> = {
  expected: `signing keys separated by commas, each of ${minSigningKeyCharacters} visible ASCII characters or more`,
  isList: true,
  parse: (text) => {
    const keys = toItems(text);
    return keys.every((key) => key.length >= minSigningKeyCharacters && /^[\x21-\x7e]+$/.test(key))
      ? keys.map((key) => new Secret(key))
      : undefined;
  },
  show: () => '[redacted]',
};

/** `*`, or web origins, normalised to the form in which browsers send them. */
export const origins: ValueKind<'*' | readonly string[]> = {
  expected:
    '* or origins separated by commas, each like https://app.example.com or http://localhost:3000, without a path',
  isList: true,
  parse: (text) => {
    if (text === '*') return '*';
    const list = toItems(text).map(toOrigin);
    return list.every((origin) => origin !== undefined) ? [...new Set(list)] : undefined;
  },
};

export const networks: ValueKind<readonly string[]> = {
  expected: 'IP addresses or CIDR ranges separated by commas, like 10.0.0.0/8, ::1',
  isList: true,
  parse: (text) => {
    const list = toItems(text);
    return list.every(isNetwork) ? list : undefined;
  },
};

const maxWorkers = 256;

export const workerCount: ValueKind<number | 'auto'> = {
  expected: `auto or an integer from 1 to ${maxWorkers}`,
  parse: (text) => (text === 'auto' ? 'auto' : integer(1, maxWorkers).parse(text)),
  jsonSchema: { type: ['integer', 'string'], minimum: 1, maximum: maxWorkers, pattern: '^(auto|\\d+)$' },
};

export const jsonObject: ValueKind<Readonly<Record<string, unknown>>> = {
  expected: 'a JSON object',
  parse: (text) => {
    try {
      const value: unknown = JSON.parse(text);
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? (value as Record<string, unknown>)
        : undefined;
    } catch {
      return undefined;
    }
  },
  jsonSchema: { type: ['object', 'string'] },
};

export const anyText: ValueKind<string> = { expected: 'text', parse: (text) => text };

function toItems(text: string): string[] {
  return text.split(',').map((item) => item.trim());
}

function toOrigin(text: string): string | undefined {
  if (!/^[a-z][a-z\d+.-]*:\/\/[^/?#@\s\\,*]+$/i.test(text) || !URL.canParse(text)) return undefined;
  const { origin } = new URL(text);
  // `URL` gives no origin for the schemes of browser extensions and app shells, though browsers send them as origins.
  return origin === 'null' ? text.toLowerCase() : origin;
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (!family || rest.length > 0) return false;
  return prefix === undefined || integer(0, family === 4 ? 32 : 128).parse(prefix) !== undefined;
}
