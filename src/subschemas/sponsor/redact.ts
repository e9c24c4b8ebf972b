import type { Secret } from '../../config/secret.ts';

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

/** The header value whole and the part after the scheme, longest first. */
function credentialsOf(authorization: Secret | null): readonly string[] {
  const value = authorization?.reveal().trim() ?? '';
  return [value, value.replace(/^\S+\s+/, '')].filter((text) => text !== '');
}
