import { printJson } from '../../json/exact-json.ts';
import { startPeerTimeout } from '../peer-timeout.ts';
import { toHeaderFields } from '../send-call.ts';
import { UpstreamCallError } from '../upstream-call-error.ts';
import { takeCredentials } from '../url-credentials.ts';
import { createGraphqlSocket, type GraphqlSocket, type PushedOperation, type PushSink } from './graphql-socket.ts';
import {
  parseMessage,
  type SharedSocketOptions,
  takeTurns,
  type UpstreamSocketOptions,
  usualSocketOptions,
} from './shared-connection.ts';

/** Subscriptions at an upstream: as server-sent events if its URLs begin with `http`, else over one WebSocket. */
export function createGraphqlSubscriptions(options: SharedSocketOptions): GraphqlSocket {
  return options.urls.every((url) => url.startsWith('http'))
    ? createEventStreams(options)
    : createGraphqlSocket(options);
}

/** The upstream sends comments less often than a WebSocket is pinged: at least once in this many ping intervals. */
const silentBeats = 3;

/** Makes one request per subscription. */
function createEventStreams({
  maxSubscriptions = Number.POSITIVE_INFINITY,
  socket,
  ...addresses
}: SharedSocketOptions): GraphqlSocket {
  const options = { ...usualSocketOptions, ...socket };
  const open = new Set<(error: UpstreamCallError) => void>();
  const nextUrl = takeTurns(addresses);
  return {
    subscribe(operation, sink) {
      if (open.size >= maxSubscriptions) {
        queueMicrotask(() => sink.refused([]));
        return () => {};
      }
      const controller = new AbortController();
      const end = (tell: () => void) => {
        if (!open.delete(lose)) return;
        controller.abort();
        tell();
      };
      const lose = (error: UpstreamCallError) => end(() => sink.lost(error));
      open.add(lose);
      const headers = toHeaderFields(addresses.headers);
      follow({ url: nextUrl(), headers, operation, options, sink, signal: controller.signal, end }).catch(
        (error: unknown) => {
          lose(error instanceof UpstreamCallError ? error : new UpstreamCallError('interrupted', String(error)));
        },
      );
      return () => end(() => {});
    },
    close() {
      for (const lose of open) lose(new UpstreamCallError('interrupted', 'closed from here'));
    },
  };
}

interface FollowOptions {
  readonly url: string;
  /** Added to those of the request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly operation: PushedOperation;
  readonly options: UpstreamSocketOptions;
  readonly sink: PushSink;
  readonly signal: AbortSignal;
  /** Ends the subscription with a last call of the sink, unless it has ended. */
  readonly end: (tell: () => void) => void;
}

async function follow({ url, headers, operation, options, sink, signal, end }: FollowOptions): Promise<void> {
  const { connectMs, beatMs, maxMessageBytes, maxMessagesPerSecond } = options;
  const silence = (ms: number, what: string) =>
    startPeerTimeout(ms, () => end(() => sink.lost(new UpstreamCallError('timeout', what))));
  let stopWaiting = silence(connectMs, `no answer within ${connectMs} ms`);
  const awaitMore = () => {
    stopWaiting();
    stopWaiting = silence(beatMs * silentBeats, 'the upstream was silent');
  };
  signal.addEventListener('abort', () => stopWaiting());
  const response = await fetch(...toRequest(url, headers, operation, signal));
  const { body } = response;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!body || response.status >= 500 || (isStream && response.status !== 200)) {
    throw new UpstreamCallError('unreachable', `HTTP status ${response.status}`);
  }
  if (signal.aborted) return;
  if (isStream) {
    // The first comment may take as long as any other.
    awaitMore();
    sink.sent?.();
  }
  const decoder = new TextDecoder();
  const splitter = new BlockSplitter(isStream);
  let second = { endMs: performance.now() + 1_000, messages: 0 };
  for await (const chunk of body) {
    if (signal.aborted) return;
    awaitMore();
    const blocks = splitter.add(decoder.decode(chunk, { stream: true }));
    if (splitter.pendingLength > maxMessageBytes || blocks.some(({ length }) => length > maxMessageBytes)) {
      throw new UpstreamCallError('too-large', `a message over ${maxMessageBytes} bytes`);
    }
    for (const block of blocks) {
      if (signal.aborted) return;
      second.messages += 1;
      if (second.messages > maxMessagesPerSecond) {
        // Unread messages make the upstream wait.
        await new Promise((resolve) => setTimeout(resolve, second.endMs - performance.now()));
      }
      if (performance.now() >= second.endMs) second = { endMs: performance.now() + 1_000, messages: 1 };
      take(block, sink, end);
    }
  }
  stopWaiting();
  if (isStream) throw new UpstreamCallError('interrupted', 'the stream ended');
  const errors = readErrors(splitter.pending());
  end(() => sink.refused(errors));
}

const blankLine = /\r?\n\r?\n/;
/** Characters of a blank line that an earlier piece may end with. */
const seamLength = 3;

/** Splits text at blank lines as its pieces arrive, in linear time however small they are. */
export class BlockSplitter {
  pendingLength = 0;
  readonly #splits: boolean;
  #pieces: string[] = [];
  #seam = '';

  constructor(splits: boolean) {
    this.#splits = splits;
  }

  /** @returns the blocks that end in this piece */
  add(piece: string): readonly string[] {
    const seam = this.#seam + piece;
    this.#pieces.push(piece);
    this.pendingLength += piece.length;
    this.#seam = seam.slice(-seamLength);
    // Most pieces end no block. The waiting text is read once one does.
    if (!this.#splits || !blankLine.test(seam)) return [];
    const blocks = this.pending().split(blankLine);
    const rest = blocks.pop() ?? '';
    this.#pieces = [rest];
    this.pendingLength = rest.length;
    this.#seam = rest.slice(-seamLength);
    return blocks;
  }

  /** The text behind the last blank line. */
  pending(): string {
    return this.#pieces.join('');
  }
}

/** Credentials in the URL become a header. */
function toRequest(
  url: string,
  added: FollowOptions['headers'],
  operation: PushedOperation,
  signal: AbortSignal,
): [URL, RequestInit] {
  const { address, authorization } = takeCredentials(url);
  const headers = new Headers({ ...added, 'content-type': 'application/json', accept: 'text/event-stream' });
  if (authorization && !headers.has('authorization')) headers.set('authorization', authorization);
  return [address, { method: 'POST', headers, body: printJson(operation), signal, redirect: 'error' }];
}

function take(block: string, sink: PushSink, end: FollowOptions['end']): void {
  const lines = block.split(/\r?\n/);
  const valuesOf = (name: string) =>
    lines.flatMap((line) => (line.startsWith(`${name}:`) ? [line.slice(name.length + 1).replace(/^ /, '')] : []));
  const [event] = valuesOf('event');
  if (event === 'complete') end(() => sink.ended());
  // Comments keep the connection alive.
  if (event !== 'next') return;
  const data = valuesOf('data').join('\n');
  const result = parseMessage(data);
  if (!result) throw new UpstreamCallError('garbled', 'an event that is no result');
  if (result.data == null && Array.isArray(result.errors)) end(() => sink.refused(result.errors));
  else sink.next(result, data.length);
}

/** The reason of a rejection that is not an event stream. */
function readErrors(text: string): unknown {
  const errors = parseMessage(text)?.errors;
  if (!Array.isArray(errors)) throw new UpstreamCallError('garbled', 'an answer that is no stream');
  return errors;
}
