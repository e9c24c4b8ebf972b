import type { OperationFacts, RequestFacts } from '../telemetry/events.ts';
import { type RequestLineFields, requestLine, toJsonText } from '../telemetry/request-line.ts';
import type { Exchange } from './exchange.ts';

/** What is logged of a request whose client was gone before there was an answer, as proxies do. */
const hungUp = 499;

/** The path of one that was served by the short way is our own, so that nothing in its record is the caller's free text. */
export function toRequestRecord(exchange: Exchange): RequestFacts {
  const { requestId, req, res, path, startedAt, operations } = exchange;
  const durationMs = Math.round((performance.now() - startedAt) * 100) / 100;
  const method = req.method ?? '';
  const status = res.headersSent ? res.statusCode : hungUp;
  if (!exchange.isInLane) return { requestId, method, path, status, durationMs, operations };
  return new LaneRecord(requestId, method, path, status, durationMs, operations);
}

export class LaneRecord implements RequestFacts, RequestLineFields {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly operations: readonly OperationFacts[];
  readonly lane = true;

  constructor(
    requestId: string,
    method: string,
    path: string,
    status: number,
    durationMs: number,
    operations: readonly OperationFacts[],
  ) {
    this.requestId = requestId;
    this.method = method;
    this.path = path;
    this.status = status;
    this.durationMs = durationMs;
    this.operations = operations;
  }

  [requestLine](): string {
    let operations = '';
    for (const { caller, name, type, errors } of this.operations) {
      const shown = name === null ? 'null' : toJsonText(name);
      operations += `${operations && ','}{"caller":${toJsonText(caller)},"name":${shown},"type":"${type}","errors":${errors}}`;
    }
    const { requestId, method, path, status, durationMs } = this;
    const request = `"requestId":"${requestId}","method":"${method}","path":${toJsonText(path)}`;
    return `${request},"status":${status},"durationMs":${durationMs},"operations":[${operations}],"lane":true`;
  }
}
