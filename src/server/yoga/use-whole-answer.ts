import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { printJson } from '../../json/exact-number.ts';
import type { FairTurns } from '../../operation/fair-turns.ts';
import type { ServerContext } from '../../operation/server-context.ts';
import { eventFraming } from '../event-streams/framing.ts';
import type { PlainType } from '../headers/media-types.ts';
import { type AnswerHead, printResult, servedHead, toAnswerHead, toWholeStream } from '../write-answer.ts';

/**
 * Writes an answer in one piece as the lane does. Numbers keep their digits: Yoga's own JSON would round large ones. Each
 * entry of a batch is written in a turn of its own, since together they may be a hundred large answers. A client that reads
 * event streams only gets a stream of one result: Yoga's own could be cached, and names an encoding that it does not have.
 */
export function useWholeAnswer(turns: Pick<FairTurns, 'run'>): Plugin<object, ServerContext> {
  return {
    onResultProcess({ request, result, setResult, setResultProcessor, serverContext }) {
      if (Symbol.asyncIterator in result) return;
      const type = choosePlainType(request);
      if (!type && !Array.isArray(result) && acceptsEvents(request)) {
        setResultProcessor((whole, { Response }) => {
          const { body, ...init } = toWholeStream(whole as ExecutionResult, eventFraming);
          return new Response(body, init);
        }, 'text/event-stream');
        return;
      }
      if (!type) {
        // Yoga puts it into events or parts, and prints it by this function.
        const toPrinted = (each: ExecutionResult) => ({ ...each, stringify: printJson });
        setResult(Array.isArray(result) ? result.map(toPrinted) : toPrinted(result as ExecutionResult));
        return;
      }
      setResultProcessor(async (whole, { Response }) => {
        const { status, retryAfterSeconds, headers } = toHead(whole as Whole, type);
        const retryAfter = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) };
        const contentType = { 'content-type': `${type}; charset=utf-8` };
        const write = (each: ExecutionResult) =>
          turns.run(serverContext.turnKey ?? '', serverContext, () => printResult(each));
        const body = Array.isArray(whole) ? await toBatch(whole, write) : await write(whole as ExecutionResult);
        return new Response(body, { status, headers: { ...contentType, ...headers, ...retryAfter } });
      }, type);
    },
  };
}

/** A list answers a batch. */
type Whole = ExecutionResult | readonly ExecutionResult[];

/** As bytes: to join and encode so much text takes as long as to write it. */
async function toBatch(
  results: readonly ExecutionResult[],
  write: (result: ExecutionResult) => string | Promise<string>,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces = [Buffer.from('[')];
  for (const [index, result] of results.entries()) {
    if (index > 0) pieces.push(Buffer.from(','));
    pieces.push(Buffer.from(await write(result)));
  }
  return Buffer.concat([...pieces, Buffer.from(']')]);
}

/** Each entry of a batch tells its errors by itself. */
function toHead(whole: Whole, type: PlainType): AnswerHead {
  return Array.isArray(whole) ? servedHead : toAnswerHead(whole as ExecutionResult, type);
}

function acceptsEvents({ headers }: Request): boolean {
  return headers.get('accept')?.includes('text/event-stream') ?? false;
}

/** The Accept header lists only what can be served, best first. */
function choosePlainType({ headers }: Request): PlainType | undefined {
  return headers
    .get('accept')
    ?.split(', ')
    .find((type): type is PlainType => type === 'application/json' || type === 'application/graphql-response+json');
}
