import type { ExecutionResult } from 'graphql';
import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { gatewayError } from '../../errors/gateway-error.ts';
import { noteCodes } from '../../errors/note-codes.ts';
import { asRefusal } from '../../operation/admit-operation.ts';
import type { RequestFault } from '../../operation/parse-request.ts';
import type { ServerContext } from '../../operation/server-context.ts';
import type { HttpHints } from '../write-answer.ts';

/**
 * Gives Yoga's own request errors a code of our catalogue. An unreadable query string is the client's mistake, not a fault of
 * the gateway. Notes the codes of all errors for the log.
 */
export function useRequestErrors(): Plugin<object, ServerContext> {
  return {
    onRequestParse({ request, requestParser, setRequestParser }) {
      if (request.method !== 'GET' || !requestParser) return;
      setRequestParser(async (each) => {
        try {
          return await requestParser(each);
        } catch {
          const message = 'The parameters "variables" and "extensions" of the query string must be JSON.';
          throw requestError(message, 'BAD_REQUEST', {});
        }
      });
    },
    onResultProcess({ result, setResult, serverContext }) {
      if (Symbol.asyncIterator in result) return;
      const tidied = Array.isArray(result) ? result.map(tidy) : tidy(result as ExecutionResult);
      for (const { errors } of [tidied].flat()) if (errors) noteCodes(serverContext.codes, errors);
      setResult(tidied);
    },
  };
}

/** The error for a value that is no GraphQL request. */
export function toRequestError({ code, message }: RequestFault): GraphQLError {
  // Clients with persisted queries look for this code or its message, and then send the text too.
  if (code === 'PERSISTED_QUERY_NOT_SUPPORTED') return asRefusal(gatewayError(code, message));
  return requestError(message, code, { headers: { Allow: 'GET, POST' } });
}

function tidy<Result extends ExecutionResult>(result: Result): Result {
  if (!result.errors || result.data !== undefined) return result;
  return { ...result, errors: result.errors.map(toCatalogued) };
}

function toCatalogued(error: GraphQLError): GraphQLError {
  const { code } = error.extensions;
  if (code === 'OPERATION_RESOLUTION_FAILURE')
    return requestError(error.message, 'GRAPHQL_VALIDATION_FAILED', { spec: true, status: 400 });
  // The status of an invalid request does not depend on the media type that the client accepts.
  if (code === 'BAD_REQUEST')
    return requestError(error.message, code, { ...(error.extensions.http as HttpHints), spec: false });
  return error;
}

function requestError(message: string, code: ErrorCode, { status = 400, ...hints }: HttpHints): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { ...hints, status } } });
}
