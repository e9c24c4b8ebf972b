import { type ExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { printJson } from '../../json/exact-number.ts';
import { parseRequestJson, parseVariables } from '../../json/parse-json.ts';

/** Keeps the digits of numbers, in variables and in answers: JSON.parse would round large ones. */
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

/** The same request with a JSON parser that keeps digits. */
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
 * Yoga prints a result by this function if there is one. The errors are given as plain objects: of GraphQLErrors Yoga
 * would make new ones, with stacks, and an answer may have thousands.
 */
function printedExactly<Result extends ExecutionResult>(result: Result): Result {
  const { data, errors } = result;
  if (!errors || data === undefined) return { ...result, stringify: printJson };
  return { ...result, errors: errors.map(toPlain), stringify: printJson };
}

/** An error with an original error or HTTP hints is left as it is: Yoga takes those out. */
function toPlain(error: GraphQLError): GraphQLErrorLike {
  if (!(error instanceof GraphQLError) || 'http' in error.extensions || 'unexpected' in error.extensions) return error;
  return error.toJSON();
}

type GraphQLErrorLike = GraphQLError | GraphQLFormattedError;
