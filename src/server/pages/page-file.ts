import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { isKnownTag } from '../../ledger/immutable/answer-notes.ts';
import { chooseEncoding } from '../headers/media-types.ts';

/** A file for browsers, in every form in which it is sent. */
export interface PageFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
  /** Weak: it is the same file however it is compressed. */
  readonly etag: string;
  /** Changes with the content; fit for a path. */
  readonly hash: string;
}

/** A fifth of the bytes for a third of a second, once; the best level takes half a minute for a tenth less. */
const brotliQuality = 5;

export async function makePageFile(text: string, type: string): Promise<PageFile> {
  const plain = Buffer.from(text);
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(plain, {
      params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length },
    }),
    promisify(gzip)(plain),
  ]);
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 20);
  return { type: `${type}; charset=utf-8`, plain, br, gzip: gzipped, etag: `W/"${hash}"`, hash };
}

/** Sends the file, or status 304 if the browser has it already. A HEAD request gets only the headers. */
export function sendPageFile(
  req: IncomingMessage,
  res: ServerResponse,
  file: PageFile,
  headers: Readonly<Record<string, string>>,
): void {
  const all = { ...headers, 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer', etag: file.etag };
  if (isKnownTag(req.headers['if-none-match'], file.etag)) {
    res.writeHead(304, all).end();
    return;
  }
  const encoding = chooseEncoding(String(req.headers['accept-encoding'] ?? ''));
  const body = file[encoding ?? 'plain'];
  res.writeHead(200, {
    ...all,
    'content-type': file.type,
    'content-length': body.length,
    ...(encoding && { 'content-encoding': encoding }),
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}
