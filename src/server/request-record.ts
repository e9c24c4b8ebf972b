import { LaneRecord, type RequestFacts } from '../telemetry/events.ts';
import type { Exchange } from './exchange.ts';

/** What is logged of a request whose client was gone before there was an answer, as proxies do. */
const hungUp = 499;

/** What is known of a request that is over. */
export function toRequestRecord(exchange: Exchange): RequestFacts {
  const { requestId, req, res, path, startedAt, operations } = exchange;
  const durationMs = Math.round((performance.now() - startedAt) * 100) / 100;
  const method = req.method ?? '';
  const status = res.headersSent ? res.statusCode : hungUp;
  if (!exchange.isInLane) return { requestId, method, path, status, durationMs, operations };
  return new LaneRecord(requestId, method, path, status, durationMs, operations);
}
