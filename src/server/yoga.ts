import { PassThrough } from 'node:stream';
import { type ExecutionResult, GraphQLError } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Config } from '../config/config.ts';
import { withUsage } from '../documents/cost/usage.ts';
import { toOutline } from '../documents/document-tree.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import { gatewayError, toExtensions } from '../errors/gateway-error.ts';
import { addErrorCodes } from '../errors/reported-errors.ts';
import { parseRequestJson, printJson } from '../json/exact-json.ts';
import type { ChunkedBody } from '../ledger/answers/data-extent.ts';
import { type AdmitOperation, asFinal, type OperationAdmission } from '../operation/admit-operation.ts';
import type { OperationRunner } from '../operation/operation-runner.ts';
import { noIds, parseRequest, type RequestFault } from '../operation/parse-request.ts';
import type { ServedGeneration } from '../operation/prepared-operation.ts';
import type { FairTurns } from '../upstream/fair-turns.ts';
import { pieceBytes, sizeOf } from './cut-into-pieces.ts';
import type { YogaContext } from './exchange.ts';
import type { PlainType } from './request-head.ts';
import {
  type AnswerHead,
  eventFraming,
  type HttpHints,
  printResult,
  printResultInTurns,
  servedHead,
  toAnswerHead,
  toBodyText,
  toWholeStream,
} from './write-answer.ts';

interface YogaTransportOptions {
  readonly maxBatchSize: Config['settings']['BATCH_MAX'];
  readonly keeper: { readonly current: ServedGeneration };
  readonly admit: AdmitOperation;
  readonly runner: Pick<OperationRunner, 'runWhole'>;
  readonly turns: Pick<FairTurns, 'run' | 'runNext'>;
  readonly maskError: (error: unknown) => GraphQLError;
}

export const graphqlPath = '/graphql';

/**
 * Yoga without a listener: `server` handles health, CORS, GraphiQL and body limits itself. Create it before requests are served,
 * because Node then loads all of `fetch`, which takes up to 55 ms.
 */
export function createYogaTransport({ maxBatchSize, keeper, admit, runner, turns, maskError }: YogaTransportOptions) {
  return createYoga<YogaContext>({
    graphqlEndpoint: graphqlPath,
    landingPage: false,
    graphiql: false,
    healthCheckEndpoint: '/health/yoga',
    cors: false,
    logging: false,
    multipart: false,
    maxRequestBodySize: false,
    // Yoga would cache a thousand documents of any size beside ours, with the generations they were validated against.
    parserAndValidationCache: false,
    batching: maxBatchSize > 0 ? { limit: maxBatchSize } : false,
    // Not passed on directly: Yoga's second argument is its own text.
    maskedErrors: { maskError: (error) => maskError(error) },
    plugins: [
      // Keeps the digits of large numbers in variables.
      useExactNumbers(),

      // Writes the response in one piece.
      useWholeAnswer(turns),

      // Admits the operation, runs it, and sets how long its response may be cached.
      useOperation(admit, runner, keeper),

      // Gives errors of the request itself a code. Such a request is counted too.
      useRequestErrors(),
    ],
  });
}

/**
 * Admits every operation that was not admitted before Yoga, and runs it on the generation of its admission. Yoga gets an
 * outline of the document, so that it neither parses nor validates. Subscriptions were opened before Yoga, except in batches.
 * A cacheable response gets cache headers, or 304 if the client has it.
 */
