import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphQLError } from 'graphql';
import type { AddressAdmission, AddressGate, CallerAdmission, CallerGate } from '../callers/caller-gate.ts';
import type { VersionRefusal } from '../callers/check-rpc-version.ts';
import { type Sender, toAddressKey } from '../callers/identify-caller.ts';
import { withUsage } from '../documents/cost/usage.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { isTooComplex, maxJsonCommas, maxJsonMembers, maxJsonNesting, simpleJsonBytes } from '../json/json-size.ts';
import type {
  AdmitOperation,
  AdmittedOperation,
  OperationAdmission,
  ServerContext,
} from '../operation/admit-operation.ts';
import type { UnreadOutcome } from '../operation/open-operation.ts';
import type { OperationRunner } from '../operation/operation-runner.ts';
import { type OperationRequest, readBodyRequest, readQueryString } from '../operation/parse-request.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { FairTurns } from '../upstream/fair-turns.ts';
import type { Caller } from '../upstream/operation-context.ts';
import type { OpenEventStream } from './event-stream.ts';
import type { Exchange, YogaContext } from './exchange.ts';
import type { GraphiqlPage } from './pages/graphiql-page.ts';
import { type BodyReading, type BytesInFlight, readBody, restoreBody, tooMuchInFlight } from './read-body.ts';
import { acceptsPage, isEncoded, isJsonType } from './request-head.ts';
import type { SiteChecks } from './site-checks.ts';
import { writeOutcome } from './write-answer.ts';

export interface ServeGraphqlOptions {
  readonly graphqlPath: string;
  readonly maxBodyBytes: number;
  readonly bytesInFlight: Pick<BytesInFlight, 'enter'>;
  readonly admit: Pick<AdmitOperation, 'decide'>;
  readonly lane: Lane;
  readonly openEventStream: OpenEventStream;
  readonly graphql: (req: IncomingMessage, res: ServerResponse, context: YogaContext) => unknown;
  readonly graphiql: GraphiqlPage | null;
  readonly site: Pick<SiteChecks, 'checkOrigin'>;
  /** `null` when no requests are traced. */
  readonly tracing: Pick<Tracing, 'begin'> | null;
}

/**
 * Serves the GraphQL path: subscriptions as event streams, other JSON POSTs of clients that accept JSON and queries by GET by
 * the lane, and the rest by Yoga: batches, and invalid requests.
 */
