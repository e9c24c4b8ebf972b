import type { Plugin } from 'graphql-yoga';
import { parseRequestJson } from '../../json/parse-json.ts';

/**
 * Keeps the digits of numbers in the variables of a batch: JSON.parse would round large ones. Variables of other requests
 * were parsed before Yoga.
 */
export function useExactNumbers(): Plugin {
  return {
    onRequestParse({ request, requestParser, setRequestParser }) {
      if (requestParser && request.method === 'POST') setRequestParser((each) => requestParser(readingExactly(each)));
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
