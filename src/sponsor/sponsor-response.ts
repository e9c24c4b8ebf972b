import { z } from 'zod';
import type { Secret } from '../config/secret.ts';
import { parseLosslessJson } from '../json/exact-json.ts';
import { isAnswerTooDeep } from '../json/json-size.ts';
import type { UpstreamResponse } from '../upstream/upstream-call.ts';

/** Path of each endpoint below the sponsor's base path. The names are also written to the log. */
export const sponsorEndpoints = {
  health: { method: 'GET', path: '/' },
  version: { method: 'GET', path: '/version' },
  debugHealthCheck: { method: 'POST', path: '/debug_health_check' },
  reserveGas: { method: 'POST', path: '/v1/reserve_gas' },
  executeTx: { method: 'POST', path: '/v1/execute_tx' },
  reloadAccessController: { method: 'GET', path: '/v1/reload_access_controller' },
} as const;

export type SponsorEndpoint = keyof typeof sponsorEndpoints;

/** A response of the sponsor, parsed but not interpreted. */
export interface SponsorAnswer {
  readonly status: number;
  /** `undefined` if the response does not declare JSON, or is not JSON. */
  readonly json: unknown;
  readonly text: string;
}

/**
 * Content type decides whether a body is parsed as JSON, not the status: the sponsor's rejections are JSON envelopes, while
 * its web framework sends plain text with the same statuses.
 */
export function toSponsorAnswer({ status, headers, body }: UpstreamResponse): SponsorAnswer {
  const text = body.toString('utf8');
  const type = headers.get('content-type');
  const isJson = type === undefined || /\bjson\b/i.test(String(type));
  return { status, text, json: isJson ? parseShallowJson(text) : undefined };
}

function parseShallowJson(text: string): unknown {
  try {
    const json = parseLosslessJson(text);
    return isAnswerTooDeep(json, text.length) ? undefined : json;
  } catch {
    return undefined;
  }
}

/** The text of `{ error }` or `{ result: null, error }`; `null` for any other response. */
export function errorTextOf({ json }: SponsorAnswer): string | null {
  if (typeof json !== 'object' || json === null || !('error' in json)) return null;
  return typeof json.error === 'string' && json.error !== '' ? json.error : null;
}

/** Does it contain effects or a result, in any form and with any status? Then it is not a rejection. */
export function hasResult({ json }: SponsorAnswer): boolean {
  if (typeof json !== 'object' || json === null) return false;
  const { effects = null, result = null } = json as { readonly effects?: unknown; readonly result?: unknown };
  return effects !== null || result !== null;
}

