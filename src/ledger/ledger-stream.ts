import type { ExecutionResult } from 'graphql';
import { gatewayError } from '../errors/gateway-error.ts';
import type { PushSink } from '../upstream/sockets/graphql-socket.ts';
import { toGatewayError } from '../upstream/upstream-call-error.ts';
import { type ReadText, readLedgerResult, toErrors } from './answers/ledger-answer.ts';

/** What all streams together keep of what their readers have not asked for yet. */
export interface KeptResults {
  bytes: number;
}

/** Of one stream, in bytes of text; what is parsed takes several times as much. */
const maxBytes = 256 * 1024;
/** Of all together. */
const maxBytesOfAll = 32 * 1024 * 1024;
/** One result of this size is kept for each, whatever the others keep: those who read slowly shall not end those who do not. */
const sureBytes = 16 * 1024;

interface Kept {
  readonly bytes: number;
  /** Throws if it is no result. */
  readonly read: () => ExecutionResult;
}

/**
 * One subscription of the ledger's, result by result as it sends them. It has no cursor to go on from: whatever breaks it ends
 * it, with an error after the results before.
 */
export class LedgerStream implements AsyncIterator<ExecutionResult, undefined> {
  /** What the ledger says of it. */
  readonly sink: PushSink = {
    next: (result, bytes) => this.#take(result, bytes),
    refused: (errors) => this.#refuse(errors),
    ended: () => this.#end(),
    lost: (error) => this.fail(toGatewayError(error, 'ledger')),
  };

  readonly #all: KeptResults;
  readonly #readText: ReadText | null;
  readonly #onEnd: () => void;
  #kept: Kept[] = [];
  #bytes = 0;
  #waiting: (() => void)[] = [];
  #isOver = false;

  /** @param onEnd called once, when nothing more is wanted of the ledger */
  constructor(all: KeptResults, readText: ReadText | null, onEnd: () => void) {
    this.#all = all;
    this.#readText = readText;
    this.#onEnd = onEnd;
  }

  async next(): Promise<IteratorResult<ExecutionResult, undefined>> {
    while (this.#kept.length === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    const first = this.#kept.shift();
    if (!first) return { done: true, value: undefined };
    this.#count(-first.bytes);
    return { done: false, value: first.read() };
  }

  async return(): Promise<IteratorResult<ExecutionResult, undefined>> {
    for (const { bytes } of this.#kept.splice(0)) this.#count(-bytes);
    this.#end();
    return { done: true, value: undefined };
  }

  /** Ends it with an error, behind what is kept. */
  fail(error: Error): void {
    if (this.#isOver) return;
    const read = () => {
      throw error;
    };
    this.#kept.push({ bytes: 0, read });
    this.#end();
  }

  #take(result: unknown, bytes: number): void {
    if (this.#isOver) return;
    const isRoom = this.#all.bytes + bytes <= maxBytesOfAll;
    const mayKeep = this.#kept.length === 0 ? isRoom || bytes <= sureBytes : isRoom && this.#bytes + bytes <= maxBytes;
    if (!mayKeep) {
      this.fail(tooSlow());
      return;
    }
    this.#count(bytes);
    this.#kept.push({ bytes, read: () => readLedgerResult(result, bytes, this.#readText) });
    this.#wake();
  }

  #refuse(errors: unknown): void {
    if (this.#isOver) return;
    this.#kept.push({ bytes: 0, read: () => ({ errors: toErrors(errors, this.#readText) }) });
    this.#end();
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#all.bytes += bytes;
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd();
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

function tooSlow() {
  const says = 'This stream was read more slowly than the ledger told it, and has ended. Subscribe again.';
  return gatewayError('UNAVAILABLE', says, { upstream: 'ledger' });
}
