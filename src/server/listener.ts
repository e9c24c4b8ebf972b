import { createServer, IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressGate } from '../admission/address-gate.ts';
import type { SocketPlaces } from '../admission/socket-places.ts';
import { isHostMissing, pathOf, toRequestTarget } from '../http/request-target.ts';
import type { SocketServer } from '../shells/websocket/socket-server.ts';
import type { Telemetry } from '../telemetry/events.ts';
import { createConnections } from './connections.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';
import { listen } from './listen.ts';
import { createRefuseMalformed } from './malformed-request.ts';
import {
  createRefusedVersion,
  createRoute,
  type RefusedVersionOptions,
  type RouteOptions,
  refuseMethod,
} from './route.ts';
import { createWebSocketDoor } from './websocket-door.ts';

export interface ListenerOptions
  extends ExchangeOptions,
    RefusedVersionOptions,
    Omit<RouteOptions, 'refusedVersion' | 'isDraining'> {
  readonly host: string;
  readonly port: number;
  /**
   * How long a connection may make no progress while a request is under way, in milliseconds: longer than any answer may
   * take. It ends with those who do not read what they asked for, who would hold their answers for ever.
   */
  readonly stallMs: number;
  readonly corsOrigins: '*' | readonly string[];
  readonly sockets: SocketServer;
  readonly addresses: AddressGate;
  readonly places: SocketPlaces;
  readonly telemetry: Pick<Telemetry, 'requestAnswered' | 'upgradeAnswered' | 'errorMasked'>;
}

export interface Listener {
  readonly url: string;
  /** Stops accepting, lets what runs finish for at most so long, then cuts what is left. */
  drain(graceMs: number): Promise<void>;
}

/** Opens the HTTP listener. Rejects when the address cannot be bound. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { stamps, sockets, telemetry } = options;
  const connections = createConnections((exchange) => {
    exchange.close();
    telemetry.requestAnswered(exchange.toRecord());
  });
  const refusedVersion = createRefusedVersion(options);
  const door = createWebSocketDoor({ ...options, connections, refusedVersion });
  // A missing Host is refused in `begin`, so that its refusal bears what every answer bears.
  const server = createServer({ requireHostHeader: false, IncomingMessage: createRequestClass(door.takes) });
  const route = createRoute({ ...options, refusedVersion, isDraining: () => connections.draining });

  /** One that is served as if it had not offered another protocol; what came behind it is lost. */
  const routeOffer = (exchange: Exchange) => {
    exchange.endConnection();
    if (exchange.req.method === 'CONNECT') refuseMethod(exchange);
    else if (!door.refuse(exchange)) route(exchange);
  };
  const begin = (req: IncomingMessage, res: ServerResponse, serve: (exchange: Exchange) => void) => {
    const hasHost = !isHostMissing(req);
    normaliseTarget(req);
    const exchange = new Exchange(req, res, pathOf(req), options);
    if (!connections.enter(exchange)) return;
    res.on('close', () => connections.leave(exchange));
    try {
      if (hasHost) serve(exchange);
      else exchange.refuseUnread('BAD_REQUEST', 'A request needs a Host header.', 400);
    } catch (error) {
      exchange.fail(error);
    }
  };

  server.on('request', (req, res) => begin(req, res, isUpgradeOffered(req) ? routeOffer : route));
  server.on('checkExpectation', (req, res) => begin(req, res, refuseExpectation));
  server.on('connection', connections.opened);
  server.on('upgrade', door.open);
  server.on('clientError', createRefuseMalformed({ connections, stamps }));
  server.setTimeout(options.stallMs);
  // Node leaves out, without a word, what comes behind a thousand headers: a proxy's word on who asks, behind a client's
  // thousand of its own. All of them together are bounded in bytes.
  server.maxHeadersCount = 0;
  return {
    url: await listen(server, options.host, options.port),
    // Upgraded connections are none of the HTTP server's, yet it waits for them.
    drain: async (graceMs) => {
      await Promise.all([connections.drain(server, graceMs), sockets.drain(graceMs)]);
    },
  };
}

function refuseExpectation(exchange: Exchange): void {
  exchange.refuseUnread('BAD_REQUEST', 'The only expectation that can be met is 100-continue.', 417);
}

/** What a request without an address of its own is said to be for; nothing is decided by it. */
const someHost = 'localhost';

/**
 * Leaves of a request only what the library that reads it can read: it makes a URL of the Host header, and fails with a
 * stack on one that is none.
 */
function normaliseTarget(req: IncomingMessage): void {
  req.url = toRequestTarget(req.url);
  req.headers.host = someHost;
}

/** Requests that offer another protocol, and whether the offer is taken; `undefined` until that is asked. */
const offers = new WeakMap<object, boolean | undefined>();

/** Does a request offer to go on by another protocol on its connection? */
function isUpgradeOffered(req: IncomingMessage): boolean {
  return offers.has(req);
}

/**
 * The class of a server's requests that lets it decide about each offer of another protocol on its own. Node takes the
 * connection away from its parser for every offer as soon as the server listens for one, and an answer that is still
 * awaited there is forgotten; a connection given back to the server gets a second parser beside the first. Clients offer
 * HTTP/2 with any request (Java's does by default) and expect an ordinary answer. So what Node asks the request itself,
 * whether it is an upgrade, is answered by no for an offer that is not taken, and the request stays an ordinary one with
 * its body and its place among the others of its connection. What came behind it in one piece Node throws away: the
 * answer has to be the last of its connection.
 * @param takes asked once about each offer, when all headers are in
 */
function createRequestClass(takes: (req: IncomingMessage) => boolean): typeof IncomingMessage {
  return class extends IncomingMessage {
    get upgrade(): boolean {
      // Nearly every request.
      if (!offers.has(this)) return false;
      let isTaken = offers.get(this);
      if (isTaken === undefined) {
        isTaken = takes(this);
        offers.set(this, isTaken);
      }
      return isTaken;
    }

    /** Told what the parser saw, and later what was asked of the getter. */
    set upgrade(isOffered: boolean | null) {
      if (isOffered && !offers.has(this)) offers.set(this, undefined);
    }
  };
}
