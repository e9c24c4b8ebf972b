import { isIP } from 'node:net';
import { z } from 'zod';
import { quoteText } from './config-error.ts';
import { isHeaderValue, redactUrl, Secret } from './secret.ts';

/** Parses the text of a setting or an option. Other accepted types are for the JSON Schema of the configuration file. */
export type ValueType<Value> = z.ZodType<Value, unknown>;

/** How messages and the documentation describe a type of value. */
interface ValueTexts {
  /** The words after "expected", such as `an integer from 0 to 65535`. */
  readonly expected: string;
  /** How to show a rejected text. Left out: quoted and shortened. Needed if the text may contain a secret. */
  readonly show?: (text: string) => string;
  /** The text holds several values, separated by commas; a configuration file may give a list instead. */
  readonly isList?: true;
  /** A configuration file may give an object instead of JSON text. */
  readonly isObject?: true;
}

const textsOfTypes = z.registry<ValueTexts>();

function valueType<Type extends z.ZodType>(
  expected: string,
  type: Type,
  rest: Omit<ValueTexts, 'expected'> = {},
): Type {
  const named = type.clone();
  textsOfTypes.add(named, { expected, ...rest });
  return named;
}

function textsOf(type: ValueType<unknown>): ValueTexts {
  return textsOfTypes.get(type) ?? { expected: 'text' };
}

/** The words after "expected" for a type. */
export const expectedOf = (type: ValueType<unknown>): string => textsOf(type).expected;

/** May a configuration file give a list for a setting of this type? */
export const isListType = (type: ValueType<unknown>): boolean => textsOf(type).isList === true;

/** May a configuration file give an object for a setting of this type? */
export const isObjectType = (type: ValueType<unknown>): boolean => textsOf(type).isObject === true;

/** The value as readable text: no secrets, on one line. */
export function showText(type: ValueType<unknown>, text: string): string {
  return textsOf(type).show?.(text) ?? quoteText(text);
}

/** @returns `undefined` if the text is not acceptable */
export function parseText<Value>(type: ValueType<Value>, text: string): Value | undefined {
  const { data } = type.safeParse(text);
  return data;
}

/** Turns text into a value by a function that returns `undefined` for unacceptable text, and never throws. */
function parsedBy<Value>(input: z.ZodType<string>, parse: (text: string) => Value | undefined) {
  return input.transform((text, context) => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.issues.push({ code: 'custom', input: text });
    return z.NEVER;
  });
}

// YAML reads a token of digits as a number.
const text = z.union([z.string(), z.number()]).transform(String);
const listText = z.union([z.string(), z.number(), z.array(z.string())]).transform(String);

/** A whole number from `min` to `max`. @param unit shown after the range, such as `milliseconds` */
export function integer(min: number, max: number, unit?: string) {
  const number = z.int().min(min).max(max);
  const digits = z.string().regex(/^(0|-?[1-9]\d{0,14})$/);
  return valueType(
    `an integer from ${min} to ${max}${unit ? ` (${unit})` : ''}`,
    z.union([number, digits.transform(Number).pipe(number)]),
  );
}

export const fraction = valueType(
  'a number from 0 to 1',
  z
    .union([
      z.number(),
      z
        .string()
        .regex(/^[01]$|^0?\.\d{1,9}$/)
        .transform(Number),
    ])
    .pipe(z.number().min(0).max(1)),
);

const truth = z.string().regex(/^(true|false)$/i);
export const boolean = valueType(
  'true or false',
  z.union([z.boolean(), truth.transform((word) => word.toLowerCase() === 'true')]),
);

export function oneOf<const Value extends string>(...values: readonly Value[]) {
  return valueType(`one of ${values.join(', ')}`, z.enum(values));
}

/** One of the names, or the path of a YAML or JSON file. */
export function nameOrFile(...names: readonly string[]) {
  const pattern = new RegExp(`^(?:${names.join('|')}|.+\\.(?:ya?ml|json))$`);
  const expected = `one of ${names.join(', ')}, or a path to a .yaml or .json file`;
  return valueType(expected, z.string().regex(pattern));
}

/** An absolute URL of one of the schemes, without a fragment. It may hold credentials, which messages do not show. */
export function url(...schemes: readonly string[]) {
  const expected = `a URL with ${schemes.map((scheme) => `${scheme}://`).join(' or ')} and without a #fragment`;
  const pattern = new RegExp(`^(${schemes.join('|')}):`, 'i');
  return valueType(expected, z.string().regex(pattern).refine(isUrlWithoutFragment), { show: redactUrl });
}

/** More addresses of one upstream would make choosing between them slow, and metrics have a series for each. */
export const maxAddresses = 8;

