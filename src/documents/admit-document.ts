import type { GraphQLError } from 'graphql';
import { checkVariables, priceDocument } from './cost/check-variables.ts';
import type { Limits } from './cost/limits.ts';
import type { Usage } from './cost/usage.ts';
import type { Variables } from './cost/variables.ts';
import type { PreparedDocument } from './prepared-document.ts';
import { type ToldError, toGraphQLErrors } from './told-error.ts';

export type DocumentAdmission =
  /** `usage` is `null` for a document that asks for the schema alone. */
  | { readonly kind: 'admitted'; readonly usage: Usage | null }
  /** `usage` is `null` if the document was refused before it was counted. */
  | { readonly kind: 'refused'; readonly errors: readonly GraphQLError[]; readonly usage: Usage | null };

/**
 * Decides whether a request may be executed. Refuses in the ledger's order: first for the text, then for the variables, then
 * for the schema. Takes microseconds for a prepared document.
 */
export function admitDocument(prepared: PreparedDocument, variables: Variables, limits: Limits): DocumentAdmission {
  const refused = (errors: readonly ToldError[], usage: Usage | null): DocumentAdmission => ({
    kind: 'refused',
    errors: toGraphQLErrors(errors, prepared.text),
    usage,
  });
  if (prepared.kind === 'unreadable') return refused(prepared.refusal.errors, null);
  const { size } = prepared;
  const usage = size.isExempt ? null : priceDocument(size, variables, limits);
  if (prepared.kind === 'refused') return refused(prepared.refusal.errors, prepared.refusal.hasUsage ? usage : null);
  const refusal = checkVariables(size, variables, limits);
  if (refusal) return { kind: 'refused', errors: [refusal.error], usage: refusal.hasUsage ? usage : null };
  return prepared.errors.length > 0 ? refused(prepared.errors, usage) : { kind: 'admitted', usage };
}
