import type { OperationFacts, RequestFacts } from './events.ts';
import { type RequestLineFields, requestLine, toJsonText } from './request-line.ts';

/**
 * What is known of a request that the lane answered, able to write its own line. It need not be searched for credentials:
 * only our own path leads into the lane, and names of operations are names, so nothing here is the caller's free text.
 */
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
