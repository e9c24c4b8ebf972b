import { Buffer } from 'node:buffer';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the scripted sponsor responds to a request. */
export type ScriptedAnswer =
  | { readonly status?: number; readonly contentType?: string; readonly body: string }
  /** Reads the request and closes the connection without a response. */
  | 'hang-up'
  /** Starts a valid response and breaks off in the middle. */
  | 'break-off'
  /** Reads the request and never responds. */
  | 'silence';

export interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ScriptedSponsor extends AsyncDisposable {
  readonly origin: string;
  /** Requests received, in order. */
  readonly requests: readonly ScriptedRequest[];
  /** Sets the response of a path; a promise delays the response. A path without a script returns 404 as plain text. */
  answer(path: string, answer: ScriptedAnswer | Promise<ScriptedAnswer>): void;
  /** Resolves when the next request has been read completely. */
  nextRequest(): Promise<ScriptedRequest>;
}

/** A sponsor on loopback with scripted responses. */
export async function startScriptedSponsor(): Promise<ScriptedSponsor> {
  const scripts = new Map<string, ScriptedAnswer | Promise<ScriptedAnswer>>();
  const requests: ScriptedRequest[] = [];
  const waiting: ((request: ScriptedRequest) => void)[] = [];

  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const path = req.url ?? '';
    const body = Buffer.concat(chunks).toString('utf8');
    const request = { method: req.method ?? '', path, headers: req.headers, body };
    requests.push(request);
    for (const resolve of waiting.splice(0)) resolve(request);
    play((await scripts.get(path)) ?? { status: 404, contentType: 'text/plain', body: '' }, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: (path, answer) => void scripts.set(path, answer),
    nextRequest: () => new Promise((resolve) => waiting.push(resolve)),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function play(answer: ScriptedAnswer, res: ServerResponse): void {
  if (answer === 'silence') return;
  if (answer === 'hang-up') {
    res.socket?.destroy();
    return;
  }
  if (answer === 'break-off') {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    res.write('{"effects":{"status":{"status":"success"}', () => res.socket?.destroy());
    return;
  }
  const { status = 200, contentType = 'application/json', body } = answer;
  res.writeHead(status, { 'content-type': contentType });
  res.end(body);
}
