import { type ExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { printJson } from '../../json/exact-number.ts';
import { parseRequestJson, parseVariables } from '../../json/parse-json.ts';

/** Numbers in variables reach the plans as they were written, and those of an answer the client. */
export function useExactNumbers(): Plugin {
  return {
    onRequestParse({ request, requestParser, setRequestParser }) {
      if (!requestParser) return;
      if (request.method === 'GET') {
        setRequestParser(async (each) => {
          const params = await requestParser(each);
          const sent = new URLSearchParams(each.url.slice(each.url.indexOf('?') + 1)).get('variables');
          if (!sent || Array.isArray(params) || 'status' in params) return params;
          return { ...params, variables: parseVariables(sent) as NonNullable<typeof params.variables> };
        });
        return;
      }
      setRequestParser((each) => requestParser(readingExactly(each)));
    },
    onResultProcess({ result, setResult }) {
      if (Symbol.asyncIterator in result) return;
      if (Array.isArray(result)) setResult(result.map(printedExactly));
      else setResult(printedExactly(result as ExecutionResult));
    },
  };
}

/** The same request, to a parser that reads it as JSON. */
function readingExactly(request: Request): Request {
  return new Proxy(request, {
    get(target, name) {
      if (name === 'json') return async () => parseRequestJson(await target.text());
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/**
 * The server library prints a result by this function of its own. Errors of what was executed are given to it as plain
 * objects: it would make each anew, stack and all, and an answer may have one for each of thousands of items.
 */
function printedExactly<Result extends ExecutionResult>(result: Result): Result {
  const { data, errors } = result;
  if (!errors || data === undefined) return { ...result, stringify: printJson };
  return { ...result, errors: errors.map(toPlain), stringify: printJson };
}

/** Left as it is where the library has something to take out. */
function toPlain(error: GraphQLError): GraphQLErrorLike {
  if (!(error instanceof GraphQLError) || 'http' in error.extensions || 'unexpected' in error.extensions) return error;
  return error.toJSON();
}

type GraphQLErrorLike = GraphQLError | GraphQLFormattedError;
