// The least that node:http costs in front of an upstream: what the floor forwards, with a client on bare sockets behind it.
import { createServer, type IncomingMessage } from 'node:http';
import { createRawClient } from '../load/raw-client.ts';
import { announce } from './announce.ts';

const [, , url = ''] = process.argv;
const send = createRawClient(url);
const { host } = new URL(url);

const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    // The last piece leaves with the end of the answer, and a small answer together with its head.
    let last: Buffer | undefined;
    send(toBytes(req, chunks), {
      onHead: (status, type, length) =>
        res.writeHead(status, { 'content-type': type, ...(length !== null && { 'content-length': length }) }),
      onBody: (piece) => {
        if (last) res.write(last);
        last = piece;
      },
      onEnd: () => res.end(last),
      onError: () => res.destroy(),
    });
  });
});

function toBytes(req: IncomingMessage, chunks: readonly Buffer[]): Buffer {
  const { 'content-type': type = '', 'content-length': length = '' } = req.headers;
  // As with the floor, the client of the sponsor does not know its token.
  const token = req.url?.startsWith('/v1/') ? 'authorization: Bearer bench\r\n' : '';
  const head = `POST ${req.url} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n${token}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), ...chunks]);
}

announce(server);