export function createServeGraphql(options: ServeGraphqlOptions, entrance: RequestGate): (exchange: Exchange) => void {
  const { graphqlPath, maxBodyBytes, graphiql, site, tracing, admit, lane, openEventStream } = options;
  const bodyBounds = { maxBytes: maxBodyBytes, arrivals: options.bytesInFlight };

  return (exchange) => {
    const { req, res, path } = exchange;
    if (tracing) exchange.trace = tracing.begin(req.headers.traceparent);
    // The version was checked; lane and Yoga know only the path without a version.
    if (path !== graphqlPath) req.url = graphqlPath + (req.url ?? '').slice(path.length);
    if (req.method === 'POST') return servePost(exchange);
    exchange.stamp();
    if (req.method === 'GET') return serveGet(exchange);
    if (req.method === 'OPTIONS') return entrance.enterCheap(exchange, () => sendPreflight(req, res));
    refuseMethod(entrance, exchange);
  };

  function servePost(exchange: Exchange) {
    const { req } = exchange;
    const refusal = checkPostHead(exchange) ?? site.checkOrigin(req);
    if (refusal) return entrance.refuseUnread(exchange, refusal);
    // Yoga compares the header as text, so give it the plainest form of what was accepted here.
    req.headers['content-type'] = 'application/json';
    exchange.isReading = true;
    readBody(req, exchange.address, bodyBounds, (reading) => {
      exchange.isReading = false;
      // The request was rejected meanwhile, or the client has left.
      if (reading.kind === 'aborted' || exchange.res.headersSent) return;
      const fault = reading.kind === 'whole' ? null : reading.kind;
      if (reading.kind === 'whole') {
        exchange.body = reading.body;
        exchange.requestBytes = reading.body.length;
        // Otherwise the rest of the body would be parsed as the next request.
      } else exchange.endConnection();
      // Count the request before parsing its body, so that invalid requests count too. The function must not hold `reading`:
      // it may wait for a turn, and the body of a rejected request is dropped before.
      entrance.enter(exchange, (caller) => {
        if (fault) exchange.refuseWith(toBodyRefusal(fault, maxBodyBytes));
        else serveBody(exchange, caller);
      });
    });
  }

  function serveBody(exchange: Exchange, caller: Caller) {
    const { req, body } = exchange;
    exchange.body = null;
    if (body === null) return;
    // For small bodies, checking the nesting after parsing is cheaper.
    const isSimple = body.length <= simpleJsonBytes;
    const isIntricate = () => isTooComplex(body, maxJsonNesting, maxJsonCommas);
    if (!isSimple && isIntricate()) return refuseComplexJson(exchange);
    const request = readBodyRequest(body);
    if (request && exchange.plainType && req.url === graphqlPath) return serveInLane(exchange, caller, request);
    if (isSimple && isIntricate()) return refuseComplexJson(exchange);
    serveOutsideLane(exchange, caller, request, body);
  }

  function serveGet(exchange: Exchange) {
    const { req, res } = exchange;
    // GraphiQL reads `?query=` itself, so that reloads, bookmarks and shared links open the query.
    if (graphiql && acceptsPage(req.headers.accept)) {
      // Count the address even if the caller has a credential: the page loads megabytes of files.
      return entrance.enterAddress(exchange, () => exchange.failWith(graphiql.send(req, res)));
    }
    if (!exchange.negotiate()) return entrance.refuse(exchange, notAcceptable);
    entrance.enter(exchange, (caller) => serveOutsideLane(exchange, caller, readQueryString(req.url ?? '')));
  }

  function serveInLane(exchange: Exchange, caller: Caller, request: OperationRequest): void {
    exchange.isInLane = true;
    exchange.failWith(lane.serve(request, caller, exchange, canStream(exchange), writeTo(exchange)));
  }

  /** The upstream's connection calls this, and would treat an exception from here as its own. */
  function writeTo(exchange: Exchange) {
    return (outcome: LaneOutcome) => {
      try {
        if (outcome.kind !== 'subscription') return writeOutcome(exchange, outcome);
        exchange.isInLane = false;
        exchange.failWith(openEventStream(exchange, outcome.admitted));
      } catch (error) {
        exchange.fail(error);
      }
    };
  }

  /** @param request `null`: a batch, or an invalid request, which Yoga reports */
  function serveOutsideLane(
    exchange: Exchange,
    caller: Caller,
    request: OperationRequest | null,
    body: Buffer | null = null,
  ) {
    if (!request) return serveByYoga(exchange, caller, body);
    const served = Promise.resolve(admit.decide(exchange, caller, request)).then((admission) => {
      const type = admission.kind === 'admitted' ? admission.operation.type : 'query';
      if (admission.kind === 'admitted' && type === 'subscription') return openEventStream(exchange, admission);
      if (type !== 'query' || exchange.req.method !== 'GET' || !exchange.plainType)
        return serveByYoga(exchange, caller, body, admission);
      exchange.isInLane = true;
      exchange.prepareCaching();
      return lane.run(admission, exchange, canStream(exchange), writeTo(exchange));
    });
    exchange.failWith(served);
  }

  function serveByYoga(exchange: Exchange, caller: Caller, body: Buffer | null, admission?: OperationAdmission): void {
    if (body) restoreBody(exchange.req, body);
    exchange.stamp();
    exchange.boundReading();
    exchange.failWith(options.graphql(exchange.req, exchange.res, exchange.toYogaContext(caller, admission)));
  }
}

/**
 * HTTP/1.0 has no chunked encoding: the end of a response of unknown length would look like a broken connection. Compression
 * needs the whole response.
 */
function canStream({ req, compression }: Exchange): boolean {
  return req.httpVersion !== '1.0' && !compression?.choose(req);
}

