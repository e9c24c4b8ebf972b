import { hash } from 'node:crypto';
import { clientScopes } from '../../config/client.ts';
import type { Scope } from '../../upstream/operation-context.ts';

/** May the text be a JWT? Three parts of base64url, no longer than any issuer's. */
export function looksLikeToken(text: string): boolean {
  return text.length <= 8_192 && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
}

/** The holder of a verified token, by its claims. */
export type Holder =
  /** `id`: `jwt:` and the subject. */
  | { readonly kind: 'holder'; readonly id: string; readonly scopes: ReadonlySet<Scope> }
  /** `claim` is missing or malformed. */
  | { readonly kind: 'unfit'; readonly claim: string };

/** Claims that issuers use for scopes; the first that is present counts. */
const usualScopeClaims = ['scope', 'scopes', 'scp'];

/** Subjects that are shown as they are: most issuers use these, e-mail addresses included. */
const plainSubject = /^[\w.:@|/+=-]{1,128}$/;

/**
 * Ignores scopes of other services. Every holder may read.
 * @param scopesClaim the claim that lists scopes; `null` = the usual ones
 */
export function readClaims(claims: Readonly<Record<string, unknown>>, scopesClaim: string | null): Holder {
  const { sub } = claims;
  if (typeof sub !== 'string' || sub === '') return { kind: 'unfit', claim: 'sub' };
  const claim = (scopesClaim === null ? usualScopeClaims : [scopesClaim]).find((name) => Object.hasOwn(claims, name));
  const named = claim === undefined ? [] : toList(claims[claim]);
  if (claim !== undefined && named === null) return { kind: 'unfit', claim };
  const scopes = clientScopes.filter((scope) => scope === 'read' || named?.includes(scope));
  return { kind: 'holder', id: toHolderId(sub), scopes: new Set(scopes) };
}

/**
 * The subject if it is plain and short, else its hash: ids are unique, and a subject cannot inject text into the log. No plain
 * subject contains `#`.
 */
function toHolderId(sub: string): string {
  return `jwt:${plainSubject.test(sub) ? sub : `#${hash('sha256', sub).slice(0, 32)}`}`;
}

/** Text with spaces, or a list of texts. */
function toList(value: unknown): readonly string[] | null {
  if (typeof value === 'string') return value.split(' ');
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : null;
}
