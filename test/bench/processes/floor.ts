// The floor: what a bare reverse proxy on node:http and undici costs. Nothing is checked or changed. The request is
// collected before it is sent on, which costs half of what streaming so little does; the answer streams.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import { announce } from './announce.ts';

const pool = new Pool(process.argv[2] ?? '', { connections: 128 });

const server = createServer((req, res) => {
  const serve = req.url === '/both' ? serveBoth : req.url === '/joined' ? serveJoined : forward;
  serve(req, res).catch(() => res.destroy());
});

async function forward(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { host: _host, connection: _connection, ...headers } = req.headers;
  const answer = await pool.request({ method: 'POST', path: req.url ?? '/', headers, body: await read(req) });
  const { connection: _hop, 'keep-alive': _hint, ...passed } = answer.headers;
  res.writeHead(answer.statusCode, passed);
  pipeline(answer.body, res, () => {});
}

/** Both calls at once, their answers side by side. */
async function serveBoth(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const health = call({ method: 'GET', path: '/' });
  const [ledger, sponsor] = await Promise.all([post('/graphql', await read(req)), health]);
  write(res, '{"ledger":', ledger, ',"sponsor":', sponsor, '}');
}

/** One call after the other, as a join needs them. */
async function serveJoined(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const body = await read(req);
  const sponsor = await post('/v1/reserve_gas', String(req.headers['x-reserve']), String(req.headers.authorization));
  write(res, '{"sponsor":', sponsor, ',"ledger":', await post('/graphql', body), '}');
}

function post(path: string, body: string | Buffer, authorization?: string): Promise<Buffer> {
  const headers = { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) };
  return call({ method: 'POST', path, headers, body });
}

async function call(options: Dispatcher.RequestOptions): Promise<Buffer> {
  const { body } = await pool.request(options);
  return Buffer.from(await body.arrayBuffer());
}

function read(req: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => resolve(Buffer.concat(chunks)));
    req.on('error', reject);
  });
}

function write(res: ServerResponse, ...parts: readonly (string | Buffer)[]): void {
  const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
  res.cork();
  for (const part of parts) res.write(part);
  res.end();
  res.uncork();
}

announce(server);
