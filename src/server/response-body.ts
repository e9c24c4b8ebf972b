import type { IncomingMessage, ServerResponse } from 'node:http';

/** Sends a JSON answer in one piece; to a HEAD request only its headers. */
export function sendJson(req: IncomingMessage, res: ServerResponse, status: number, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
  res.end(req.method === 'HEAD' ? undefined : body);
}
