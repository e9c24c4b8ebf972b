import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type GraphQLSchema, introspectionFromSchema, printSchema } from 'graphql';
import { isKnownTag } from '../../ledger/immutable/answer-notes.ts';
import { chooseEncoding } from '../request-head.ts';
import { type DocsFile, readDocs } from './docs-files.ts';
import { faviconLink } from './favicon.ts';
import { type ExampleSources, exampleTabs } from './graphiql-tabs.ts';

export type GraphiqlPage = ReturnType<typeof createGraphiqlPage>;

/** The page must not fetch from other hosts. The editor needs inline styles, and images as `data:` URLs. */
const securityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  'img-src data:',
  "font-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The path prefix of all files of the page. */
const assetsPath = '/graphiql/';
const schemaPath = `${assetsPath}schema-`;
/** The schema in force in SDL, if introspection is on. */
export const sdlPath = `${assetsPath}schema.graphql`;
/** The path prefix of the documentation. */
export const docsPath = `${assetsPath}docs/`;

const revalidated = { 'cache-control': 'private, no-cache' };
const kept = { 'cache-control': 'public, max-age=31536000, immutable' };

interface GraphiqlPageOptions {
  /** The schema in force. The page shows only examples that the schema supports. */
  readonly schema: () => GraphQLSchema;
  /** May every visitor see the schema? */
  readonly introspection: boolean;
  /** The request header that asks for `extensions.usage`, and the limits in force by the name of the usage that they limit. */
  readonly usage: () => { readonly usageHeader: string; readonly limits: Readonly<Record<string, number>> };
  readonly sources: () => ExampleSources;
}

/** The page for one schema, and the file with that schema; `null` if introspection is off. */
interface SchemaPage {
  readonly page: PageFile;
  readonly introspection: { readonly path: string; readonly file: PageFile } | null;
}

/**
 * Serves GraphiQL: a page of a few kilobytes, which browsers revalidate each time, and large files, which browsers cache. Each
 * file is compressed on its first request.
 */
export function createGraphiqlPage({ schema, introspection, usage, sources }: GraphiqlPageOptions) {
  let loading: ReturnType<typeof loadGraphiqlAssets> | undefined;
  const assets = () => {
    loading ??= loadGraphiqlAssets().catch((error: unknown) => {
      // The next request reads again: too many files may have been open.
      loading = undefined;
      throw error;
    });
    return loading;
  };
  let current: { readonly of: GraphQLSchema; readonly made: Promise<SchemaPage> } | undefined;
  /** A page sent just before a schema change still requests the old schema. */
  let previous: Promise<SchemaPage> | undefined;

  const make = async (of: GraphQLSchema): Promise<SchemaPage> => {
    const { home } = await assets();
    const file = introspection ? createPageFile(toIntrospection(of), 'application/json') : null;
    const shown = file && { path: `${schemaPath}${file.hash}.json`, file };
    // Both steps block the event loop: let other requests run in between.
    await pause();
    const page = createPageFile(
      toHtml(home, { tabs: exampleTabs(of, sources()), introspection: shown?.path ?? null, ...usage() }),
      'text/html',
    );
    return { page, introspection: shown };
  };

  const currentPage = (): Promise<SchemaPage> => {
    const of = schema();
    if (current?.of === of) return current.made;
    previous = current?.made;
    const made = make(of).catch((error: unknown) => {
      if (current?.of === of) current = undefined;
      throw error;
    });
    current = { of, made };
    return made;
  };

  /** Another process may have sent the page, so create the file here if it is missing. */
  const findSchema = async (path: string): Promise<PageFile | undefined> => {
    if (!introspection || !path.startsWith(schemaPath)) return undefined;
    for (const made of [currentPage(), previous]) {
      const kept = (await made)?.introspection;
      if (kept?.path === path) return kept.file;
    }
    return undefined;
  };

  const sdl = makeOnce((of: GraphQLSchema) => createPageFile(printSchema(of), 'text/plain'));
  const docsFile = makeOnce(({ text }: DocsFile) => createPageFile(text, 'text/plain'));

  /** A text that changes with the schema or the program, at a path that does not. */
  const findText = async (path: string): Promise<PageFile | undefined> => {
    if (path === sdlPath) return introspection ? sdl(schema()) : undefined;
    const found = (await readDocs()).find(({ name }) => docsPath + name === path);
    return found && docsFile(found);
  };

  return {
    assetsPath,
    async send(req: IncomingMessage, res: ServerResponse): Promise<void> {
      const { page } = await currentPage();
      await sendPageFile(req, res, page, { 'content-security-policy': securityPolicy, ...revalidated });
    },
    /**
     * Sends one of the page's files.
     * @returns `false` if there is none at this path
     */
    async sendAsset(path: string, req: IncomingMessage, res: ServerResponse): Promise<boolean> {
      const text = await findText(path);
      const file = text ?? (await assets()).files.get(path) ?? (await findSchema(path));
      if (file) await sendPageFile(req, res, file, text ? revalidated : kept);
      return file !== undefined;
    },
  };
}

