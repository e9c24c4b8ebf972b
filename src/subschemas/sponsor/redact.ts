import type { Secret } from '../../config/secret.ts';
import type { SponsorAnswer } from './sponsor-answer.ts';

const redacted = '[redacted]';
/** Storage addresses with a password turn up in the sponsor's error texts. */
const urlCredentials = /(\/\/)[^/@\s]+@/g;
const bearer = /(bearer\s+)[\w.~+/=-]+/gi;

/**
 * Text of the sponsor without what must not be shown: the credential that went with the request (services do echo it),
 * any other bearer token, credentials in URLs. Cut only afterwards, so that no half of a secret is left at the end.
 */
export function redact(text: string, authorization: Secret | null, maxLength: number): string {
  const whole = credentialsOf(authorization).reduce((rest, secret) => rest.replaceAll(secret, redacted), text);
  const clean = whole.replace(bearer, `$1${redacted}`).replace(urlCredentials, `$1${redacted}@`);
  return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
}

/** A shorter credential guards nothing, and would be found in digests and words that are none of it. */
const minCredentialLength = 8;

/**
 * An answer without the credential that went with its request, wherever it stands: also what succeeds is shown to clients,
 * the effects of a transaction even as they came. Escapes in JSON do not hide it.
 */
export function withoutCredential(answer: SponsorAnswer, authorization: Secret | null): SponsorAnswer {
  const secrets = credentialsOf(authorization).filter((secret) => secret.length >= minCredentialLength);
  const { text } = answer;
  if (!text.includes('\\u') && !secrets.some((secret) => text.includes(secret))) return answer;
  const clean = (whole: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, redacted), whole);
  return { ...answer, text: clean(text), json: cleanJson(answer.json, clean) };
}

/** What cannot be written again, for its depth, cannot be read by anyone further on either. */
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
