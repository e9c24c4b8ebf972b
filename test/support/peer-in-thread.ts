import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** An upstream that responds even while this thread's event loop is blocked. */
export interface PeerInThread extends AsyncDisposable {
  /** Responds to each request with `{"data":{}}`, and accepts WebSockets. */
  readonly url: string;
}

const code = `
const { createServer } = require('node:http');
const { parentPort } = require('node:worker_threads');
const { WebSocketServer } = require('ws');
const server = createServer((req, res) => req.resume().on('end', () => res.end('{"data":{}}')));
new WebSocketServer({ server });
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

export async function startPeerInThread(): Promise<PeerInThread> {
  const worker = new Worker(code, { eval: true });
  const [port] = (await once(worker, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => void (await worker.terminate()),
  };
}