/** Is it JSON without its end? */
export function isCutOff({ json, text }: SponsorAnswer): boolean {
  return json === undefined && /^\s*[{[]/.test(text) && parseShallowJson(text) === undefined;
}

/** Plain text that may be a sentence of the sponsor; `null` for JSON objects, HTML pages and long texts. */
export function sentenceOf(answer: SponsorAnswer): string | null {
  const word = wordOf(answer);
  return word.length <= 500 && !/^[{[<]/.test(word) ? word : null;
}

/** `OK` and versions are JSON strings or bare text, depending on the sponsor's build and not on the content type. */
function wordOf({ json, text }: SponsorAnswer): string {
  const value = typeof json === 'string' ? json : text;
  return value.trim().replace(/^"(.*)"$/s, '$1');
}

function isSuccess({ status }: SponsorAnswer): boolean {
  return status >= 200 && status < 300;
}

const redacted = '[redacted]';
/** Storage addresses with a password appear in the sponsor's error texts. */
const urlCredentials = /(\/\/)[^/@\s]+@/g;
const bearer = /(bearer\s+)[\w.~+/=-]+/gi;

/**
 * Removes secrets from the sponsor's text: the credential of the request (services echo it), other bearer tokens, credentials
 * in URLs. Truncates afterwards, since half a secret would not be recognised.
 */
export function redact(text: string, authorization: Secret | null, maxLength: number): string {
  const whole = credentialsOf(authorization).reduce((rest, secret) => rest.replaceAll(secret, redacted), text);
  const clean = whole.replace(bearer, `$1${redacted}`).replace(urlCredentials, `$1${redacted}@`);
  return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
}

/** Shorter credentials occur by chance in digests and words, and removing them would damage the response. */
const minCredentialLength = 8;

/**
 * Removes the credential of the request from the response, also from successes, because clients get effects as the sponsor
 * sent them. JSON is cleaned in parsed form, since any character of a credential may be escaped.
 */
export function withoutCredential(answer: SponsorAnswer, authorization: Secret | null): SponsorAnswer {
  const secretSpellings = authorization ? spellingsOf(authorization) : [];
  const { text, json } = answer;
  const isIn = (whole: string) => secretSpellings.some((spelling) => whole.includes(spelling));
  if (!isIn(text) && !(text.includes('\\') && isIn(JSON.stringify(json) ?? ''))) return answer;
  const clean = (whole: string) =>
    secretSpellings.reduce((rest, spelling) => rest.replaceAll(spelling, redacted), whole);
  const cleaned = cleanJson(json, clean);
  return { ...answer, text: cleaned === undefined ? clean(text) : JSON.stringify(cleaned), json: cleaned };
}

/** The gateway's own credential is that of every call. */
const knownSpellings = new WeakMap<Secret, readonly string[]>();

function spellingsOf(authorization: Secret): readonly string[] {
  let spellings = knownSpellings.get(authorization);
  if (!spellings) {
    spellings = credentialsOf(authorization)
      .filter((secret) => secret.length >= minCredentialLength)
      .flatMap((secret) => [...new Set([secret, JSON.stringify(secret).slice(1, -1)])]);
    knownSpellings.set(authorization, spellings);
  }
  return spellings;
}

/** `undefined` for JSON that nests too deep to be printed again. */
function cleanJson(json: unknown, clean: (text: string) => string): unknown {
  if (json === undefined) return undefined;
  try {
    return JSON.parse(clean(JSON.stringify(json)));
  } catch {
    return undefined;
  }
}

/** The complete header and the part after the scheme, longest first. */
function credentialsOf(authorization: Secret | null): readonly string[] {
  const value = authorization?.reveal().trim() ?? '';
  return [value, value.replace(/^\S+\s+/, '')].filter((text) => text !== '');
}

/**
 * A whole number, as a JSON number or as text, kept as decimal text. Not a union type, which would try and report each form.
 */
export const integerText = z.custom<number | string>(isWholeNumber).transform(String);

function isWholeNumber(value: unknown): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0;
  return typeof value === 'string' && /^(?:0|[1-9]\d{0,77})$/.test(value);
}

/** A list with a maximum length: reporting the faults of a million items would take many seconds. */
const upTo = <Item extends z.ZodType>(most: number, item: Item) =>
  z.custom<unknown[]>((value) => Array.isArray(value) && value.length <= most).pipe(z.array(item));

/** One transaction changes a few thousand objects at most. The sponsor omits empty lists. */
const listOf = <Item extends z.ZodType>(item: Item) =>
  upTo(8_192, item)
    .nullish()
    .transform((items) => items ?? []);

const orNull = <Item extends z.ZodType>(item: Item) => item.nullish().transform((value) => value ?? null);

const objectRef = z.object({ objectId: z.string(), version: integerText, digest: z.string() });

const maxU64 = 2n ** 64n - 1n;

/** Address and number become part of the lease, and the number is sent back later. */
const reservation = z.object({
  sponsor_address: z.string().regex(/^[\x21-\x7e]{1,128}$/),
  reservation_id: integerText.refine((text) => BigInt(text) <= maxU64),
  // The most coins that a ledger accepts as payment.
  gas_coins: upTo(256, objectRef),
});

/** The owner is parsed by its resolver: it may have any form. */
const objectChange = z.object({ owner: z.unknown(), reference: objectRef });

const status = z.object({ status: z.string(), error: orNull(z.string()) });

const effects = z.object({
  messageVersion: z.string(),
  status,
  executedEpoch: integerText,
  gasUsed: z.object({
    computationCost: integerText,
    computationCostBurned: orNull(integerText),
    storageCost: integerText,
    storageRebate: integerText,
    nonRefundableStorageFee: integerText,
  }),
  modifiedAtVersions: listOf(z.object({ objectId: z.string(), sequenceNumber: integerText })),
  sharedObjects: listOf(objectRef),
  transactionDigest: z.string(),
  created: listOf(objectChange),
  mutated: listOf(objectChange),
  unwrapped: listOf(objectChange),
  deleted: listOf(objectRef),
  unwrappedThenDeleted: listOf(objectRef),
  wrapped: listOf(objectRef),
  gasObject: objectChange,
  eventsDigest: orNull(z.string()),
  dependencies: listOf(z.string()),
});

/** The part of the effects that shows the outcome, also if the rest has an unknown form. */
const verdict = z.object({
  transactionDigest: z.string().min(1),
  status: z.object({ status: z.enum(['success', 'failure']) }),
});

export type WireObjectRef = z.output<typeof objectRef>;
export type WireReservation = z.output<typeof reservation>;
export type WireEffects = z.output<typeof effects>;

export interface SponsorEffects {
  /** `null` if the effects have an unknown form. */
  readonly effects: WireEffects | null;
  /** As sent; whole numbers beyond 2^53-1 as decimal text. */
  readonly rawEffects: unknown;
}

export interface WireExecution {
  readonly transactionDigest: string;
  readonly succeeded: boolean;
  readonly raw: unknown;
}

/** `{ result: Reservation }`, with or without `error: null`; `null` for anything else. */
export function readReservation(answer: SponsorAnswer): WireReservation | null {
  return isSuccess(answer) ? (reservation.safeParse(member(answer.json, 'result')).data ?? null) : null;
}

/**
 * `{ effects, error: null }`, with or without the second key, with any status: a transaction with effects ran. `null` for
 * anything else.
 */
export function readExecution({ json }: SponsorAnswer): WireExecution | null {
  const raw = member(json, 'effects');
  const { data } = verdict.safeParse(raw);
  return data ? { transactionDigest: data.transactionDigest, succeeded: data.status.status === 'success', raw } : null;
}

/** The effects field by field; `null` if they have an unknown form. */
export function readEffects(raw: unknown): WireEffects | null {
  return effects.safeParse(raw).data ?? null;
}

/** `{ result: "success" }`; `null` for anything else. */
export function readReloadResult(answer: SponsorAnswer): { readonly result: 'success' } | null {
  return isSuccess(answer) && member(answer.json, 'result') === 'success' ? { result: 'success' } : null;
}

/** `OK`, quoted or not; `null` for anything else, such as a proxy's page with status 200. */
export function readHealth(answer: SponsorAnswer): 'OK' | null {
  return isSuccess(answer) && wordOf(answer) === 'OK' ? 'OK' : null;
}

/** One printable word; `null` for anything else. */
export function readVersion(answer: SponsorAnswer): string | null {
  const word = wordOf(answer);
  return isSuccess(answer) && /^[\x21-\x7e]{1,128}$/.test(word) && !/[<>"{}]/.test(word) ? word : null;
}

/** The deep health check answers 200 with a sentence; `null` for any other sentence. */
export function readDeepHealth(answer: SponsorAnswer): 'ok' | 'failed' | null {
  if (!isSuccess(answer)) return null;
  const word = wordOf(answer);
  if (word === 'OK') return 'ok';
  return word.startsWith('Failed to check health') ? 'failed' : null;
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
