// Packs what the build made into two archives: `ledger-gateway`, which contains all packages that it uses, and
// `ledger-gateway-client`, the client alone. They are written to release/, or to the folder that the first argument names.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const [target = 'release'] = process.argv.slice(2);
const { name, version, keywords, license, type, engines, bin, exports, files } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);

const built = readdirSync('dist', { recursive: true }).map((path) => `dist/${path}`);
const client = built.filter((path) => /^dist\/client\/.*\.js$/.test(path));

/** Declarations that a file needs, itself included. */
function declarationsOf(path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, specifier] of readFileSync(path, 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g))
    declarationsOf(join(dirname(path), specifier.replace(/\.[tj]s$/, '.d.ts')), found);
  return found;
}

function pack(manifest, paths) {
  const folder = join(target, manifest.name);
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(path, join(folder, path), { recursive: true });
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const options = ['--ignore-scripts', '--json', '--pack-destination', '..'];
  const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', ...options], { cwd: folder, encoding: 'utf8' }));
  process.stdout.write(`${join(target, filename)}\n`);
}

const facts = { version, keywords, license, type, engines, sideEffects: false };
const typesOf = (entries) => entries.flatMap(({ types }) => (types ? [...declarationsOf(types.slice(2))] : []));
const clientEntries = Object.entries(exports).filter(([path]) => path.startsWith('./client'));

rmSync(target, { recursive: true, force: true });
pack(
  {
    name,
    description: 'One GraphQL endpoint over a ledger, its gas sponsor and its events.',
    ...facts,
    bin,
    main: exports['.'].default,
    types: exports['.'].types,
    exports,
  },
  new Set([
    ...files.filter((path) => path !== 'dist' && !path.startsWith('!')),
    'README.md',
    'LICENSE',
    'dist/cli.js',
    'dist/index.js',
    'dist/licences.txt',
    'dist/graphiql',
    'dist/program',
    'dist/devnet/devnet-thread.js',
    ...built.filter((path) => path.endsWith('.lua')),
    ...client,
    ...typesOf(Object.values(exports)),
  ]),
);
pack(
  {
    name: `${name}-client`,
    description: 'The client of ledger-gateway for browsers and Node: sponsored transactions, live events, pages.',
    ...facts,
    exports: Object.fromEntries(clientEntries.map(([path, entry]) => [path.replace('./client', '.'), entry])),
  },
  new Set(['LICENSE', ...client, ...typesOf(clientEntries.map(([, entry]) => entry))]),
);
