import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as pause } from 'node:timers/promises';
import { type GraphQLSchema, introspectionFromSchema } from 'graphql';
import { assetsPath, type GraphiqlAssets, type GraphiqlPaths, loadGraphiqlAssets } from './graphiql-assets.ts';
import { type ExampleTab, exampleTabs } from './graphiql-tabs.ts';
import { makePageFile, type PageFile, sendPageFile } from './page-file.ts';

export interface GraphiqlPage {
  /** The path below which all files of the page are. */
  readonly assetsPath: string;
  send(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Sends one of the files that the page is made of. Resolves with `false` when there is none at this path. */
  sendAsset(path: string, req: IncomingMessage, res: ServerResponse): Promise<boolean>;
}

/** The page may fetch nothing from other hosts. The editor needs inline styles, and icons as `data:` URLs. */
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

/** What the paths of files with a schema begin with. */
const schemaPath = `${assetsPath}schema-`;

export interface GraphiqlPageOptions {
  /** The schema in force. The page shows only examples that it can answer. */
  readonly schema: () => GraphQLSchema;
  /** May everybody see the schema? */
  readonly introspection: boolean;
}

/** The page for one schema, and the file with that schema; `null` where nobody may see it. */
interface SchemaPage {
  readonly of: GraphQLSchema;
  readonly page: PageFile;
  readonly introspection: { readonly path: string; readonly file: PageFile } | null;
}

/**
 * Serves GraphiQL: a page of a few kilobytes, which browsers check each time, and its large files, which they keep.
 * What it is made of is loaded and compressed when first asked for.
 */
export function createGraphiqlPage({ schema, introspection }: GraphiqlPageOptions): GraphiqlPage {
  let loading: Promise<GraphiqlAssets> | undefined;
  const assets = () => {
    loading ??= loadGraphiqlAssets();
    return loading;
  };
  let current: { readonly of: GraphQLSchema; readonly made: Promise<SchemaPage> } | undefined;
  /** A page that was sent just before the schema changed still asks for the old schema. */
  let previous: Promise<SchemaPage> | undefined;

  const make = async (of: GraphQLSchema): Promise<SchemaPage> => {
    const { paths } = await assets();
    const file = introspection ? await makePageFile(toIntrospection(of), 'application/json') : null;
    const shown = file && { path: `${schemaPath}${file.hash}.json`, file };
    // Both steps block the process for a while: let it serve others in between.
    await pause();
    const page = await makePageFile(toHtml(paths, exampleTabs(of), shown?.path ?? null), 'text/html');
    return { of, page, introspection: shown };
  };

  const madeOfNow = (): Promise<SchemaPage> => {
    const of = schema();
    if (current?.of === of) return current.made;
    previous = current?.made;
    const made = make(of);
    current = { of, made };
    return made;
  };

  /** Another process of this gateway may have sent the page, so the file is made here too if it was not yet. */
  const findSchema = async (path: string): Promise<PageFile | undefined> => {
    if (!introspection || !path.startsWith(schemaPath)) return undefined;
    for (const made of [madeOfNow(), previous]) {
      const kept = (await made)?.introspection;
      if (kept?.path === path) return kept.file;
    }
    return undefined;
  };

  return {
    assetsPath,
    async send(req, res) {
      const { page } = await madeOfNow();
      sendPageFile(req, res, page, { 'content-security-policy': securityPolicy, 'cache-control': 'private, no-cache' });
    },
    async sendAsset(path, req, res) {
      const file = (await assets()).files.get(path) ?? (await findSchema(path));
      if (file) sendPageFile(req, res, file, { 'cache-control': 'public, max-age=31536000, immutable' });
      return file !== undefined;
    },
  };
}

/** The answer to the introspection query that GraphiQL sends. */
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
  // `<` could end the element that holds it.
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
