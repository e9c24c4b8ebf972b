import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { DevnetFace } from '../faces.ts';

/** Faces by where they are mounted: `/` or a path without a slash at its end. */
export type Mounts = Readonly<Record<string, DevnetFace>>;

export interface MountedFaces {
  handle(req: IncomingMessage, res: ServerResponse): void;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Hands each request to the face its path belongs to, the path made relative to it. Other paths are 404. */
export function mountFaces(mounts: Mounts): MountedFaces {
  const prefixes = Object.keys(mounts).sort((left, right) => right.length - left.length);

  const route = (req: IncomingMessage): DevnetFace | undefined => {
    const url = req.url ?? '/';
    for (const prefix of prefixes) {
      const relative = toRelative(url, prefix);
      if (relative === undefined) continue;
      req.url = relative;
      return mounts[prefix];
    }
    return undefined;
  };

  return {
    handle(req, res) {
      const face = route(req);
      if (!face) return refuse(res, 404, 'Not found');
      Promise.resolve()
        .then(() => face.handle(req, res))
        .catch(() => refuse(res, 500, 'Internal error'));
    },
    upgrade(req, socket, head) {
      const face = route(req);
      if (face?.upgrade) return face.upgrade(req, socket, head);
      socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    },
  };
}

/** `/rpc/a?b` below `/rpc` → `/a?b`; `undefined` when it is not below. */
function toRelative(url: string, prefix: string): string | undefined {
  if (prefix === '/') return url;
  if (!url.startsWith(prefix)) return undefined;
  const rest = url.slice(prefix.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : undefined;
}

function refuse(res: ServerResponse, status: number, text: string): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  res.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(text) });
  res.end(text);
}