/** One address or several of one upstream. A comma inside a URL does not separate. */
export function urls(...schemes: readonly string[]) {
  const single = url(...schemes);
  const begin = z.string().regex(new RegExp(`^(${schemes.join('|')}):`, 'i'));
  const given = z.union([begin, z.array(begin)]).transform(String);
  const split = (text: string) => text.split(/,(?=\s*[a-z]+:\/\/)/i).map((each) => each.trim());
  return valueType(
    `${expectedOf(single)}, or up to ${maxAddresses} of them separated by commas`,
    parsedBy(given, (text): readonly string[] | undefined => {
      const list = [...new Set(split(text))];
      return list.length <= maxAddresses && list.every((each) => single.safeParse(each).success) ? list : undefined;
    }),
    { show: (text) => split(text).map(redactUrl).join(', '), isList: true },
  );
}

/** A URL as a secret, because its credentials must not be printed with the configuration. */
export function secretUrl(...schemes: readonly string[]) {
  const type = url(...schemes);
  return valueType(
    expectedOf(type),
    type.transform((text) => new Secret(text)),
    { show: redactUrl },
  );
}

/** A URL without credentials, because `fetch` rejects them. */
export function urlWithoutCredentials(...schemes: readonly string[]) {
  const type = url(...schemes);
  const hasNone = (text: string) => URL.canParse(text) && new URL(text).username + new URL(text).password === '';
  return valueType(`${expectedOf(type)}, and without a user or password`, type.refine(hasNone), { show: redactUrl });
}

/** A list where one URL is expected could otherwise pass as a strange host or path. */
const listOfUrls = /^[^?]*,[a-z]+:\/\//i;

