import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, errorCatalogue } from '../errors/catalogue.ts';
import type { gatewayError } from '../errors/gateway-error.ts';
import type { PlainType } from '../http/media-types.ts';

/** Writes a JSON answer whole, with its length. A HEAD request gets the headers alone. */
export function sendJson(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  value: unknown,
  contentType = 'application/json; charset=utf-8',
): void {
  const body = Buffer.from(JSON.stringify(value));
  res.writeHead(status, { 'content-type': contentType, 'content-length': body.length });
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** Refuses a request before GraphQL saw it, in GraphQL's shape, with the status the catalogue gives the code. */
export function sendRefusal(
  req: IncomingMessage,
  res: ServerResponse,
  type: PlainType,
  error: ReturnType<typeof gatewayError>,
  status: number = errorCatalogue[error.extensions.code as ErrorCode].status,
): void {
  sendJson(req, res, status, { errors: [error] }, `${type}; charset=utf-8`);
}