/** The response to GraphiQL's introspection query. */
function toIntrospection(schema: GraphQLSchema): string {
  const options = {
    descriptions: true,
    inputValueDeprecation: true,
    specifiedByUrl: true,
    directiveIsRepeatable: true,
  };
  return JSON.stringify({ data: introspectionFromSchema(schema, { ...options, schemaDescription: true }) });
}

function toHtml(home: string, options: object): string {
  // `<` could close the element that contains the text.
  const text = JSON.stringify(options).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>GraphiQL · ledger-gateway</title>
    ${faviconLink}
    <link rel="stylesheet" href="${home}page.css" />
    <script id="options" type="application/json">${text}</script>
    <script type="module" src="${home}page.js"></script>
  </head>
  <body>
    <noscript>GraphiQL needs JavaScript.</noscript>
    <div id="root">Loading GraphiQL…</div>
  </body>
</html>
`;
}

const assetTypes: Readonly<Record<string, string>> = { css: 'text/css', js: 'text/javascript', ttf: 'font/ttf' };

/**
 * Reads GraphiQL, as built from `src/graphiql`: 4 MB of text. Call once, when the page is first requested.
 * @returns the files by path, which contains a hash of all, so browsers may cache them forever; and the path that all have in
 * common
 */
async function loadGraphiqlAssets() {
  const folder = new URL('../../../dist/graphiql/', import.meta.url);
  const names = (await readdir(folder)).sort();
  const contents = await Promise.all(names.map((name) => readFile(new URL(name, folder))));
  const files = contents.map((content, index) => {
    const extension = names[index]?.split('.').at(-1) ?? '';
    return createPageFile(content, assetTypes[extension] ?? 'application/octet-stream');
  });
  const home = `${assetsPath}${hashOf(files.map(({ hash }) => hash).join())}/`;
  return { home, files: new Map(files.map((file, index) => [`${home}${names[index]}`, file])) };
}

interface PageFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly encode: (encoding: 'br' | 'gzip') => Promise<Buffer>;
  /** Weak, because all encodings share it. */
  readonly etag: string;
  /** Changes with the content; safe in a path. */
  readonly hash: string;
}

/** This level compresses to a quarter in 0.4 s; the best level takes 9 s to save another 8 %. */
const brotliQuality = 9;

function createPageFile(content: string | Buffer, type: string): PageFile {
  const plain = Buffer.from(content);
  const compress = {
    br: () =>
      promisify(brotliCompress)(plain, {
        params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length },
      }),
    gzip: () => promisify(gzip)(plain),
  };
  const encoded: { br?: Promise<Buffer>; gzip?: Promise<Buffer> } = {};
  const hash = hashOf(plain);
  return {
    type: type.startsWith('font/') ? type : `${type}; charset=utf-8`,
    plain,
    encode: (encoding) => (encoded[encoding] ??= compress[encoding]()),
    etag: `W/"${hash}"`,
    hash,
  };
}

function makeOnce<From extends object, To>(make: (from: From) => To): (from: From) => To {
  const made = new WeakMap<From, To>();
  return (from) => {
    const kept = made.get(from) ?? make(from);
    made.set(from, kept);
    return kept;
  };
}

/** Safe in a path. */
const hashOf = (content: string | Buffer) => createHash('sha256').update(content).digest('base64url').slice(0, 20);

/** Sends the file, or 304 if the browser has it. A HEAD request gets only the headers. */
async function sendPageFile(
  req: IncomingMessage,
  res: ServerResponse,
  file: PageFile,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  res.appendHeader('vary', 'accept-encoding');
  const all = { ...headers, 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer', etag: file.etag };
  if (isKnownTag(req.headers['if-none-match'], file.etag)) {
    res.writeHead(304, all).end();
    return;
  }
  const encoding = chooseEncoding(String(req.headers['accept-encoding'] ?? ''));
  const body = encoding ? await file.encode(encoding) : file.plain;
  res.writeHead(200, {
    ...all,
    'content-type': file.type,
    'content-length': body.length,
    ...(encoding && { 'content-encoding': encoding }),
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}
