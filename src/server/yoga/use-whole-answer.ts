import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { printJson } from '../../json/exact-number.ts';
import type { PlainType } from '../headers/media-types.ts';
import { type AnswerHead, printResult, servedHead, toAnswerHead } from '../whole-answer.ts';

/** Writes an answer in one piece as the lane does. Numbers keep their digits: Yoga's own JSON would round large ones. */
export function useWholeAnswer(): Plugin {
  return {
    onResultProcess({ request, result, setResult, setResultProcessor }) {
      if (Symbol.asyncIterator in result) return;
      const type = choosePlainType(request);
      if (!type) {
        // Yoga puts it into events or parts, and prints it by this function.
        const toPrinted = (each: ExecutionResult) => ({ ...each, stringify: printJson });
        setResult(Array.isArray(result) ? result.map(toPrinted) : toPrinted(result as ExecutionResult));
        return;
      }
      setResultProcessor((whole, { Response }) => {
        const { status, retryAfterSeconds, headers } = toHead(whole as Whole, type);
        const retryAfter = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) };
        const contentType = { 'content-type': `${type}; charset=utf-8` };
        return new Response(print(whole as Whole), { status, headers: { ...contentType, ...headers, ...retryAfter } });
      }, type);
    },
  };
}

/** A list answers a batch. */
type Whole = ExecutionResult | readonly ExecutionResult[];

function print(whole: Whole): string {
  return Array.isArray(whole) ? `[${whole.map(printResult).join(',')}]` : printResult(whole as ExecutionResult);
}

/** Each entry of a batch tells its errors by itself. */
function toHead(whole: Whole, type: PlainType): AnswerHead {
  return Array.isArray(whole) ? servedHead : toAnswerHead(whole as ExecutionResult, type);
}

/** The Accept header lists only what can be served, best first. */
function choosePlainType({ headers }: Request): PlainType | undefined {
  return headers
    .get('accept')
    ?.split(', ')
    .find((type): type is PlainType => type === 'application/json' || type === 'application/graphql-response+json');
}
