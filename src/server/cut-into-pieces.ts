import type { Writable } from 'node:stream';
import type { ChunkedBody } from '../ledger/answers/data-extent.ts';

/** Bytes of a long response that are handed to the connection in one turn: the system copies them, at a few GB a second. */
export const pieceBytes = 256 * 1024;

/** Divides a body into pieces, each in the parts of its chunks, which are not copied. */
export function* cutIntoPieces(chunks: readonly Buffer[]): Generator<readonly Buffer[], void> {
  let piece: Buffer[] = [];
  let left = pieceBytes;
  for (const chunk of chunks) {
    for (let offset = 0; offset < chunk.length; ) {
      const part = chunk.length - offset <= left ? chunk.subarray(offset) : chunk.subarray(offset, offset + left);
      piece.push(part);
      offset += part.length;
      left -= part.length;
      if (left > 0) continue;
      yield piece;
      piece = [];
      left = pieceBytes;
    }
  }
  if (piece.length > 0) yield piece;
}

/**
 * Writes to a client as it reads, each piece in a turn of its own.
 * @param writePiece writes the next piece. @returns whether there are more
 */
export function writeInPieces(to: Writable, takeTurn: (work: () => void) => unknown, writePiece: () => boolean): void {
  const takeNext = () => takeTurn(writeNext);
  const writeNext = (): void => {
    if (to.destroyed) return;
    to.cork();
    const hasMore = writePiece();
    to.uncork();
    if (!hasMore) return;
    if (to.writableNeedDrain) to.once('drain', takeNext);
    else takeNext();
  };
  writeNext();
}

/** Called when the system has all bytes of a body. After an error, a broken connection may still hold them. */
export function onWritten(recycle: ChunkedBody['recycle']): (error?: Error | null) => void {
  return (error) => {
    if (!error) recycle?.();
  };
}

/** Smaller buffers may be parts of one that Node shares between all of them. */
const largeBytes = 16 * 1024;

/** Identifies the memory of a body that other responses may share; `null` = it is too small to matter. */
export function memoryOf(chunks: readonly Buffer[]): object | null {
  return chunks.find(({ length }) => length >= largeBytes)?.buffer ?? null;
}

export function sizeOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
