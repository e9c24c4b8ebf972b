import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { chooseEncoding } from '../http/media-types.ts';

export interface GraphiqlPage {
  send(req: IncomingMessage, res: ServerResponse): Promise<void>;
}

/**
 * The page holds its scripts, styles and workers inline; nothing may be fetched from anywhere but here, and no script runs
 * but its own. Its editor makes styles and workers as it goes.
 * @param scripts hashes of the scripts in the page
 */
const securityPolicy = (scripts: readonly string[]) =>
  [
    "default-src 'none'",
    `script-src ${scripts.join(' ')} blob:`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    'worker-src blob:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** A fifth of the bytes for a third of a second, once; the best level takes half a minute for a tenth less. */
const brotliQuality = 5;

interface MadePage {
  readonly plain: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
  readonly etag: string;
  readonly policy: string;
}

/**
 * Serves the GraphiQL page. It is 9 MB of text: rendered and compressed when first asked for, then kept. Browsers keep it
 * too, and ask with its hash whether it is still the same.
 * @param render makes the HTML; called at most once
 */
export function createGraphiqlPage(render: () => Promise<string>): GraphiqlPage {
  let made: Promise<MadePage> | undefined;
  return {
    async send(req, res) {
      made ??= render().then(makePage);
      const page = await made;
      const headers = {
        'content-security-policy': page.policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'private, no-cache',
        etag: page.etag,
      };
      if (isKnown(req.headers['if-none-match'], page.etag)) {
        res.writeHead(304, headers).end();
        return;
      }
      const encoding = chooseEncoding(String(req.headers['accept-encoding'] ?? ''));
      const body = page[encoding ?? 'plain'];
      res.writeHead(200, {
        ...headers,
        'content-type': 'text/html; charset=utf-8',
        'content-length': body.length,
        ...(encoding && { 'content-encoding': encoding }),
      });
      res.end(body);
    },
  };
}

async function makePage(html: string): Promise<MadePage> {
  const plain = Buffer.from(html);
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(plain, {
      params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length },
    }),
    promisify(gzip)(plain),
  ]);
  const scripts = [...html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  // Weak: it is the same page however it is compressed.
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`;
  return { plain, br, gzip: gzipped, etag, policy: securityPolicy(scripts) };
}

function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const bare = etag.slice(2);
  return header.split(',', 32).some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === bare);
}
