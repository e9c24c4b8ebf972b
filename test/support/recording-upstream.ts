import { createServer, type IncomingHttpHeaders, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Handles a request itself; returns false to let it through. */
export type Interception = (request: RecordedRequest, res: ServerResponse) => boolean;

export interface RecordingUpstream extends AsyncDisposable {
  /** The upstream's own URL, with this proxy's authority. */
  readonly url: string;
  /** Requests received, oldest first. */
  readonly requests: RecordedRequest[];
  intercept: Interception | undefined;
  /** Called when the upstream has responded, before the response is forwarded. */
  onAnswer: ((request: RecordedRequest) => void) | undefined;
}

/** A proxy in front of an upstream. Records requests and forwards them, unless a test handles them. */
export async function recordUpstream(url: string): Promise<RecordingUpstream> {
  const target = new URL(url);
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks);
      const recorded = {
        method: req.method ?? '',
        path: req.url ?? '',
        headers: req.headers,
        body: body.toString('utf8'),
      };
      upstream.requests.push(recorded);
      if (upstream.intercept?.(recorded, res)) return;
      const passed = request(
        {
          host: target.hostname,
          port: target.port,
          method: req.method,
          path: req.url,
          headers: { ...req.headers, host: target.host },
        },
        (answer) => {
          upstream.onAnswer?.(recorded);
          res.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(res);
        },
      );
      passed.on('error', () => res.destroy());
      passed.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = new URL(url);
  own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const upstream: RecordingUpstream = {
    url: own.href.replace(/\/$/, ''),
    requests: [],
    intercept: undefined,
    onAnswer: undefined,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  return upstream;
}
