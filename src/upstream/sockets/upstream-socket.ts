import { WebSocket } from 'ws';
import { startPeerTimeout } from '../peer-timeout.ts';
import { UpstreamCallError } from '../upstream-call-error.ts';

export interface UpstreamSocketOptions {
  /** Milliseconds until the connection must be open. */
  readonly connectMs: number;
  /** Bytes of the largest message that is read. */
  readonly maxMessageBytes: number;
  /** More are left unread until the second is over: the upstream has to wait, and may cut the connection. */
  readonly maxMessagesPerSecond: number;
  /** Milliseconds between two questions whether the upstream is still there. One that left one unanswered is gone. */
  readonly beatMs: number;
}

export const usualSocketOptions: UpstreamSocketOptions = {
  connectMs: 5_000,
  // Parsing takes some ten milliseconds a megabyte, and nothing else is done meanwhile.
  maxMessageBytes: 4 * 1024 * 1024,
  maxMessagesPerSecond: 20_000,
  beatMs: 10_000,
};

/** Where an upstream takes connections, and who is told what of one. */
export interface UpstreamSocketTarget {
  /** `ws:` or `wss:`; credentials in it become a Basic authorization header. */
  readonly url: string;
  readonly protocol: string | null;
  opened(): void;
  /** A text message. */
  message(text: string): void;
  /** Called once, however it ended, unless it was closed from here. */
  lost(error: UpstreamCallError): void;
}

/** Milliseconds that an upstream may take to agree to the end of a connection. */
const closingMs = 250;
const normalClosure = 1000;
/** Of what was sent. Some hundred of the largest requests. */
const maxUnreadBytes = 16 * 1024 * 1024;

/**
 * A WebSocket to an upstream that is trusted with nothing: what it sends is bounded in size and rate, and one that is silent is
 * asked whether it is there. A second connection is not made by itself.
 */
export class UpstreamSocket {
  readonly #socket: WebSocket;
  readonly #target: UpstreamSocketTarget;
  readonly #options: UpstreamSocketOptions;
  /** Was it heard of since it was last asked? */
  #isHeard = true;
  #messages = 0;
  #resumeTimer: NodeJS.Timeout | undefined;
  /** Stops waiting for the upstream: to open the connection, then to be heard of before the next beat. */
  #stopWaiting: () => void;
  #isOver = false;

  constructor(target: UpstreamSocketTarget, options: UpstreamSocketOptions) {
    this.#target = target;
    this.#options = options;
    this.#socket = new WebSocket(target.url, target.protocol ?? [], {
      maxPayload: options.maxMessageBytes,
      perMessageDeflate: false,
      followRedirects: false,
    });
    this.#stopWaiting = startPeerTimeout(options.connectMs, () =>
      this.#lose(new UpstreamCallError('unreachable', `no connection within ${options.connectMs} ms`)),
    );
    this.#listen();
  }

  get isOpen(): boolean {
    return !this.#isOver && this.#socket.readyState === WebSocket.OPEN;
  }

  /** An upstream that does not read what it is sent is as good as gone. */
  send(text: string): void {
    if (!this.isOpen) return;
    this.#socket.send(text);
    if (this.#socket.bufferedAmount <= maxUnreadBytes) return;
    this.#lose(new UpstreamCallError('interrupted', 'the upstream does not read'));
  }

  /** Nothing of it is told from now on. The upstream is waited for a moment and then left. */
  close(): void {
    if (this.#isOver) return;
    this.#end();
    const isOpen = this.#socket.readyState === WebSocket.OPEN;
    if (isOpen) this.#socket.close(normalClosure);
    const timer = setTimeout(() => this.#socket.terminate(), isOpen ? closingMs : 0);
    this.#socket.on('close', () => clearTimeout(timer));
  }

  #listen(): void {
    let wasOpen = false;
    let error: Error | null = null;
    this.#socket.on('open', () => {
      wasOpen = true;
      if (this.#isOver) return;
      this.#awaitBeat();
      this.#target.opened();
    });
    this.#socket.on('message', (data, isBinary) => this.#take(data, isBinary));
    this.#socket.on('pong', () => this.#count());
    this.#socket.on('ping', () => this.#count());
    // Always followed by `close`; without a listener it would end the process.
    this.#socket.on('error', (each) => {
      error = each;
    });
    this.#socket.on('close', (code) => this.#lose(toLoss(wasOpen, code, error)));
  }

  #take(data: unknown, isBinary: boolean): void {
    if (this.#isOver) return;
    this.#count();
    if (isBinary) this.#lose(new UpstreamCallError('garbled', 'a message that is not text'));
    else this.#target.message(String(data));
  }

  #count(): void {
    if (this.#isOver) return;
    this.#isHeard = true;
    this.#messages += 1;
    if (this.#messages === this.#options.maxMessagesPerSecond) this.#socket.pause();
    this.#resumeTimer ??= setTimeout(() => this.#nextSecond(), 1_000);
  }

  #nextSecond(): void {
    this.#resumeTimer = undefined;
    this.#messages = 0;
    this.#socket.resume();
  }

  #awaitBeat(): void {
    this.#stopWaiting();
    this.#stopWaiting = startPeerTimeout(this.#options.beatMs, () => this.#beat());
  }

  #beat(): void {
    this.#awaitBeat();
    // What is not read cannot be heard.
    if (this.#socket.isPaused) return;
    if (this.#isHeard) {
      this.#isHeard = false;
      this.#socket.ping();
    } else this.#lose(new UpstreamCallError('interrupted', 'the connection went silent'));
  }

  #lose(error: UpstreamCallError): void {
    if (this.#isOver) return;
    this.#end();
    this.#socket.terminate();
    this.#target.lost(error);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#resumeTimer);
    this.#stopWaiting();
    if (this.#socket.isPaused) this.#socket.resume();
  }
}

const tooLarge = 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';

function toLoss(wasOpen: boolean, code: number, cause: Error | null): UpstreamCallError {
  if (!wasOpen) return new UpstreamCallError('unreachable', 'no WebSocket connection was made', { cause });
  const isTooLarge = (cause as NodeJS.ErrnoException | null)?.code === tooLarge;
  if (isTooLarge) return new UpstreamCallError('too-large', 'a message over the bound', { cause });
  return new UpstreamCallError('interrupted', `the connection was closed (${code})`, { cause });
}