/** Why a POST is rejected for its headers. */
function checkPostHead(exchange: Exchange): Refusal | null {
  const { headers } = exchange.req;
  if (!exchange.negotiate()) return notAcceptable;
  if (!isJsonType(headers['content-type'])) return notJson;
  return isEncoded(headers['content-encoding']) ? compressed : null;
}

const answerTypes = 'application/graphql-response+json, application/json or text/event-stream';
const notAcceptable = refusal(406, `Accept must allow ${answerTypes}.`);
const notJson = refusal(415, 'The content type must be application/json, in UTF-8.');
const compressed = refusal(415, 'Compressed request bodies are not accepted.');

function refusal(status: number, message: string): Refusal {
  return { code: 'BAD_REQUEST', status, message };
}

function toBodyRefusal(why: Exclude<BodyReading['kind'], 'whole' | 'aborted'>, maxBodyBytes: number): GraphQLError {
  switch (why) {
    case 'too-large':
      return gatewayError('PAYLOAD_TOO_LARGE', `The request body is over ${maxBodyBytes} bytes.`);
    case 'scattered':
      return gatewayError('BAD_REQUEST', 'The request body arrived in too many small chunks.');
    case 'crowded-out':
      return gatewayError('UNAVAILABLE', 'Too many request bodies are in flight, and this one is among the slowest.');
  }
}

function refuseComplexJson(exchange: Exchange): void {
  const bounds = `nested over ${maxJsonNesting} levels, or has over ${maxJsonCommas} values or ${maxJsonMembers} members`;
  exchange.refuse('BAD_REQUEST', `The request body is ${bounds}.`);
}

const allowedMethods = 'GET, POST, OPTIONS';

export function refuseMethod(entrance: RequestGate, exchange: Exchange): void {
  exchange.res.setHeader('allow', allowedMethods);
  const message = `Method ${exchange.req.method} is not served here; use POST or GET.`;
  entrance.refuse(exchange, { code: 'BAD_REQUEST', message, status: 405 });
}

/**
 * Responds to a CORS preflight. Allows any header: browsers add no credential by themselves, since the gateway uses no
 * cookies.
 */
function sendPreflight(req: IncomingMessage, res: ServerResponse): void {
  const requested = req.headers['access-control-request-headers'];
  res.writeHead(204, {
    allow: allowedMethods,
    ...(res.hasHeader('access-control-allow-origin') && {
      'access-control-allow-methods': allowedMethods,
      'access-control-allow-headers': requested ?? 'content-type',
      'access-control-max-age': '86400',
    }),
  });
  res.end();
}

export type LaneOutcome = UnreadOutcome | { readonly kind: 'subscription'; readonly admitted: AdmittedOperation };

interface LaneOptions {
  readonly admit: Pick<AdmitOperation, 'decide'>;
  readonly runner: Pick<OperationRunner, 'runUnparsed'>;
}

export type Lane = ReturnType<typeof createLane>;

/** Admits the operation of a counted caller and runs it without Yoga, whatever its outcome. */
export function createLane({ admit, runner }: LaneOptions) {
  /**
   * Returns a promise only if something waits.
   * @param canStream may the response have an unknown length?
   * @param done called once, perhaps by the connection to the ledger
   */
  const serve = (
    request: OperationRequest,
    caller: Caller,
    server: ServerContext,
    canStream: boolean,
    done: (outcome: LaneOutcome) => void,
  ): void | Promise<void> => {
    const decided = admit.decide(server, caller, request);
    if (!(decided instanceof Promise)) return run(decided, server, canStream, done);
    return decided.then((admission) => run(admission, server, canStream, done));
  };
  const run = (
    admission: OperationAdmission,
    server: ServerContext,
    canStream: boolean,
    done: (outcome: LaneOutcome) => void,
  ): void | Promise<void> => {
    if (admission.kind === 'refused') {
      const { errors, usage } = admission;
      return done({ kind: 'result', result: withUsage({ errors }, server.showUsage ? usage : null) });
    }
    if (admission.operation.type === 'subscription') return done({ kind: 'subscription', admitted: admission });
    return runner.runUnparsed(admission, server, canStream, done);
  };
  return { serve, run };
}

/** If the caller may retry later, that error; otherwise the fault of the request itself. */
export type Refusal = VersionRefusal | { readonly error: GraphQLError };

