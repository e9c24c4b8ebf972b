import type { Plugin } from 'graphql-yoga';
import { parseRequestJson, parseVariables } from '../../json/parse-json.ts';

/** Keeps the digits of numbers in variables: JSON.parse would round large ones. */
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
