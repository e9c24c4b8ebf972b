import { IncomingMessage } from 'node:http';

/** Requests that offer another protocol, and whether the offer is taken; `undefined` until that is asked. */
const offers = new WeakMap<object, boolean | undefined>();

/** Does a request offer to go on by another protocol on its connection? */
export function isUpgradeOffered(req: IncomingMessage): boolean {
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
export function createRequestClass(takes: (req: IncomingMessage) => boolean): typeof IncomingMessage {
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
