import type { IncomingMessage } from 'node:http';
import { type Sender, toSender } from '../../admission/identify-caller.ts';
import { isUsageAsked } from '../../limits/usage.ts';

/**
 * What a client may send besides operations between two pings, in bytes, before its connection ends: such messages are
 * counted by nobody, yet each is read, and some are answered. Operations of a caller over its limit are the same.
 */
const maxChatterBytes = 256 * 1024;
/** What a message costs besides its bytes, in the same measure. */
const messageCost = 64;

/** One WebSocket: who is behind it, what it has under way, and whether it is still there. */
export interface SocketSession {
  readonly requestId: string;
  readonly sender: Sender;
  readonly showUsage: boolean;
  /** Operations at this moment. */
  operations: number;
  /** Takes what a client says of itself when it begins; nothing else of that is kept. */
  introduce(params: Readonly<Record<string, unknown>> | undefined): void;
  /** Counts a message that came. @returns `false` when too much came before it */
  heard(bytes: number): boolean;
  /** The message that was heard last is an operation, which is counted otherwise. @returns what it had counted for */
  forgive(): number;
  /** That operation was one that its caller may not ask for now. */
  blame(cost: number): void;
  /** Begins to count anew. */
  rest(): void;
}

export interface SessionOptions {
  readonly request: IncomingMessage;
  readonly requestId: string;
  /** Names of the headers by which a caller asks to be told its usage. */
  readonly usageHeaders: readonly string[];
}

export function createSession({ request, requestId, usageHeaders }: SessionOptions): SocketSession {
  const { remoteAddress } = request.socket;
  const spoken: ReadonlySet<string> = new Set(['authorization', 'x-api-key', ...usageHeaders]);
  let sender = toSender(request.headers, remoteAddress);
  let showUsage = usageHeaders.some((name) => isUsageAsked(request.headers[name]));
  let chatter = 0;
  let last = 0;
  return {
    requestId,
    operations: 0,
    get sender() {
      return sender;
    },
    get showUsage() {
      return showUsage;
    },
    introduce(params) {
      const headers = { ...request.headers, ...headersIn(params, spoken) };
      sender = toSender(headers, remoteAddress);
      showUsage = usageHeaders.some((name) => isUsageAsked(headers[name]));
    },
    heard(bytes) {
      const isWithin = chatter <= maxChatterBytes;
      last = bytes + messageCost;
      chatter += last;
      return isWithin;
    },
    forgive() {
      chatter -= last;
      return last;
    },
    blame(cost) {
      chatter += cost;
    },
    rest() {
      chatter = 0;
    },
  };
}

/**
 * Entries of `connection_init` bear the names of headers, in whatever case the client writes them: pages cannot set headers
 * on a WebSocket. They speak for what a caller may say of itself; where it comes from is said by the browser and the proxies.
 */
function headersIn(
  params: Readonly<Record<string, unknown>> | undefined,
  spoken: ReadonlySet<string>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [key, value] of Object.entries(params ?? {})) {
    const name = key.toLowerCase();
    if (typeof value === 'string' && spoken.has(name)) headers[name] ??= value;
  }
  return headers;
}
