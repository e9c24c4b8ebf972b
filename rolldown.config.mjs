import { relative } from 'node:path';

const sources = new URL('src/', import.meta.url).pathname;

/**
 * Puts the command line and the packages that it uses into a few files. Node needs about 1 ms to find and compile a module,
 * and the start would load 1,300 of them. `dist/index.js`, which other programs import, stays as separate modules.
 */
export default {
  input: { cli: 'src/cli.ts', 'devnet/devnet-thread': 'src/devnet/devnet-thread.ts' },
  platform: 'node',
  // 9 MB of text that the first request for GraphiQL loads.
  external: ['@graphql-yoga/render-graphiql/graphiql'],
  // In development graphql-js compares names of classes at each check of a type, to find a second copy of itself.
  transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  // Some packages import `graphql` and some require it. Two copies would break `instanceof GraphQLError`.
  resolve: { alias: { graphql: new URL('node_modules/graphql/index.mjs', import.meta.url).pathname } },
  plugins: [
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