function useOperation(
  admit: AdmitOperation,
  runner: Pick<OperationRunner, 'runWhole'>,
  keeper: { readonly current: ServedGeneration },
): Plugin<YogaContext> {
  return {
    async onParams({ params, context, setParams, setResult }) {
      // Each entry of a batch has a context of its own.
      const own = context as YogaContext;
      const admission = own.admission ?? (await admitParams(own, params));
      own.admission = admission;
      // The document was found by its id. Yoga rejects requests without a text, and parameters that it does not know.
      if (!params.query) setParams({ ...params, ...noIds, query: '' });
      if (admission.kind === 'refused') setResult({ errors: admission.errors });
    },
    onEnveloped({ setSchema, context }) {
      setSchema(admitted(context)?.operation.schema ?? keeper.current.schema);
    },
    onParse({ setParsedDocument, context }) {
      const operation = admitted(context)?.operation;
      if (operation) setParsedDocument(toOutline(operation.type, operation.name));
    },
    onValidate({ setValidationFn, context }) {
      if (admitted(context)) setValidationFn(() => []);
    },
    onSubscribe() {
      throw gatewayError(
        'BAD_REQUEST',
        'A subscription cannot be an entry of a batch: send it in a request of its own.',
      );
    },
    onExecute({ args, setExecuteFn }) {
      const { server } = args.contextValue as YogaContext;
      const admission = admitted(args.contextValue as YogaContext);
      if (!admission) throw new Error('an operation is executed that was not admitted');
      setExecuteFn(async () => {
        const answer = await runner.runWhole(admission, server);
        return 'chunks' in answer ? new ForwardedAnswer(answer) : answer;
      });
    },
    // Executed operations carry their usage already; rejected and failed ones get it here.
    onExecutionResult({ result, setResult, context }) {
      const { server, admission } = context as Partial<YogaContext>;
      if (!server?.showUsage || !admission || !result || Symbol.asyncIterator in result || result.extensions) return;
      if (result instanceof ForwardedAnswer) return;
      setResult(withUsage(result, admission.usage));
    },
    onResponse({ response, serverContext, setResponse, fetchAPI }) {
      const { server } = serverContext as Partial<YogaContext>;
      const isKnown = server?.notes?.settle(response.status, response.headers.get('content-type'));
      if (isKnown) setResponse(new fetchAPI.Response(null, { status: 304 }));
    },
  };

  /** Throws for an invalid GraphQL request, which counts all the same. */
  async function admitParams({ server, takeCounted }: YogaContext, params: unknown): Promise<OperationAdmission> {
    let caller = takeCounted();
    if (!caller) {
      const entry = await admit.enter(server);
      // Throwing ends the request here. Otherwise Yoga would validate a request that is rejected anyway.
      if (entry.kind === 'refused') throw asFinal(entry.error);
      caller = entry.caller;
    }
    const request = parseRequest(params);
    if (request.kind === 'request') return admit.decide(server, caller, request);
    throw toRequestError(request);
  }

  function admitted(context: object | null | undefined) {
    const admission = (context as Partial<YogaContext> | null | undefined)?.admission;
    return admission?.kind === 'admitted' ? admission : undefined;
  }
}

/** An answer as bytes, in the place of a result: it is neither parsed nor printed. */
class ForwardedAnswer implements ExecutionResult {
  readonly data = null;
  readonly extensions?: never;
  readonly body: ChunkedBody;

  constructor(body: ChunkedBody) {
    this.body = body;
  }
}

/**
 * Writes a response in one piece like the lane. Numbers keep their digits: Yoga's own JSON would round large ones. Each entry
 * of a batch is printed in a turn of its own, because together they may be a hundred large responses. A client that accepts
 * event streams only gets a stream of one result: Yoga's own could be cached, and names an encoding that it does not have.
 */
function useWholeAnswer(turns: Pick<FairTurns, 'run' | 'runNext'>): Plugin<object, YogaContext> {
  return {
    onResultProcess({ request, result, setResult, setResultProcessor, serverContext }) {
      if (Symbol.asyncIterator in result) return;
      const type = choosePlainType(request);
      const { server, turnKey, body: writer } = serverContext;
      const takeTurn = <Result>(work: () => Result) => turns.runNext(turnKey, server, work);
      const print = async (each: ExecutionResult) =>
        each instanceof ForwardedAnswer
          ? each.body
          : takeTurn<string | Promise<ChunkedBody>>(() => printResultInTurns(each, takeTurn));
      if (!type && !Array.isArray(result) && acceptsEvents(request)) {
        setResultProcessor(async (whole, { Response }) => {
          const json = toBodyText(await print(whole as ExecutionResult));
          const { body, ...init } = toWholeStream(whole as ExecutionResult, json, eventFraming);
          return new Response(body, init);
        }, 'text/event-stream');
        return;
      }
      if (!type) {
        // Yoga calls this function to print a result for events or parts.
        const toPrinted = (each: ExecutionResult) =>
          each instanceof ForwardedAnswer
            ? { stringify: () => toBodyText(each.body) }
            : { ...each, stringify: printJson };
        setResult(Array.isArray(result) ? result.map(toPrinted) : toPrinted(result as ExecutionResult));
        return;
      }
      setResultProcessor(async (whole, { Response }) => {
        const { status, retryAfterSeconds, headers } = toHead(whole as RequestResult, type);
        const retryAfter = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) };
        const contentType = { 'content-type': `${type}; charset=utf-8` };
        const plain = Array.isArray(whole)
          ? await toBatch(whole, print, server.codes)
          : await print(whole as ExecutionResult);
        const size = typeof plain === 'string' ? Buffer.byteLength(plain) : plain.size;
        const encoding = writer.chooseEncoding(size);
        const compressed = encoding && (await writer.compression?.compress(toBytes(plain), encoding));
        const init = { status, headers: { ...contentType, ...headers, ...retryAfter } };
        if (compressed)
          return new Response(new Uint8Array(compressed), {
            ...init,
            headers: { ...init.headers, 'content-encoding': encoding },
          });
        if (typeof plain === 'string' || size <= pieceBytes) return new Response(toBytes(plain), init);
        // Yoga passes it on no faster than the client reads.
        const pieces = new PassThrough();
        writer.writeLong(plain, pieces);
        return new Response(pieces as unknown as BodyInit, {
          ...init,
          headers: { ...init.headers, 'content-length': String(size) },
        });
      }, type);
    },
  };
}

