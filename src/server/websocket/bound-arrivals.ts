import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { type Arrival, type Arrivals, bytesPerPiece } from '../../upstream/arrivals.ts';
import { closeCodes } from './close-codes.ts';

/** More than the heads of fragments take, which are not told apart from what comes behind them. */
const headsBytes = 4_096;
/** Of the head of a client's frame, in bytes. */
function headOf(size: number): number {
  if (size < 126) return 6;
  return size < 65_536 ? 8 : 14;
}

/**
 * Counts what a client has sent of a message that is not whole: the library keeps it until it is, for ever if need be. Where
 * all of them would take too much, a client that holds more than others for longest is told to go.
 * @param connection on which the library listens already: it has read each piece before this hears of it
 */
export function boundArrivals(socket: WebSocket, connection: Duplex, arrivals: Arrivals): void {
  let bytes = 0;
  let pieces = 0;
  /** Of the piece at hand: what has been handed on. */
  let read = 0;
  let isWhole = false;
  let arrival: Arrival | null = null;
  const leave = (): void => {
    arrival?.leave();
    arrival = null;
  };
  const giveUp = (): void => {
    arrival = null;
    socket.close(closeCodes.tryAgainLater, 'Too many messages are under way');
    socket.terminate();
  };
  const count = (chunk: Buffer): void => {
    bytes += chunk.length - read;
    pieces += 1;
    read = 0;
    if (isWhole) {
      // What is left then is the beginning of the next message.
      bytes = Math.min(bytes, chunk.length);
      if (bytes <= headsBytes) bytes = 0;
      pieces = 1;
      isWhole = false;
    }
    if (bytes <= 0) {
      bytes = 0;
      pieces = 0;
      leave();
      return;
    }
    arrival ??= arrivals.begin(giveUp);
    arrival.hold(bytes + pieces * bytesPerPiece);
  };
  const readFrame = ({ length }: Buffer): void => {
    read += length + headOf(length);
  };
  socket.on('message', (data) => {
    readFrame(data as Buffer);
    isWhole = true;
  });
  socket.on('ping', readFrame);
  socket.on('pong', readFrame);
  connection.on('data', count);
  connection.once('close', leave);
}
