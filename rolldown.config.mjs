import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const sources = new URL('src/', import.meta.url).pathname;

/** Writes the licences of the packages in a bundle, which demand that copies contain them. */
const licences = {
  name: 'licences',
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
    const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replace(/^\0/, '')) ?? []);
    const texts = [...new Set(folders)].sort().map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      return `${name} ${version}: ${license}\n\n${file ? readFileSync(`${folder}/${file}`, 'utf8').trim() : ''}`;
    });
    this.emitFile({ type: 'asset', fileName: 'licences.txt', source: `${texts.join('\n\n---\n\n')}\n` });
  },
};

/**
 * Puts the command line, the library and the packages that they use into a few files. Node needs about 1 ms to find and
 * compile a module, and the start would load 1,300 of them. Programs that import the library get the versions that were tested.
 */
const program = {
  input: { cli: 'src/cli.ts', index: 'src/index.ts', 'devnet/devnet-thread': 'src/devnet/devnet-thread.ts' },
  platform: 'node',
  // In development graphql-js compares names of classes at each check of a type, to find a second copy of itself.
  transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  // Some packages import `graphql` and some require it. Two copies would break `instanceof GraphQLError`.
  resolve: { alias: { graphql: new URL('node_modules/graphql/index.mjs', import.meta.url).pathname } },
  plugins: [
    licences,
    {
      // All of undici would take longer to start than the rest of the program's packages.
      name: 'parts-of-undici',
      resolveId: (id) => (id === 'undici' ? `\0${id}` : null),
      load: (id) =>
        id === '\0undici'
          ? "export { default as Pool } from 'undici/lib/dispatcher/pool.js'; export { default as buildConnector } from 'undici/lib/core/connect.js';"
          : null,
    },
    {
      name: 'keep-file-urls',
      transform: (code, id) =>
        id.startsWith(sources) && code.includes('import.meta.url')
          ? code.replaceAll(
              'import.meta.url',
              `new URL('DIST/${relative(sources, id).replace(/\.ts$/, '.js')}', import.meta.url).href`,
            )
          : null,
      renderChunk: (code, { fileName }) => code.replaceAll('"DIST/', fileName.includes('/') ? '"../' : '"./'),
    },
  ],
  output: { dir: 'dist', chunkFileNames: 'program/[name].js' },
};

let styles = '';

/** The GraphiQL page with its editor, for browsers. `src/graphiql/editor.ts` replaces the whole of Monaco, which is twice as large. */
const graphiql = {
  input: {
    page: 'src/graphiql/page.ts',
    editor: 'monaco-editor/esm/vs/editor/editor.worker.js',
    json: 'monaco-editor/esm/vs/language/json/json.worker.js',
    graphql: 'monaco-graphql/esm/graphql.worker.js',
  },
  platform: 'browser',
  checks: { moduleLevelDirective: false },
  transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  plugins: [
    licences,
    {
      name: 'small-editor',
      load: {
        filter: { id: /monaco-graphql\/esm\/monaco-editor\.js$/ },
        handler: () => `export * from ${JSON.stringify(`${sources}graphiql/editor.ts`)};`,
      },
    },
    {
      name: 'omitted',
      load: {
        filter: {
          id: /\/(?:diffEditorWidget|multiDiffEditorWidget|minimap|standaloneQuickInputService|framer-motion\/dist\/es\/index)\.m?js$/,
        },
        handler: () => `export * from ${JSON.stringify(`${sources}graphiql/omitted.ts`)};`,
      },
    },
    {
      name: 'few-entities',
      // Names all 2,200 entities of HTML, in 40 KB. Descriptions in a schema use those of XML at most.
      load: {
        filter: { id: /\/entities\/.*\/decode-data-html\.js$/ },
        handler: () => "export { xmlDecodeTree as htmlDecodeTree } from './decode-data-xml.js';",
      },
    },
    {
      name: 'one-style-sheet',
      load: {
        filter: { id: /\.css$/ },
        handler(id) {
          styles += readFileSync(id, 'utf8');
          return { code: '', moduleType: 'js' };
        },
      },
      generateBundle() {
        const icons = readFileSync('node_modules/monaco-editor/esm/vs/base/browser/ui/codicons/codicon/codicon.ttf');
        this.emitFile({ type: 'asset', fileName: 'codicon.ttf', source: icons });
        this.emitFile({ type: 'asset', fileName: 'page.css', source: styles });
      },
    },
  ],
  output: { dir: 'dist/graphiql', chunkFileNames: '[name].js', minify: true },
};

export default [program, graphiql];
