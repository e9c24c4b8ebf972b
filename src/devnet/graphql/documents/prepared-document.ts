import { type DocumentNode, GraphQLError, type GraphQLSchema, parse } from 'graphql';
import type { GraphqlLimits, LedgerFeature } from '../graphql-limits.ts';
import { type ValidatedDocument, validateDocument } from '../validation/validate-document.ts';
import { checkDirectives } from './check-directives.ts';
import { checkRecursion, recursionRefusal } from './check-recursion.ts';
import { type Fragments, fragmentsOf, isSchemaOnly } from './fragments.ts';
import { limitRefusal } from './limit-refusal.ts';
import { type InputMeasure, measureInput } from './measure-input.ts';
import { findTransactionArguments, inlinedBytes, type TransactionArgumentValues } from './transaction-payload.ts';

/** Facts about a document that depend on its text alone. */
export type PreparedDocument =
  | { readonly kind: 'refused'; readonly error: GraphQLError }
  | {
      readonly kind: 'ready';
      readonly document: DocumentNode;
      readonly fragments: Fragments;
      /** `undefined` if the document is exempt from limits. */
      readonly input: InputMeasure | undefined;
      readonly transactionArguments: TransactionArgumentValues;
      /** Bytes of the text. */
      readonly payloadBytes: number;
      /** Reported only after the limits that variables decide. */
      readonly validated: () => ValidatedDocument;
    };

/**
 * What the query's allowance counts: the query text or, as in the newest services, the whole body less its
 * transaction, by its declared length.
 */
export type PayloadRule = 'query' | 'body';

export interface PreparationRules {
  readonly schema: GraphQLSchema;
  readonly limits: GraphqlLimits;
  readonly features: ReadonlySet<LedgerFeature>;
  readonly payloadRule: PayloadRule;
}

/**
 * Checks payload, parses, then checks recursion, directives, depth and nodes, in this order; the first refusal
 * counts. Transaction bytes inside the text have an allowance of their own.
 */
export function prepareDocument(text: string, rules: PreparationRules): PreparedDocument {
  const { schema, limits, features } = rules;
  const payloadBytes = Buffer.byteLength(text);
  const maxQueryBytes = rules.payloadRule === 'query' ? limits.maxQueryPayloadSize : Number.POSITIVE_INFINITY;
  const tooLarge = () =>
    refused(limitRefusal(`Query payload is too large. The maximum allowed is ${maxQueryBytes} bytes`));
  if (payloadBytes > maxQueryBytes + limits.maxTransactionPayloadSize) return tooLarge();

  const document = parseText(text);
  if (document instanceof GraphQLError) return payloadBytes > maxQueryBytes ? tooLarge() : refused(document);
  const fragments = fragmentsOf(document);
  const transactionArguments = findTransactionArguments(document, fragments);
  if (payloadBytes - inlinedBytes(transactionArguments) > maxQueryBytes) return tooLarge();

  const unsupported = checkRecursion(document, fragments) ?? checkDirectives(document);
  if (unsupported) return refused(unsupported);
  const input = isSchemaOnly(document) ? undefined : measureInput(document, fragments, limits);
  if (input?.refusal) return refused(input.refusal);

  let validated: ValidatedDocument | undefined;
  return {
    kind: 'ready',
    document,
    fragments,
    input,
    transactionArguments,
    payloadBytes,
    validated: () => {
      validated ??= validateDocument(schema, document, features);
      return validated;
    },
  };
}

function refused(error: GraphQLError): PreparedDocument {
  return { kind: 'refused', error };
}

function parseText(text: string): DocumentNode | GraphQLError {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    // Nested too deep for the parser's stack.
    if (error instanceof RangeError) return recursionRefusal();
    throw error;
  }
}
