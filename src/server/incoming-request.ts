import type { Buffer } from 'node:buffer';
import { IncomingMessage } from 'node:http';
import type { TakePiece, WithBody } from './bounds/read-body.ts';

/**
 * A request whose body can be taken past the stream that it is. Node's parser hands a body over by `push`, as any source does
 * to its stream; most bodies are there in the same read as their headers, and a stream keeps them for later turns of the event
 * loop, which costs a small request more than everything else that is done with its body.
 */
export class IncomingRequest extends IncomingMessage implements WithBody {
  #take: TakePiece | null = null;

  /** To be called in the turn in which the request came: what was pushed before stays in the stream. */
  takeBody(take: TakePiece): void {
    this.#take = take;
  }

  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.#take === null) return super.push(piece, encoding);
    this.#take(piece);
    return true;
  }
}
