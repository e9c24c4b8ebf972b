import type { DocumentNode, GraphQLError } from 'graphql';
import { checkVariables } from '../limits/check-variables.ts';
import type { Limits } from '../limits/limits.ts';
import { priceDocument } from '../limits/price-document.ts';
import type { Usage } from '../limits/usage.ts';
import type { Variables } from '../limits/variables.ts';
import type { PreparedDocument } from './prepared-document.ts';

export type Admission =
  /** `usage` is null for the document that only asks for the schema. */
  | { readonly kind: 'admitted'; readonly document: DocumentNode; readonly usage: Usage | null }
  /** `usage` is null where the document was never counted to its end. */
  | { readonly kind: 'refused'; readonly errors: readonly GraphQLError[]; readonly usage: Usage | null };

/**
 * Decides whether a request may be executed: what its text decides first, then what needs the variables, then what the
 * schema has against it, as the ledger orders its refusals. Costs microseconds for a prepared document.
 */
export function admitDocument(prepared: PreparedDocument, variables: Variables, limits: Limits): Admission {
  if (prepared.kind === 'unreadable') return { kind: 'refused', errors: prepared.refusal.errors, usage: null };
  const { document, measured } = prepared;
  const usage = measured.isExempt ? null : priceDocument(measured, variables, limits);
  if (prepared.refusal)
    return { kind: 'refused', errors: prepared.refusal.errors, usage: prepared.refusal.hasUsage ? usage : null };
  const refusal = checkVariables(measured, variables, limits);
  if (refusal) return { kind: 'refused', errors: [refusal.error], usage: refusal.hasUsage ? usage : null };
  const errors = prepared.validate();
  return errors.length > 0 ? { kind: 'refused', errors, usage } : { kind: 'admitted', document, usage };
}
