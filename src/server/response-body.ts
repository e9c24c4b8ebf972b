import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, errorCatalogue } from '../errors/catalogue.ts';
import { gatewayError } from '../errors/gateway-error.ts';

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
  code: ErrorCode,
  message: string,
  status: number = errorCatalogue[code].status,
): void {
  sendJson(req, res, status, { errors: [gatewayError(code, message)] });
}