export type RequestGate = ReturnType<typeof createRequestGate>;

export interface RequestGateOptions {
  readonly admitCaller: CallerGate['admit'];
  readonly addresses: Pick<AddressGate, 'admit' | 'admitCheap'>;
  readonly turns: Pick<FairTurns, 'run'>;
  readonly bytesInFlight: Pick<BytesInFlight, 'take'>;
}

/** Counts every request before it is served or rejected. A caller over its rate limit is rejected for that. */
export function createRequestGate({ admitCaller, addresses, turns, bytesInFlight }: RequestGateOptions) {
  /** Every request passes here, so nothing makes a promise but the rate limiter, and a turn that the request waits for. */
  function enterAs(sender: Sender, exchange: Exchange, serve: (caller: Caller) => void): void {
    const fail = (error: unknown) => exchange.fail(error);
    const enterNow = (entry: CallerAdmission): void => {
      try {
        exchange.onStanding(entry.standing);
        if (!exchange.isGone()) exchange.failWith(serveInTurn(entry, exchange, serve));
      } catch (error) {
        fail(error);
      }
    };
    try {
      admitCaller(sender).then(enterNow, fail);
    } catch (error) {
      fail(error);
    }
  }

  function serveInTurn(entry: CallerAdmission, exchange: Exchange, serve: (caller: Caller) => void): unknown {
    const error = entry.kind === 'refused' ? entry.error : hold(exchange);
    // Bodies waiting for a turn use memory: drop those of rejected requests.
    if (error) exchange.body = null;
    // A rejected caller may be unidentified: schedule it by address.
    const key = entry.kind === 'refused' ? toAddressKey(exchange.address) : entry.caller.rate.key;
    exchange.turnKey = key;
    return turns.run(key, exchange, () => {
      if (exchange.isGone()) return;
      if (error) exchange.refuseWith(error);
      else if (entry.kind === 'admitted') serve(entry.caller);
    });
  }

  /**
   * Counts the memory of the request's body.
   * @returns the error if there is no room for it
   */
  function hold(exchange: Exchange): GraphQLError | null {
    const held = bytesInFlight.take(exchange.address, exchange.requestBytes);
    if (held) exchange.held = held;
    return held ? null : tooMuchInFlight();
  }

  /** Calls `serve` in a turn of the address, or rejects the request because the address is over its limit. */
  function enterCounted(exchange: Exchange, counted: Promise<AddressAdmission>, serve: () => void): void {
    const served = counted.then(({ error, standing }) =>
      turns.run(toAddressKey(exchange.address), exchange, () => {
        if (exchange.isGone()) return;
        exchange.onStanding(standing);
        if (error) exchange.refuseWith(error);
        else serve();
      }),
    );
    exchange.failWith(served);
  }

  /** Counts the address, and rejects the request for its headers. */
  function refuse(exchange: Exchange, refusal: Refusal): void {
    enterCounted(exchange, addresses.admit(exchange.sender), () => {
      if ('error' in refusal) exchange.refuseWith(refusal.error);
      else exchange.refuse(refusal.code, refusal.message, refusal.status);
    });
  }

  return {
    /** Counts the caller, and calls `serve` in the caller's turn unless the client has left. */
    enter: (exchange: Exchange, serve: (caller: Caller) => void) => enterAs(exchange.sender, exchange, serve),
    /** Like `enter`, but counts the address only, whatever credentials the request has. */
    enterAddress: (exchange: Exchange, serve: () => void) =>
      enterAs({ ...exchange.sender, authorization: null, apiKey: null }, exchange, serve),
    /** For health, pages and preflights: counts only what an address requests beyond the free ones. */
    enterCheap: (exchange: Exchange, serve: () => void) =>
      enterCounted(exchange, addresses.admitCheap(exchange.address), serve),
    refuse,
    /**
     * Rejects a request whose body was not read, and closes the connection: otherwise the body would be parsed as the next
     * request.
     */
    refuseUnread(exchange: Exchange, refusal: Refusal): void {
      exchange.endConnection();
      refuse(exchange, refusal);
    },
  };
}
