import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type GraphQLSchema, introspectionFromSchema } from 'graphql';
import { isKnownTag } from '../../ledger/immutable/answer-notes.ts';
import { chooseEncoding } from '../request-head.ts';
import { type ExampleTab, exampleTabs } from './graphiql-tabs.ts';

export type GraphiqlPage = ReturnType<typeof createGraphiqlPage>;

/** The page must not fetch from other hosts. The editor needs inline styles, and icons as `data:` URLs. */
const securityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  'img-src data:',
  "font-src 'self' data:",
  "worker-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The path prefix of all files of the page. */
const assetsPath = '/graphiql/';
/** Path prefix of files with a schema. */
const schemaPath = `${assetsPath}schema-`;

interface GraphiqlPageOptions {
  /** The schema in force. The page shows only examples that the schema supports. */
  readonly schema: () => GraphQLSchema;
  /** May every visitor see the schema? */
  readonly introspection: boolean;
}

/** The page for one schema, and the file with that schema; `null` if introspection is off. */
interface SchemaPage {
  readonly of: GraphQLSchema;
  readonly page: PageFile;
  readonly introspection: { readonly path: string; readonly file: PageFile } | null;
}

/**
 * Serves GraphiQL: a page of a few kilobytes, which browsers revalidate each time, and large files, which browsers cache. The
 * files are loaded and compressed on the first request.
 */
