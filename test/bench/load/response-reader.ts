export interface ResponseEvents {
  /** @param length of the body in bytes; `null` where it comes in chunks */
  onHead(status: number, type: string, length: number | null): void;
  onBody(piece: Buffer): void;
  onEnd(): void;
}

export interface ResponseReader {
  read(bytes: Buffer): void;
}

const endOfHead = '\r\n\r\n';
const nothing = Buffer.alloc(0);

/**
 * Reads one response of HTTP/1.1 whose body has a length or comes in chunks, in whatever pieces it arrives. Knows nothing of
 * 1xx, trailers with content, or bodies that end with the connection.
 */
export function createResponseReader({ onHead, onBody, onEnd }: ResponseEvents): ResponseReader {
  /** What has to be joined with more before it says anything. */
  let rest: Buffer = nothing;
  let state: 'head' | 'body' | 'size' | 'chunk' | 'end of chunk' | 'last line' | 'done' = 'head';
  /** Bytes to come of the body, or of the chunk. */
  let left = 0;

  /** @returns where the next part begins; -1 where more is needed */
  const step = (bytes: Buffer, at: number): number => {
    switch (state) {
      case 'head': {
        const end = bytes.indexOf(endOfHead, at);
        if (end < 0) return -1;
        const head = bytes.toString('latin1', at, end);
        const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
        left = Number(length ?? 0);
        onHead(
          Number(head.slice(9, 12)),
          /\r\ncontent-type: *([^\r]*)/i.exec(head)?.[1] ?? '',
          length === undefined ? null : left,
        );
        state = length === undefined ? 'size' : left > 0 ? 'body' : 'done';
        return end + endOfHead.length;
      }
      case 'body':
      case 'chunk': {
        const end = Math.min(at + left, bytes.length);
        left -= end - at;
        onBody(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
        if (left === 0) state = state === 'body' ? 'done' : 'end of chunk';
        return end;
      }
      case 'end of chunk':
        if (bytes.length < at + 2) return -1;
        state = 'size';
        return at + 2;
      case 'size': {
        const end = bytes.indexOf('\r\n', at);
        if (end < 0) return -1;
        left = Number.parseInt(bytes.toString('latin1', at, end), 16);
        state = left > 0 ? 'chunk' : 'last line';
        return end + 2;
      }
      case 'last line':
        if (bytes.length < at + 2) return -1;
        state = 'done';
        return at + 2;
      default:
        return bytes.length;
    }
  };

  return {
    read(piece) {
      const bytes = rest.length > 0 ? Buffer.concat([rest, piece]) : piece;
      rest = nothing;
      let at = 0;
      while (at < bytes.length) {
        const next = step(bytes, at);
        if (next < 0) {
          rest = bytes.subarray(at);
          return;
        }
        at = next;
        if (state === 'done') return onEnd();
      }
    },
  };
}
