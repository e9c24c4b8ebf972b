import type { Pool } from 'undici';
import { WebSocket } from 'ws';
import { post } from './drive.ts';
import type { Transport, WorkRequest } from './work.ts';

/** @param onEnd told the status, 0 where there was no answer, and the body, or what went wrong */
export type Exchange = (request: WorkRequest, onEnd: (status: number, chunks: readonly Buffer[]) => void) => void;

/** @param inFlight most requests at the same time */
export async function openTransport(
  pool: Pool,
  url: string,
  transport: Transport,
  inFlight: number,
): Promise<Exchange> {
  if (transport === 'WebSocket') return openSockets(`${url}/graphql`.replace('http', 'ws'), inFlight);
  const toSent = transport === 'GET' ? toGetRequest : (request: WorkRequest) => request;
  return (request, onEnd) => post(pool, toSent(request), onEnd);
}

/** The same operation in the query of an address. */
export function toGetRequest({ path, headers, body }: WorkRequest): WorkRequest {
  const { query, variables, extensions } = JSON.parse(body ?? '');
  const parameters = new URLSearchParams({
    query,
    ...(variables !== undefined && { variables: JSON.stringify(variables) }),
    ...(extensions !== undefined && { extensions: JSON.stringify(extensions) }),
  });
  const { 'content-type': _, ...rest } = headers as Record<string, string>;
  return { path: `${path}?${parameters}`, headers: rest, body: null };
}

/** One operation at a time on each of so many connections of graphql-transport-ws. */
async function openSockets(url: string, count: number): Promise<Exchange> {
  const idle = await Promise.all(Array.from({ length: count }, () => openSocket(url)));
  return (request, onEnd) => {
    const ask = idle.pop();
    if (!ask) return onEnd(0, [Buffer.from('more requests in flight than sockets')]);
    ask(request, (status, chunks) => {
      idle.push(ask);
      onEnd(status, chunks);
    });
  };
}

function openSocket(url: string): Promise<Exchange> {
  const socket = new WebSocket(url, 'graphql-transport-ws', { perMessageDeflate: false });
  let id = 0;
  let result: string | null = null;
  let onEnd: Parameters<Exchange>[1] = () => {};
  const end = (status: number, text: string) => {
    const told = onEnd;
    onEnd = () => {};
    result = null;
    told(status, [Buffer.from(text)]);
  };
  return new Promise((resolve, reject) => {
    socket.once('open', () => socket.send('{"type":"connection_init"}'));
    socket.once('error', reject);
    socket.on('close', (code, reason) => end(0, `the socket was closed: ${code} ${reason}`));
    socket.on('message', (data: Buffer) => {
      const frame = data.toString();
      const isOf = (type: string) => frame.includes(`"type":"${type}"`);
      if (result === null && isOf('next')) result = toPayload(frame);
      else if (isOf('complete')) end(200, result ?? 'complete without a result');
      else if (isOf('ping')) socket.send('{"type":"pong"}');
      else if (isOf('connection_ack'))
        resolve(({ body }, told) => {
          onEnd = told;
          id += 1;
          socket.send(`{"id":"${id}","type":"subscribe","payload":${body}}`);
        });
      else end(0, frame);
    });
  });
}

/** Without parsing all of it: the payload comes last in a frame, and where it does not, it is no JSON and a fault. */
export function toPayload(frame: string): string {
  const key = '"payload":';
  return frame.slice(frame.indexOf(key) + key.length, -1);
}
