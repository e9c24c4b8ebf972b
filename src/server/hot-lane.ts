import type { IncomingMessage, ServerResponse } from 'node:http';
import { withBegun } from '../gateway/hot-handover.ts';
import type { HotOperations, HotOutcome } from '../gateway/hot-operations.ts';
import type { ServerContext } from '../gateway/operation-run.ts';
import { isHotHead, toHotMediaType, toHotRequest } from './hot-request.ts';

export interface HotLaneOptions {
  readonly operations: HotOperations;
  readonly graphqlPath: string;
}

/**
 * Serves a JSON POST of an operation that is the ledger's alone and was seen before: the ledger's bytes are the answer.
 * @param body read whole, within its bound
 * @param onLane told when the lane takes the request, and when it leaves it after all
 * @returns the context with which the ordinary way is to serve the request; `null` when there is nothing left to do
 */
export type HotLane = (
  req: IncomingMessage,
  res: ServerResponse,
  body: Buffer,
  context: ServerContext,
  onLane: (isIn: boolean) => void,
) => Promise<ServerContext | null>;

export function createHotLane({ operations, graphqlPath }: HotLaneOptions): HotLane {
  return (req, res, body, context, onLane) =>
    new Promise((resolve, reject) => {
      const mediaType = isHotHead(req, graphqlPath) ? toHotMediaType(req.headers.accept ?? '*/*') : null;
      const request = mediaType && toHotRequest(body);
      const operation = request && operations.find(request);
      if (!operation) return resolve(context);
      onLane(true);
      const onHangUp = (giveUp: () => void): void => {
        if (res.socket?.destroyed !== false) giveUp();
        // Once, so that what hangs on it, the whole answer, is let go of before the response is.
        else res.once('close', giveUp);
      };
      const finish = (outcome: HotOutcome): void => {
        if (outcome.kind === 'plain' && !res.destroyed) writeWhole(res, `${mediaType}; charset=utf-8`, outcome.body);
        if (outcome.kind === 'handover') onLane(false);
        resolve(outcome.kind === 'handover' ? withBegun(context, outcome.begun) : null);
      };
      operations
        .run(operation, context, onHangUp, (outcome) => {
          // It is called from within the connection, which would take a fault of ours for one of its own.
          try {
            finish(outcome);
          } catch (error) {
            reject(error);
          }
        })
        .catch(reject);
    });
}

/** One write to the socket, with the length known. */
function writeWhole(
  res: ServerResponse,
  contentType: string,
  { chunks, size }: { readonly chunks: readonly Buffer[]; readonly size: number },
): void {
  res.writeHead(200, { 'content-type': contentType, 'content-length': size });
  const [only] = chunks;
  if (chunks.length === 1) return void res.end(only);
  res.cork();
  for (const chunk of chunks) res.write(chunk);
  res.end();
  res.uncork();
}
