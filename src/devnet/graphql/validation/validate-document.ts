import {
  type ASTNode,
  type DocumentNode,
  type GraphQLSchema,
  specifiedRules,
  ValuesOfCorrectTypeRule,
  validate,
} from 'graphql';
import type { LedgerFeature } from '../graphql-limits.ts';
import { type ArgumentUse, createValuesRule } from './argument-uses.ts';
import { createFeatureRule } from './feature-rule.ts';
import { toLedgerText } from './ledger-text.ts';

/** A validation error without its error object: each such object holds a stack, and there may be a hundred. */
export interface DocumentFault {
  readonly message: string;
  readonly nodes: readonly ASTNode[];
}

export interface ValidatedDocument {
  readonly errors: readonly DocumentFault[];
  /** Arguments to look at again with each request's variables. */
  readonly uses: readonly ArgumentUse[];
}

/** Validates a document against the schema. The result depends on its text alone, so it can be kept. */
export function validateDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  features: ReadonlySet<LedgerFeature>,
): ValidatedDocument {
  const uses: ArgumentUse[] = [];
  const rules = specifiedRules.filter((rule) => rule !== ValuesOfCorrectTypeRule);
  const errors = validate(schema, document, [...rules, createValuesRule(uses), createFeatureRule(features)]);
  return { errors: errors.map(({ message, nodes = [] }) => ({ message: toLedgerText(message), nodes })), uses };
}
