import type { ServerResponse } from 'node:http';
import { WebSocketServer } from 'ws';
import type { DevnetFace } from '../faces.ts';
import type { LedgerReader } from '../state/ledger-state.ts';
import type { EventDialect } from './event-filter.ts';
import { parseCall, type RpcCall, toErrorText, toResultText } from './parse-call.ts';
import { createQueries } from './queries.ts';
import { readBody } from './read-body.ts';
import { RpcError, rpcCodes } from './rpc-error.ts';
import { serveSocket } from './serve-socket.ts';
import { createSubscriptions } from './subscriptions.ts';

export interface RpcFaceOptions {
  readonly ledger: LedgerReader;
  /** Default: the contract's, whose time ranges are closed. */
  readonly dialect?: EventDialect | undefined;
  /** The prefix that methods must have; `null` (default): any known one. */
  readonly prefix?: string | null | undefined;
  /** Subscriptions on one connection. Default as on real nodes: 100. */
  readonly maxSubscriptionsPerConnection?: number;
  /** Larger requests and WebSocket messages are refused, in bytes. */
  readonly maxMessageBytes?: number;
}

/**
 * The JSON-RPC face: `queryEvents` and `queryTransactionBlocks` over HTTP and WebSocket, the deprecated subscriptions
 * over WebSocket only. As on real nodes every answered call is HTTP 200.
 */
export function createRpcFace(options: RpcFaceOptions): DevnetFace {
  const {
    ledger,
    dialect,
    prefix = null,
    maxSubscriptionsPerConnection = 100,
    maxMessageBytes = 1024 * 1024,
  } = options;
  const queries = createQueries(ledger, dialect);
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes });
  let lastSubscription = 0;

  function runQuery({ method, params, calledAs }: RpcCall): unknown {
    if (method === 'queryEvents' || method === 'queryTransactionBlocks') return queries[method](params);
    throw unknownMethod({ calledAs });
  }

  const runOverHttp = (call: RpcCall): unknown => {
    if (/^(un)?subscribe(Event|Transaction)$/.test(call.method)) {
      throw new RpcError(rpcCodes.internal, 'Subscriptions are not available over HTTP, only over WebSocket');
    }
    return runQuery(call);
  };

  return {
    handle: async (req, res) => {
      if (req.method !== 'POST') return respond(res, 405, 'Only POST is allowed', { allow: 'POST' });
      const text = await readBody(req, maxMessageBytes);
      if (text === undefined) return;
      const answer =
        text === null
          ? toErrorText(null, new RpcError(rpcCodes.tooLarge, 'Request is too large'))
          : answerCall(text, prefix, runOverHttp);
      respond(res, 200, answer, { 'content-type': 'application/json; charset=utf-8' });
    },

    upgrade: (req, socket, head) => {
      sockets.handleUpgrade(req, socket, head, (webSocket) => {
        serveSocket(webSocket, (send) => {
          const subscriptions = createSubscriptions({
            ledger,
            dialect,
            maxSubscriptions: maxSubscriptionsPerConnection,
            nextId: () => ++lastSubscription,
            send,
          });
          const stop = ledger.onCheckpoint((_, transactions) => subscriptions.publish(transactions));
          return {
            onMessage: (text) => answerCall(text, prefix, (call) => subscriptions.answer(call) ?? runQuery(call)),
            onClose: stop,
          };
        });
      });
    },

    close: () => closeSockets(sockets),
  };
}

/** A client that does not answer the closing handshake within this time must not delay the shutdown. */
const closeGraceMs = 500;

async function closeSockets(sockets: WebSocketServer): Promise<void> {
  const closed = new Promise<void>((resolve) => sockets.close(() => resolve()));
  for (const webSocket of sockets.clients) webSocket.close(1001, 'devnet is closing');
  const fuse = setTimeout(() => {
    for (const webSocket of sockets.clients) webSocket.terminate();
  }, closeGraceMs);
  await closed;
  clearTimeout(fuse);
}

function unknownMethod({ calledAs }: Pick<RpcCall, 'calledAs'>): RpcError {
  return new RpcError(rpcCodes.unknownMethod, `Method not found: ${calledAs.slice(0, 80)}`);
}

/** The text of the answer; empty for a notification, which gets none. */
function answerCall(text: string, prefix: string | null, run: (call: RpcCall) => unknown): string {
  const parsed = parseCall(text);
  if (!parsed.ok) return toErrorText(parsed.id, parsed.error);
  const { id = null } = parsed.call;
  const isNotification = parsed.call.id === undefined;
  try {
    if (prefix !== null && !parsed.call.calledAs.startsWith(`${prefix}_`)) throw unknownMethod(parsed.call);
    const result = run(parsed.call);
    return isNotification ? '' : toResultText(id, result);
  } catch (error) {
    return isNotification ? '' : toErrorText(id, error);
  }
}

function respond(res: ServerResponse, status: number, text: string, headers: Readonly<Record<string, string>>): void {
  res.writeHead(status, { 'content-length': Buffer.byteLength(text), ...headers }).end(text);
}
