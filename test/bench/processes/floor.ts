// The floor: what a lean reverse proxy on node:http and undici costs. Nothing is checked or changed. The body of a request
// is sent on as it comes and so is that of its answer; of the headers only the content's type and length are passed on.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import { announce } from './announce.ts';

const pool = new Pool(process.argv[2] ?? '', { connections: 128 });
/** As with the gateway, the client of the sponsor does not know its token. */
const sponsorHeaders = { 'content-type': 'application/json', authorization: 'Bearer bench' };

const server = createServer((req, res) => {
  if (req.url === '/both') settle(res, serveBoth(req));
  else if (req.url === '/joined') settle(res, serveJoined(req));
  else forward(req, res);
});

function forward(req: IncomingMessage, res: ServerResponse): void {
  const path = req.url ?? '/';
  const request = { ...toRequest(req, path), opaque: res };
  pool.stream(request, passOn, (error) => error && res.destroy());
}

function passOn({ statusCode, headers, opaque: res }: Dispatcher.StreamFactoryData<ServerResponse>): ServerResponse {
  const { 'content-type': type, 'content-length': length } = headers;
  return res.writeHead(statusCode, { 'content-type': String(type), 'content-length': String(length) });
}

/** Both calls at once, their answers side by side. */
async function serveBoth(req: IncomingMessage): Promise<Buffer> {
  const ledger = collect(toRequest(req, '/graphql'));
  const sponsor = collect({ method: 'GET', path: '/' });
  return toAnswer(await ledger, await sponsor);
}

/** One call after the other, as a join needs them; the body is that of the second. */
async function serveJoined(req: IncomingMessage): Promise<Buffer> {
  const body = String(req.headers['x-reserve']);
  const sponsor = await collect({ method: 'POST', path: '/v1/reserve_gas', headers: sponsorHeaders, body });
  return toAnswer(await collect(toRequest(req, '/graphql')), sponsor);
}

function toRequest(req: IncomingMessage, path: string): Dispatcher.RequestOptions {
  const { 'content-type': type = '', 'content-length': length = '' } = req.headers;
  const headers = { 'content-type': type, 'content-length': length };
  const isSponsors = path.startsWith('/v1/');
  return { method: 'POST', path, headers: isSponsors ? { ...headers, ...sponsorHeaders } : headers, body: req };
}

function collect(request: Dispatcher.RequestOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const write = (chunk: Buffer, _encoding: string, next: () => void) => {
      chunks.push(chunk);
      next();
    };
    const toSink = () => new Writable({ write, autoDestroy: false });
    pool.stream(request, toSink, (error) => (error ? reject(error) : resolve(Buffer.concat(chunks))));
  });
}

function toAnswer(ledger: Buffer, sponsor: Buffer): Buffer {
  return Buffer.concat([Buffer.from('{"ledger":'), ledger, Buffer.from(',"sponsor":'), sponsor, Buffer.from('}')]);
}

function settle(res: ServerResponse, answer: Promise<Buffer>): void {
  answer.then(
    (body) => res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body),
    () => res.destroy(),
  );
}

announce(server);
