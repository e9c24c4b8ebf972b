import type { IncomingMessage, ServerResponse } from 'node:http';
import { acceptsPage, isEncoded, isJsonType, readAccept } from '../http/media-types.ts';
import { isTooIntricate, maxJsonCommas, maxJsonMembers, maxJsonNesting, simpleJsonBytes } from '../json/json-shape.ts';
import type { AdmitOperation } from '../operation/admit-operation.ts';
import type { ServerContext } from '../operation/server-context.ts';
import type { Caller } from '../subschemas/operation-context.ts';
import type { Exchange } from './exchange.ts';
import type { GraphiqlPage } from './graphiql-page.ts';
import type { Lane } from './lane.ts';
import { type BodyReading, readBody, restoreBody } from './read-body.ts';
import { sendPreflight } from './stamp-response.ts';

export interface ServeGraphqlOptions {
  readonly graphqlPath: string;
  readonly maxBodyBytes: number;
  /** Asked before anything of a request is read but its head. */
  readonly enter: AdmitOperation['enter'];
  /** Asked first, about every POST. */
  readonly lane: Lane;
  /** Serves one GraphQL request over HTTP. */
  readonly graphql: (req: IncomingMessage, res: ServerResponse, context: ServerContext) => unknown;
  /** `null` when GraphiQL is off. */
  readonly graphiql: GraphiqlPage | null;
}

/** Serves what comes to the GraphQL path: by the lane, by Yoga, or by refusing it before either. */
export function createServeGraphql(options: ServeGraphqlOptions): (exchange: Exchange) => void {
  const { graphqlPath, enter, graphiql } = options;

  const afterEntry: AfterEntry = (exchange, serve, as = exchange) => {
    enter(as)
      .then((entry) => {
        if (exchange.isGone()) return;
        if (entry.kind === 'refused') exchange.refuseWith(entry.error);
        else serve(entry.caller);
      })
      .catch((error: unknown) => exchange.fail(error));
  };

  const serveByYoga = (exchange: Exchange, context: ServerContext): void => {
    exchange.stamp();
    exchange.failWith(options.graphql(exchange.req, exchange.res, context));
  };

  const servePost = createServePost(options, afterEntry, serveByYoga);

  return (exchange) => {
    const { req, res, path } = exchange;
    // The version in the path has been seen to; what follows knows one path.
    if (path !== graphqlPath) req.url = graphqlPath + (req.url ?? '').slice(path.length);
    if (req.method === 'POST') return servePost(exchange);
    exchange.stamp();
    if (req.method === 'OPTIONS') return sendPreflight(req, res);
    if (req.method === 'GET') {
      // GraphiQL reads `?query=` itself, so that a reload, a bookmark and a link that was passed on open where they should.
      if (graphiql && acceptsPage(req.headers.accept)) {
        // Two megabytes for an empty request: it counts against the address, whatever else is known of who asks.
        return afterEntry(exchange, () => exchange.failWith(graphiql.send(req, res)), toStranger(exchange));
      }
      if (negotiate(exchange)) afterEntry(exchange, (caller) => serveByYoga(exchange, exchange.toContext(caller)));
      return;
    }
    refuseMethod(exchange);
  };
}

export function refuseMethod(exchange: Exchange): void {
  const { req, res } = exchange;
  res.setHeader('allow', 'GET, POST, OPTIONS');
  exchange.refuse('BAD_REQUEST', `Method ${req.method} is not served here; use POST or GET.`, 405);
}

type Entering = Parameters<AdmitOperation['enter']>[0];
/** Goes on with a caller who may ask and still waits; refuses any other. */
type AfterEntry = (exchange: Exchange, serve: (caller: Caller) => void, as?: Entering) => void;

/** Serves a POST: its body is read within its bound, the lane is asked first, and Yoga does what the lane leaves. */
function createServePost(
  options: ServeGraphqlOptions,
  afterEntry: AfterEntry,
  serveByYoga: (exchange: Exchange, context: ServerContext) => void,
): (exchange: Exchange) => void {
  const serveBody = (exchange: Exchange, caller: Caller, reading: Exclude<BodyReading, { kind: 'aborted' }>) => {
    if (reading.kind === 'too-large') {
      return exchange.refuse('PAYLOAD_TOO_LARGE', `The request body is over ${options.maxBodyBytes} bytes.`);
    }
    const { body } = reading;
    // Of a small body the lane sees for itself whether it is plain enough.
    const isSimple = body.length <= simpleJsonBytes;
    if (!isSimple && isTooIntricate(body, maxJsonNesting, maxJsonCommas)) return refuseIntricate(exchange);
    options.lane(exchange, caller, body, {
      leave: (context, isBegun) => {
        // What has begun was found plain enough, and may have been paid for.
        if (!isBegun && isSimple && isTooIntricate(body, maxJsonNesting, maxJsonCommas))
          return refuseIntricate(exchange);
        restoreBody(exchange.req, body);
        serveByYoga(exchange, context);
      },
      fail: (error) => exchange.fail(error),
    });
  };

  return (exchange) => {
    const { req } = exchange;
    if (!negotiate(exchange)) return;
    if (!isJsonType(req.headers['content-type'])) {
      return exchange.refuseUnread('BAD_REQUEST', 'The content type must be application/json, in UTF-8.', 415);
    }
    if (isEncoded(req.headers['content-encoding'])) {
      return exchange.refuseUnread('BAD_REQUEST', 'Compressed request bodies are not accepted.', 415);
    }
    // Whoever reads it next compares texts: it must find the one that says what was found here.
    req.headers['content-type'] = 'application/json';
    exchange.isReading = true;
    readBody(req, options.maxBodyBytes, (reading) => {
      exchange.isReading = false;
      if (reading.kind === 'aborted') return;
      // The next request would begin in the middle of this one.
      if (reading.kind === 'too-large') exchange.endConnection();
      // Counted whatever it says, and before anybody looks at it.
      afterEntry(exchange, (caller) => serveBody(exchange, caller, reading));
    });
  };
}

/** Who asks, but for what they say of themselves. */
function toStranger(exchange: Exchange): Entering {
  const sender = { ...exchange.sender, authorization: null, apiKey: null };
  return { sender, onStanding: (standing) => exchange.onStanding(standing) };
}

/** Leaves of the Accept header what can be served; refuses the request when that is nothing. */
function negotiate(exchange: Exchange): boolean {
  const { req } = exchange;
  const acceptable = readAccept(req.headers.accept);
  if (acceptable === null) {
    const types = 'application/graphql-response+json, application/json or text/event-stream';
    exchange.refuseUnread('BAD_REQUEST', `Accept must allow ${types}.`, 406);
    return false;
  }
  req.headers.accept = acceptable.header;
  exchange.plainType = acceptable.plain;
  return true;
}

function refuseIntricate(exchange: Exchange): void {
  const bounds = `nested over ${maxJsonNesting} levels, or has over ${maxJsonCommas} values or ${maxJsonMembers} members`;
  exchange.refuse('BAD_REQUEST', `The request body is ${bounds}.`);
}