function toBytes(body: string | ChunkedBody): Buffer<ArrayBuffer> {
  return typeof body === 'string' ? Buffer.from(body) : Buffer.concat(body.chunks as Buffer[], body.size);
}

type RequestResult = ExecutionResult | readonly ExecutionResult[];

/** Maximum bytes of all entries of a batch together: as many as one response of the ledger may have. */
const maxBatchBytes = 64 * 1024 * 1024;

/** The entry that exceeds the maximum becomes an error, and so does each after it. */
async function toBatch(
  results: readonly ExecutionResult[],
  print: (result: ExecutionResult) => Promise<string | ChunkedBody>,
  codes: string[],
): Promise<ChunkedBody> {
  const chunks: Buffer[] = [Buffer.from('[')];
  let left = maxBatchBytes;
  for (const result of results) {
    let printed = left < 0 ? null : toChunks(await print(result));
    left -= printed ? sizeOf(printed) : 0;
    if (!printed || left < 0) {
      const errors = [batchTooLong()];
      addErrorCodes(codes, errors);
      printed = toChunks(printResult({ data: null, errors }));
    }
    if (chunks.length > 1) chunks.push(Buffer.from(','));
    chunks.push(...printed);
  }
  chunks.push(Buffer.from(']'));
  return { chunks, size: sizeOf(chunks) };
}

function toChunks(body: string | ChunkedBody): readonly Buffer[] {
  return typeof body === 'string' ? [Buffer.from(body)] : body.chunks;
}

function batchTooLong(): GraphQLError {
  const message = `The responses of the batch would be longer than ${maxBatchBytes} bytes together: send the operation in a request of its own. What a mutation did is done.`;
  return gatewayError('PAYLOAD_TOO_LARGE', message);
}

/** Each entry of a batch contains its own errors. */
function toHead(whole: RequestResult, type: PlainType): AnswerHead {
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

/**
 * Gives Yoga's own request errors a code of our catalogue. An unreadable query string is the client's mistake, not a fault of
 * the gateway. Records the codes of all errors for the log.
 */
function useRequestErrors(): Plugin<object, YogaContext> {
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
      const cleaned = Array.isArray(result)
        ? result.map(removeInternalExtensions)
        : removeInternalExtensions(result as ExecutionResult);
      for (const { errors } of [cleaned].flat()) if (errors) addErrorCodes(serverContext.server.codes, errors);
      setResult(cleaned);
    },
  };
}

function toRequestError({ code, message }: RequestFault): GraphQLError {
  return requestError(message, code, { headers: { Allow: 'GET, POST' } });
}

function removeInternalExtensions<Result extends ExecutionResult>(result: Result): Result {
  if (!result.errors || result.data !== undefined) return result;
  return { ...result, errors: result.errors.map(toCatalogued) };
}

function toCatalogued(error: GraphQLError): GraphQLError {
  const { code } = error.extensions;
  if (code === 'OPERATION_RESOLUTION_FAILURE')
    return requestError(error.message, 'GRAPHQL_VALIDATION_FAILED', { spec: true, status: 400 });
  // The status of an invalid request does not depend on the accepted media type.
  if (code === 'BAD_REQUEST')
    return requestError(error.message, code, { ...(error.extensions.http as HttpHints), spec: false });
  return error;
}

function requestError(message: string, code: ErrorCode, { status = 400, ...hints }: HttpHints): GraphQLError {
  return new GraphQLError(message, { extensions: toExtensions(code, { http: { ...hints, status } }) });
}

/**
 * Keeps the digits of numbers in the variables of a batch: JSON.parse would round large ones. Variables of other requests were
 * parsed before Yoga.
 */
function useExactNumbers(): Plugin {
  return {
    onRequestParse({ request, requestParser, setRequestParser }) {
      if (requestParser && request.method === 'POST') setRequestParser((each) => requestParser(readingExactly(each)));
    },
  };
}

function readingExactly(request: Request): Request {
  return new Proxy(request, {
    get(target, name) {
      if (name === 'json') return async () => parseRequestJson(await target.text());
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
