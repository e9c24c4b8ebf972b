import type { Socket } from 'node:net';

/**
 * New connections of one address that are read in one turn of the event loop. Node parses up to 64 KiB of a connection at once,
 * which may be hundreds of requests.
 */
const openingsPerTurn = 2;

interface Opening {
  /** Connections read in this turn. */
  read: number;
  readonly paused: Pick<Socket, 'resume' | 'pause'>[];
}

/**
 * Reads new connections a few per address and turn of the event loop, so that an address that opens hundreds at once does not
 * delay the others.
 */
export function createPaceOpenings(nextTurn: (then: () => void) => void = (then) => void setImmediate(then)) {
  const openings = new Map<object, Opening>();
  const resumeSome = (): void => {
    for (const [address, opening] of openings) {
      if (opening.paused.length === 0) openings.delete(address);
      const resumed = opening.paused.splice(0, openingsPerTurn);
      for (const socket of resumed) socket.resume();
      opening.read = resumed.length;
    }
    if (openings.size > 0) nextTurn(resumeSome);
  };
  /** @param address identifies it */
  return (address: object, socket: Opening['paused'][number]): void => {
    let opening = openings.get(address);
    if (!opening) {
      opening = { read: 0, paused: [] };
      if (openings.size === 0) nextTurn(resumeSome);
      openings.set(address, opening);
    }
    opening.read += 1;
    if (opening.read <= openingsPerTurn) return;
    socket.pause();
    opening.paused.push(socket);
  };
}