export function createGraphiqlPage({ schema, introspection }: GraphiqlPageOptions) {
  let loading: Promise<GraphiqlAssets> | undefined;
  const assets = () => {
    loading ??= loadGraphiqlAssets();
    return loading;
  };
  let current: { readonly of: GraphQLSchema; readonly made: Promise<SchemaPage> } | undefined;
  /** A page sent just before a schema change still requests the old schema. */
  let previous: Promise<SchemaPage> | undefined;

  const make = async (of: GraphQLSchema): Promise<SchemaPage> => {
    const { paths } = await assets();
    const file = introspection ? await makePageFile(toIntrospection(of), 'application/json') : null;
    const shown = file && { path: `${schemaPath}${file.hash}.json`, file };
    // Both steps block the event loop: let other requests run in between.
    await pause();
    const page = await makePageFile(toHtml(paths, exampleTabs(of), shown?.path ?? null), 'text/html');
    return { of, page, introspection: shown };
  };

  const currentPage = (): Promise<SchemaPage> => {
    const of = schema();
    if (current?.of === of) return current.made;
    previous = current?.made;
    const made = make(of);
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

  return {
    assetsPath,
    async send(req: IncomingMessage, res: ServerResponse): Promise<void> {
      const { page } = await currentPage();
      sendPageFile(req, res, page, { 'content-security-policy': securityPolicy, 'cache-control': 'private, no-cache' });
    },
    /**
     * Sends one of the page's files.
     * @returns `false` if there is none at this path
     */
    async sendAsset(path: string, req: IncomingMessage, res: ServerResponse): Promise<boolean> {
      const file = (await assets()).files.get(path) ?? (await findSchema(path));
      if (file) sendPageFile(req, res, file, { 'cache-control': 'public, max-age=31536000, immutable' });
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

function toHtml(
  { style, script, boot, workers }: GraphiqlPaths,
  tabs: readonly ExampleTab[],
  introspection: string | null,
): string {
  const graphiql = {
    title: 'ledger-gateway',
    endpoint: '/graphql',
    defaultTabs: tabs,
    inputValueDeprecation: true,
    credentials: 'same-origin',
  };
  // `<` could close the element that contains the text.
  const options = JSON.stringify({ workers, introspection, graphiql }).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>GraphiQL · ledger-gateway</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="${style}" />
    <script id="options" type="application/json">${options}</script>
    <script defer src="${script}"></script>
    <script defer src="${boot}"></script>
  </head>
  <body id="body" class="no-focus-outline">
    <noscript>GraphiQL needs JavaScript.</noscript>
    <div id="root"></div>
  </body>
</html>
`;
}

/** The parts of GraphiQL that stay the same while the process lives, with their paths. */
interface GraphiqlAssets {
  /** By path. A path contains a hash of its file, so browsers may cache the file forever. */
  readonly files: ReadonlyMap<string, PageFile>;
  readonly paths: GraphiqlPaths;
}

interface GraphiqlPaths {
  readonly style: string;
  readonly script: string;
  /** The script that starts GraphiQL after the other scripts have loaded. */
  readonly boot: string;
  /** Paths of the editor's workers, by the editor's names for them. */
  readonly workers: { readonly editorWorkerService: string; readonly json: string; readonly graphql: string };
}

/**
 * GraphiQL leaves an old offset on unfocused tabs: pressing such a tab moves it away from under the pointer, and the click is
 * lost. Without offsets the tabs do not move.
 */
const tabStyle = '.graphiql-tab { transform: none !important; }';

/** Loads GraphiQL, 9 MB of text, and compresses it. Call once, when the page is first requested. */
async function loadGraphiqlAssets(): Promise<GraphiqlAssets> {
  const { css, js, editorWorkerService, jsonWorker, graphqlWorker } = await import(
    '@graphql-yoga/render-graphiql/graphiql'
  );
  const files = new Map<string, PageFile>();
  const add = async (name: string, text: string, type: 'text/css' | 'text/javascript') => {
    const file = await makePageFile(text, type);
    const path = `${assetsPath}${name}-${file.hash}.${type === 'text/css' ? 'css' : 'js'}`;
    files.set(path, file);
    return path;
  };
  const addScript = (name: string, text: string) => add(name, text, 'text/javascript');
  const [style, script, boot, editor, json, graphql] = await Promise.all([
    add('style', `${css}\n${tabStyle}`, 'text/css'),
    addScript('graphiql', js),
    addScript('boot', graphiqlBoot),
    addScript('editor-worker', editorWorkerService),
    addScript('json-worker', jsonWorker),
    addScript('graphql-worker', graphqlWorker),
  ]);
  return { files, paths: { style, script, boot, workers: { editorWorkerService: editor, json, graphql } } };
}

/** A file for browsers, in every encoding in which it is sent. */
interface PageFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
  /** Weak, because all encodings share it. */
  readonly etag: string;
  /** Changes with the content; safe in a path. */
  readonly hash: string;
}

/** This level compresses to a fifth in 0.3 s; the best level takes 30 s to save another tenth. */
const brotliQuality = 5;

async function makePageFile(text: string, type: string): Promise<PageFile> {
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

/** Sends the file, or 304 if the browser has it. A HEAD request gets only the headers. */
function sendPageFile(
  req: IncomingMessage,
  res: ServerResponse,
  file: PageFile,
  headers: Readonly<Record<string, string>>,
): void {
  res.appendHeader('vary', 'accept-encoding');
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

/**
 * The script that begins GraphiQL in the browser. It reads `#options`, which the page has for it, and does what GraphiQL
 * itself does not:
 * - a second visit opens the tab that was open, and a reload the tab of the query in the address, with its own variables.
 *   GraphiQL looks for a tab whose query, variables and headers are what it kept last, and adds an empty tab otherwise;
 * - the variables of an example tab that say `(from Reserve)` or `(from Sign)` are filled in from the answer to that step
 *   when the request is sent, so that the steps of a sponsored transaction run one after the other as they are;
 * - the schema comes from a file that the browser keeps as long as the schema stays the same, and from an answer where
 *   there is no such file or the schema is read again.
 */
const graphiqlBoot = `(() => {
  const { workers, introspection, graphiql } = JSON.parse(document.querySelector('#options').textContent);
  self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_module, label) => workers[label] };

  const parameters = new URL(location.href).searchParams;
  const query = parameters.get('query');
  try {
    const state = JSON.parse(localStorage.getItem('graphiql:tabState'));
    const found = query === null ? state.activeTabIndex : state.tabs.findIndex((tab) => tab.query === query);
    const tab = state.tabs[found];
    if (tab) {
      localStorage.setItem('graphiql:tabState', JSON.stringify({ ...state, activeTabIndex: found }));
      for (const part of ['query', 'variables', 'headers']) {
        if (tab[part]) localStorage.setItem('graphiql:' + part, tab[part]);
        else localStorage.removeItem('graphiql:' + part);
      }
    } else for (const part of ['query', 'variables']) localStorage.removeItem('graphiql:' + part);
  } catch {
    // Nothing readable was saved: GraphiQL begins with the example tabs.
  }
  const known = localStorage.getItem('graphiql:variables');
  const variables = parameters.get('variables') ?? known;
  if (variables) graphiql.variables = variables;

  const steps = { Reserve: 'reserveGas', Sign: 'devnetSignTransaction' };
  const answers = {};
  const fillIn = (name, value) => {
    const [, step] = /^\\(from (\\w+)\\)$/.exec(Array.isArray(value) ? value[0]?.objectId : value) ?? [];
    const answer = answers[step];
    if (!answer || !(name in answer)) return value;
    if (name !== 'gasCoins') return answer[name];
    return answer.gasCoins.map(({ objectId, version, digest }) => ({ objectId, version, digest }));
  };
  const send = self.fetch;
  let file = introspection;
  self.fetch = async (input, init) => {
    if (file && isIntrospection(init)) {
      const kept = await send(file);
      // The schema may have changed since, and a restarted gateway may not have the file.
      file = null;
      if (kept.ok) return kept;
    }
    if (typeof init?.body !== 'string' || !init.body.includes('"(from ')) return watch(await send(input, init));
    const body = JSON.parse(init.body);
    for (const [name, value] of Object.entries(body.variables ?? {})) body.variables[name] = fillIn(name, value);
    return watch(await send(input, { ...init, body: JSON.stringify(body) }));
  };
  const isIntrospection = ({ body, headers } = {}) => {
    try {
      // With custom headers the response may differ.
      return JSON.parse(body).operationName === 'IntrospectionQuery' && Object.keys(headers ?? {}).length <= 2;
    } catch {
      return false;
    }
  };
  const watch = (response) => {
    if (!/json/.test(response.headers.get('content-type') ?? '')) return response;
    response.clone().json().then(
      ({ data }) => {
        for (const [step, field] of Object.entries(steps)) if (data?.[field]) answers[step] = data[field];
      },
      () => {},
    );
    return response;
  };

  YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), graphiql);
})();
`;
