import { GraphQLError, NoSchemaIntrospectionCustomRule, parse } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { gatewayError } from '../errors/gateway-error.ts';
import type { SchemaKeeper } from './schema-keeper.ts';

/** A document of more lexical tokens than any useful one has; it bounds what parsing can cost. */
const maxTokens = 50_000;

export interface DocumentChecksOptions {
  readonly keeper: Pick<SchemaKeeper, 'current'>;
  readonly introspection: boolean;
}

/** Parses and validates with bounds, and gives every refusal its code. */
export function useDocumentChecks({ keeper, introspection }: DocumentChecksOptions): Plugin {
  return {
    onParse({ setParseFn }) {
      setParseFn((source, options) => {
        try {
          return parse(source, { ...options, maxTokens });
        } catch (error) {
          // Nesting deep enough to exhaust the stack is a bad document, not a fault of ours.
          const message =
            error instanceof RangeError ? 'Syntax Error: the document is nested too deeply.' : (error as Error).message;
          throw requestError(error, 'GRAPHQL_PARSE_FAILED', message);
        }
      });
    },
    onValidate({ addValidationRule }) {
      if (!introspection) addValidationRule(NoSchemaIntrospectionCustomRule);
      return ({ valid, result, setResult }) => {
        if (valid) return;
        const errors = (result as readonly GraphQLError[]).map((error) =>
          requestError(error, 'GRAPHQL_VALIDATION_FAILED', error.message),
        );
        if (keeper.current.origin !== 'none') return setResult(errors);
        const reason = 'The ledger has not been reached yet, so its part of the schema is missing.';
        setResult([gatewayError('UPSTREAM_UNAVAILABLE', reason, { upstream: 'ledger' }), ...errors]);
      };
    },
  };
}

function requestError(
  error: unknown,
  code: 'GRAPHQL_PARSE_FAILED' | 'GRAPHQL_VALIDATION_FAILED',
  message: string,
): GraphQLError {
  const at =
    error instanceof GraphQLError
      ? { nodes: error.nodes ?? null, source: error.source ?? null, positions: error.positions ?? null }
      : {};
  return new GraphQLError(message, { ...at, extensions: { code, http: { spec: true, status: 400 } } });
}
