import type { Secret } from '../../config/secret.ts';
import type { SponsorAnswer } from './sponsor-answer.ts';

const redacted = '[redacted]';
/** Storage addresses with a password turn up in the sponsor's error texts. */
const urlCredentials = /(\/\/)[^/@\s]+@/g;
const bearer = /(bearer\s+)[\w.~+/=-]+/gi;

/**
 * Text of the sponsor without what must not be shown: the credential that went with the request (services do echo it),
 * any other bearer token, credentials in URLs. Cut to its length only afterwards: half a secret would not be recognised.
 */
export function redact(text: string, authorization: Secret | null, maxLength: number): string {
  const whole = credentialsOf(authorization).reduce((rest, secret) => rest.replaceAll(secret, redacted), text);
  const clean = whole.replace(bearer, `$1${redacted}`).replace(urlCredentials, `$1${redacted}@`);
  return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
}

/** A shorter text occurs by chance in digests and words, and taking it out there would spoil the answer. */
const minCredentialLength = 8;

/**
 * An answer without the credential that went with its request. Successes are cleaned too, because clients see the effects of
 * a transaction as the sponsor sent them. JSON is cleaned in its parsed form, and its text written anew from that: any
 * character of a credential may be escaped, and some have to be.
 */
export function withoutCredential(answer: SponsorAnswer, authorization: Secret | null): SponsorAnswer {
  const spellings = credentialsOf(authorization)
    .filter((secret) => secret.length >= minCredentialLength)
    .flatMap(toSpellings);
  const { text, json } = answer;
  const isIn = (whole: string) => spellings.some((spelling) => whole.includes(spelling));
  if (!isIn(text) && !(text.includes('\\') && isIn(JSON.stringify(json) ?? ''))) return answer;
  const clean = (whole: string) => spellings.reduce((rest, spelling) => rest.replaceAll(spelling, redacted), whole);
  const cleaned = cleanJson(json, clean);
  return { ...answer, text: cleaned === undefined ? clean(text) : JSON.stringify(cleaned), json: cleaned };
}

/** As it is, and as JSON has it if that is another text. */
function toSpellings(secret: string): readonly string[] {
  const written = JSON.stringify(secret).slice(1, -1);
  return written === secret ? [secret] : [secret, written];
}

/** `undefined` for JSON nested too deep to be written again: nobody after us could read it either. */
function cleanJson(json: unknown, clean: (text: string) => string): unknown {
  if (json === undefined) return undefined;
  try {
    return JSON.parse(clean(JSON.stringify(json)));
  } catch {
    return undefined;
  }
}

/** The header value whole and the part after the scheme, longest first. */
function credentialsOf(authorization: Secret | null): readonly string[] {
  const value = authorization?.reveal().trim() ?? '';
  return [value, value.replace(/^\S+\s+/, '')].filter((text) => text !== '');
}
