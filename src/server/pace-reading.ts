import type { Socket } from 'node:net';

/** Connections of one address that begin to be read in one turn. Node parses up to 64 KiB of each, which may be 300 requests. */
const connectionsPerTurn = 1;
/** Requests of one address in one turn, each of which takes some 40 µs, after which its other connections wait. */
const requestsPerTurn = 256;
/** With fewer requests, the end of the turn is not awaited: that costs as much as reading one. */
export const fewRequests = 64;

interface Paced extends Pick<Socket, 'resume' | 'pause' | 'isPaused'> {
  on(event: 'resume', listener: () => void): unknown;
}

/** How the connections of one address are read. */
export interface Reading {
  /** Connections that began to be read in this turn. */
  begun: number;
  /** Requests of this turn, and up to `fewRequests` of earlier ones. */
  requests: number;
  /** Connections that wait for a later turn. */
  readonly paused: Set<Paced>;
}

/**
 * Reads the connections of an address a few in each turn of the event loop, if it opens many at once or sends many requests at
 * once on those that are open, so that it does not delay the others.
 */
export function createPaceReading(nextTurn: (then: () => void) => void) {
  const readings = new WeakMap<object, Reading>();
  /** Those for which the end of the turn is awaited. */
  const awaited = new Set<Reading>();
  const beginTurn = (): void => {
    for (const reading of awaited) {
      reading.begun = 0;
      reading.requests = 0;
      if (reading.paused.size === 0) awaited.delete(reading);
      for (const socket of reading.paused) {
        reading.paused.delete(socket);
        socket.resume();
        reading.begun += 1;
        if (reading.begun === connectionsPerTurn) break;
      }
    }
    if (awaited.size > 0) nextTurn(beginTurn);
  };
  const awaitTurn = (reading: Reading): void => {
    if (awaited.size === 0) nextTurn(beginTurn);
    awaited.add(reading);
  };
  const pause = (reading: Reading, socket: Paced): void => {
    // Other code pauses a connection that it does not want to read at all.
    if (socket.isPaused()) return;
    socket.pause();
    reading.paused.add(socket);
  };
  return {
    /** @param address identifies it */
    opened(address: object, socket: Paced): Reading {
      const reading = readings.get(address) ?? { begun: 0, requests: 0, paused: new Set() };
      readings.set(address, reading);
      awaitTurn(reading);
      reading.begun += 1;
      // Node resumes it at the end of this event, and again whenever a request was read or served.
      if (reading.begun > connectionsPerTurn) reading.paused.add(socket);
      socket.on('resume', () => reading.paused.has(socket) && socket.pause());
      return reading;
    },
    /**
     * Call for each request from `fewRequests` on.
     * @param connections of its address
     */
    requested(reading: Reading, connections: () => Iterable<Paced>): void {
      if (reading.requests === fewRequests) awaitTurn(reading);
      else if (reading.requests === requestsPerTurn) for (const socket of connections()) pause(reading, socket);
    },
  };
}
