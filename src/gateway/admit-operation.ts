import type { DocumentNode, GraphQLError } from 'graphql';
import { admitDocument } from '../documents/admit-document.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { Usage } from '../limits/usage.ts';
import type { Generation } from './generation.ts';

export type OperationAdmission =
  | {
      readonly kind: 'admitted';
      readonly generation: Generation;
      readonly document: DocumentNode;
      readonly usage: Usage | null;
    }
  | { readonly kind: 'refused'; readonly errors: readonly GraphQLError[]; readonly usage: Usage | null };

/** Decides whether an operation may run on a generation, whichever shell it came through. */
export function admitOperation(
  generation: Generation,
  query: string,
  variables: Readonly<Record<string, unknown>>,
): OperationAdmission {
  const admission = admitDocument(generation.documents.prepare(query), variables, generation.limits);
  if (admission.kind === 'admitted') return { ...admission, generation };
  const isSchemaMissing =
    generation.origin === 'none' &&
    admission.errors.some(({ extensions }) => extensions.code === 'GRAPHQL_VALIDATION_FAILED');
  if (!isSchemaMissing) return admission;
  const reason = 'The ledger has not been reached yet, so its part of the schema is missing.';
  return {
    ...admission,
    errors: [gatewayError('UPSTREAM_UNAVAILABLE', reason, { upstream: 'ledger' }), ...admission.errors],
  };
}
