import { WebSocket } from 'ws';
import { startPeerTimeout } from '../peer-timeout.ts';
import { UpstreamCallError } from '../upstream-call-error.ts';
import { takeCredentials } from '../url-credentials.ts';

export interface UpstreamSocketOptions {
  readonly connectMs: number;
  /** Bytes of the largest accepted message. */
  readonly maxMessageBytes: number;
  /** Further messages stay unread until the second has passed: the upstream must wait, and may close the connection. */
  readonly maxMessagesPerSecond: number;
  /** Milliseconds between two pings. The connection is lost if nothing arrives between two pings. */
  readonly beatMs: number;
}

export const usualSocketOptions: UpstreamSocketOptions = {
  connectMs: 5_000,
  // Parsing blocks the event loop for about 10 ms per megabyte.
  maxMessageBytes: 4 * 1024 * 1024,
  maxMessagesPerSecond: 20_000,
  beatMs: 10_000,
};

/** Milliseconds that the upstream may take for the closing handshake. */
const closingMs = 250;
const normalClosure = 1000;
/** Maximum of sent bytes that the upstream has not read: about a hundred of the largest requests. */
const maxUnreadBytes = 16 * 1024 * 1024;

/** A WebSocket to an untrusted upstream: limits the size and rate of its messages, and pings it. Does not reconnect. */
export abstract class UpstreamSocket {
  readonly #socket: WebSocket;
  readonly #options: UpstreamSocketOptions;
  /** Has anything arrived since the last ping? */
  #isHeard = true;
  #messages = 0;
  #resumeTimer: NodeJS.Timeout | undefined;
  /** Stops the timeout of the connection attempt, and later that of the next ping. */
  #stopWaiting: () => void;
  #isOver = false;

  /** @param url `ws:` or `wss:`; credentials in it become a Basic authorization header */
  constructor(
    url: string,
    protocol: string | null,
    options: UpstreamSocketOptions,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.#options = options;
    const { address, authorization } = takeCredentials(url);
    this.#socket = new WebSocket(address, protocol ?? [], {
      headers: { ...(authorization && { authorization }), ...headers },
      maxPayload: options.maxMessageBytes,
      perMessageDeflate: false,
      followRedirects: false,
    });
    this.#stopWaiting = startPeerTimeout(options.connectMs, () =>
      this.#lose(new UpstreamCallError('unreachable', `no connection within ${options.connectMs} ms`)),
    );
    this.#listen();
  }

  protected abstract opened(): void;

  /** Called with each text message. */
  protected abstract read(text: string): void;

  /** Called once at the end of the connection, unless `close` ended it. */
  protected abstract lose(error: UpstreamCallError): void;

  get isOpen(): boolean {
    return !this.#isOver && this.#socket.readyState === WebSocket.OPEN;
  }

  /** Sends a message. Closes the connection as lost if the upstream does not read. */
  send(text: string): void {
    if (!this.isOpen) return;
    this.#socket.send(text);
    if (this.#socket.bufferedAmount > maxUnreadBytes)
      this.#lose(new UpstreamCallError('interrupted', 'the upstream does not read'));
  }

  /** Closes the connection. Nothing is read any more. */
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
      this.opened();
    });
    this.#socket.on('message', (data, isBinary) => this.#take(data, isBinary));
    this.#socket.on('pong', () => this.#count());
    this.#socket.on('ping', () => this.#count());
    // `close` always follows. Without a listener, an error would end the process.
    this.#socket.on('error', (each) => {
      error = each;
    });
    this.#socket.on('close', (code) => this.#lose(toConnectionLoss(wasOpen, code, error)));
  }

  #take(data: unknown, isBinary: boolean): void {
    if (this.#isOver) return;
    this.#count();
    if (isBinary) this.#lose(new UpstreamCallError('garbled', 'a message that is not text'));
    else this.read(String(data));
  }

  #count(): void {
    if (this.#isOver) return;
    this.#isHeard = true;
    this.#messages += 1;
    if (this.#messages === this.#options.maxMessagesPerSecond) this.#socket.pause();
    this.#resumeTimer ??= setTimeout(() => {
      this.#resumeTimer = undefined;
      this.#messages = 0;
      this.#socket.resume();
    }, 1_000);
  }

  #awaitBeat(): void {
    this.#stopWaiting();
    this.#stopWaiting = startPeerTimeout(this.#options.beatMs, () => this.#beat());
  }

  #beat(): void {
    this.#awaitBeat();
    // While reading is paused, an answer to a ping stays unread.
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
    this.lose(error);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#resumeTimer);
    this.#stopWaiting();
    if (this.#socket.isPaused) this.#socket.resume();
  }
}

function toConnectionLoss(wasOpen: boolean, code: number, cause: Error | null): UpstreamCallError {
  if (!wasOpen) return new UpstreamCallError('unreachable', 'no WebSocket connection was made', { cause });
  if ((cause as NodeJS.ErrnoException | null)?.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH')
    return new UpstreamCallError('too-large', 'a message over the bound', { cause });
  return new UpstreamCallError('interrupted', `the connection was closed (${code})`, { cause });
}
