import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

/** With this many open connections, clients open new ones while the server stops, and some of those are half open. */
const manyOpen = 4;
/** Slightly more than the interval in which the system repeats a step of the TCP handshake, in milliseconds. */
const handshakeMs = 300;
/** Milliseconds in which the server tries to fill its queue with a connection of its own. */
const queueMs = 1_000;

/**
 * Accepts all pending connections, since closing the server would reset them together with their requests. Under load new ones
 * keep arriving, so this shortens the system's queue to one connection, and returns when that one is its own.
 * @param open number of open connections
 */
export async function acceptPending(server: Server, open: number): Promise<void> {
  // Undocumented: Node has no other way to change the backlog of a listening server. Without this, some requests are reset.
  const { _handle: handle } = server as { _handle?: { listen?(backlog: number): number } | null };
  handle?.listen?.(0);
  if (open >= manyOpen) await delay(handshakeMs);
  const address = server.address() as AddressInfo;
  for (const startedAt = performance.now(); performance.now() - startedAt < queueMs; ) {
    // The event loop accepts all pending connections before the next turn.
    await nextTurn();
    const own = connect(address.port, address.address).on('error', () => {});
    await new Promise<void>((resolve) => process.nextTick(resolve));
    // Undocumented: the connection is open before the event loop reports it, so nothing else is accepted in between.
    const { _handle: connected } = own as { _handle?: { getpeername?(found: object): number } | null };
    const isQueued = connected?.getpeername?.({}) === 0;
    own.destroy();
    if (isQueued) return;
  }
}