function isUrlWithoutFragment(text: string): boolean {
  return /^[a-z]+:\/\/[^\s#]+$/i.test(text) && !listOfUrls.test(text) && URL.canParse(text);
}

const path = text.refine((each) => !each.includes('\0'));
export const filePath = valueType('a path to a file', path);

const redacted = { show: () => '[redacted]' };

/** The path of a file with a secret. Never shown: people put the secret itself here by mistake. */
export const secretFilePath = valueType('a path to a readable file', path, redacted);

export const host = valueType('an IP address or a host name', text.refine(isHost));

function isHost(text: string): boolean {
  return isIP(text) > 0 || (text.length <= 253 && /^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(text));
}

const visible = /^[\x21-\x7e]+$/;

/** A token without the word `Bearer`, of characters that a header can carry. */
export const bearerToken = valueType(
  'a token of visible ASCII characters, without the word Bearer',
  text.refine((token) => visible.test(token)).transform((token) => new Secret(token)),
  redacted,
);

const headerName = /^[!#$%&'*+.^_`|~\dA-Za-z-]{1,100}$/;

/** Headers that the gateway writes itself, or that describe the connection or the body. */
const reservedHeaders = new Set(
  'accept accept-encoding connection content-encoding content-length content-type expect host keep-alive te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);

const headerLines = 'headers as lines `name: value`, or as a JSON object, without those that the gateway sends itself';

/** Headers that are added to each request of an upstream. They may contain a key, so they are never shown. */
export const addedHeaders = valueType(
  headerLines,
  parsedBy(
    z.union([z.string(), z.record(z.string(), z.string()).transform((each) => JSON.stringify(each))]),
    toHeaders,
  ),
  { ...redacted, isObject: true },
);

function toHeaders(text: string): Secret | undefined {
  const object = text.trimStart().startsWith('{') ? parseJsonObject(text) : undefined;
  const entries = object
    ? Object.entries(object)
    : text
        .split(/\r?\n/)
        .filter((line) => line.trim() !== '')
        .map((line) => [line.slice(0, Math.max(0, line.indexOf(':'))), line.slice(line.indexOf(':') + 1)]);
  const headers = entries.map(([name = '', value]) => [
    name.trim().toLowerCase(),
    typeof value === 'string' ? value.trim() : '',
  ]);
  const names = new Set(headers.map(([name]) => name));
  const areValid = headers.every(
    ([name = '', value = '']) =>
      headerName.test(name) && !reservedHeaders.has(name) && value !== '' && isHeaderValue(value),
  );
  if (headers.length === 0 || !areValid || names.size < headers.length) return undefined;
  return new Secret(JSON.stringify(headers.flat()));
}

/** The headers of a setting of type `addedHeaders`, as alternating names and values. */
export function revealHeaders(headers: Secret | null): readonly string[] {
  return headers === null ? [] : (JSON.parse(headers.reveal()) as string[]);
}

/** Values separated by commas, trimmed. `toItem` returns `undefined` for an unacceptable one. */
function listOf<Item>(toItem: (text: string) => Item | undefined) {
  return parsedBy(listText, (whole): readonly Item[] | undefined => {
    const items = whole.split(',').map((item) => toItem(item.trim()));
    return items.every((item) => item !== undefined) ? [...new Set(items)] : undefined;
  });
}

const minSigningKeyCharacters = 32;

/** Signing keys: the first signs, all verify, so that keys can be rotated without interruption. */
export const signingKeys = valueType(
  `signing keys separated by commas, each of ${minSigningKeyCharacters} visible ASCII characters or more`,
  listOf((key) => (key.length >= minSigningKeyCharacters && visible.test(key) ? new Secret(key) : undefined)),
  { ...redacted, isList: true },
);

/** A secret that signs what the gateway sends. */
export const signingSecret = valueType(
  `a secret of ${minSigningKeyCharacters} visible ASCII characters or more`,
  text
    .refine((secret) => secret.length >= minSigningKeyCharacters && visible.test(secret))
    .transform((secret) => new Secret(secret)),
  redacted,
);

const originList = 'origins separated by commas, each like https://app.example.com';

/** Web origins, normalised to the form in which browsers send them. */
export const namedOrigins = valueType(`${originList}, without a path`, listOf(toOrigin), { isList: true });

export const origins = valueType(
  `* or ${originList} or http://localhost:3000, without a path`,
  z.union([z.literal('*'), namedOrigins]),
  { isList: true },
);

/** Names in Host headers, in lower case. */
export const hosts = valueType(
  '* or host names separated by commas, like gateway.example.net, without a port',
  z.union([z.literal('*'), listOf((name) => (isHost(name) ? name.toLowerCase() : undefined))]),
  { isList: true },
);

/** @returns `undefined` if the text is not an origin */
export function toOrigin(text: string): string | undefined {
  if (!/^[a-z][a-z\d+.-]*:\/\/[^/?#@\s\\,*]+$/i.test(text) || !URL.canParse(text)) return undefined;
  const { origin } = new URL(text);
  // `URL` gives no origin for the schemes of browser extensions and app shells, but browsers send them as origins.
  return origin === 'null' ? text.toLowerCase() : origin;
}

export const networks = valueType(
  'IP addresses or CIDR ranges separated by commas, like 10.0.0.0/8, ::1',
  listOf((network) => (isNetwork(network) ? network : undefined)),
  { isList: true },
);

function isNetwork(text: string): boolean {
  const [address = '', prefix = '0', ...rest] = text.split('/');
  const family = isIP(address);
  return (
    family > 0 && rest.length === 0 && /^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128)
  );
}

/** An allowed Move call: a package, a module in it, or one function. */
const moveCall = /^0x([\da-f]{1,64})((?:::(?:[a-z][a-z\d_]{0,127}|_[a-z\d_]{1,127})){0,2})$/i;

export const moveCallRule = 'package::module::function, package::module or package, the package like 0x2';

/** The canonical form for comparison: the package as 0x and 64 digits in lower case. `undefined` for other text. */
export function toMoveCall(text: string): string | undefined {
  const [, address, rest] = moveCall.exec(text) ?? [];
  return address === undefined ? undefined : `0x${address.toLowerCase().padStart(64, '0')}${rest}`;
}

export const moveCallTargets = valueType(
  `what may be called, separated by commas, each ${moveCallRule}`,
  listOf(toMoveCall),
  { isList: true },
);

/** Ways to compress a response, the smallest result first. */
export const encodings = ['br', 'gzip'] as const;

export type Encoding = (typeof encodings)[number];

export const encodingList = valueType(
  `off, ${encodings.join(' or ')}, or both separated by commas, the preferred one first`,
  z.union([z.literal('off'), listOf((name) => encodings.find((each) => each === name))]),
  { isList: true },
);

const maxWorkers = 256;

export const workerCount = valueType(
  `auto or an integer from 1 to ${maxWorkers}`,
  z.union([z.literal('auto'), integer(1, maxWorkers)]),
);

/** A JSON object; a configuration file may nest it. */
export const jsonObject = valueType(
  'a JSON object',
  z.union([z.looseObject({}), parsedBy(z.string(), parseJsonObject)]),
  { isObject: true },
);

function parseJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const anyText = valueType('text', text);

/** A custom type. `parse` returns `undefined` for unacceptable text, and never throws. */
export function textType<Value>(expected: string, parse: (text: string) => Value | undefined): ValueType<Value> {
  return valueType(expected, parsedBy(text, parse));
}

/** The type, default, documentation and dependencies of one setting. */
export interface ConfigKey<Value = unknown> {
  readonly type: ValueType<Value>;
  /** The value when unset. Left out: `null`. */
  readonly fallback?: Value;
  /** The default as the documentation shows it, if it differs from `fallback`. */
  readonly fallbackText?: string;
  /** What the setting does, for the documentation: one paragraph, with units. */
  readonly description: string;
  readonly needs?: string;
  /** For the path of a file with a secret: the setting that would contain the secret itself. */
  readonly holds?: string;
  /** The value is the address of an upstream. */
  readonly isAddress?: true;
}

/** All settings of a gateway by name, in the order of the documentation. */
export type ConfigTable = Readonly<Record<string, ConfigKey>>;

export type ValueOfKey<Key extends ConfigKey> =
  | z.output<Key['type']>
  | (Key extends { readonly fallback: unknown } ? never : null);

/** The setting that holds the address of an upstream. */
export interface AddressSetting {
  /** The value in the form of the environment. */
  readonly name: string;
  readonly key: ConfigKey<string | readonly string[]>;
}
