import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export interface GraphiqlPage {
  send(req: IncomingMessage, res: ServerResponse): Promise<void>;
}

/** The page holds its scripts, styles and workers inline; nothing may be fetched from anywhere but here. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval' blob:",
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  'worker-src blob:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Serves the GraphiQL page. It is 9 MB of text: rendered and compressed when first asked for, then kept.
 * @param render makes the HTML; called at most once
 */
export function createGraphiqlPage(render: () => Promise<string>): GraphiqlPage {
  let made: Promise<{ readonly plain: Buffer; readonly compressed: Buffer }> | undefined;
  const make = async () => {
    const plain = Buffer.from(await render());
    return { plain, compressed: await promisify(gzip)(plain) };
  };
  return {
    async send(req, res) {
      made ??= make();
      const { plain, compressed } = await made;
      const gzipped = /\bgzip\b/.test(String(req.headers['accept-encoding'] ?? ''));
      const body = gzipped ? compressed : plain;
      const vary = [res.getHeader('vary'), 'accept', 'accept-encoding'].filter(Boolean).join(', ');
      res.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-length': body.length,
        'content-security-policy': contentSecurityPolicy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
        vary,
        ...(gzipped ? { 'content-encoding': 'gzip' } : {}),
      });
      res.end(body);
    },
  };
}
