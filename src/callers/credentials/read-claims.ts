import { hash } from 'node:crypto';
import { clientScopes } from '../../config/client.ts';
import type { Scope } from '../../upstream/operation-context.ts';

/** What the claims of a token say about its holder, once its signature has been verified. */
export type Holder =
  /** `id`: `jwt:` and the subject. */
  | { readonly kind: 'holder'; readonly id: string; readonly scopes: ReadonlySet<Scope> }
  /** `claim` is missing, or not of its form. */
  | { readonly kind: 'unfit'; readonly claim: string };

/** The claims by which issuers name scopes; the first that a token has is taken. */
const usualScopeClaims = ['scope', 'scopes', 'scp'];

/** Subjects that may be shown as they are: what most issuers use, e-mail addresses included. */
const plainSubject = /^[\w.:@|/+=-]{1,128}$/;

/**
 * @param scopesClaim the claim that lists scopes; `null` = whichever is usual. Scopes of other services are passed over, and
 * everybody may read.
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
 * The subject itself where it is plain and short, else its hash: two subjects never get one id, and none can write what it
 * likes into the log. The hash begins with a character that no plain subject has.
 */
function toHolderId(sub: string): string {
  return `jwt:${plainSubject.test(sub) ? sub : `#${hash('sha256', sub).slice(0, 32)}`}`;
}

/** A text with spaces, or a list of texts. */
function toList(value: unknown): readonly string[] | null {
  if (typeof value === 'string') return value.split(' ');
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : null;
}
