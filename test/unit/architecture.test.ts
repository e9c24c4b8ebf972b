import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type District, districts } from '../support/districts.ts';
import { readSourceFiles, type SourceFile, toSourceFile } from '../support/source-files.ts';

const installed = Object.keys(
  (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { dependencies: object })
    .dependencies,
);

const drawerNames = 'utils util helpers helper types common shared misc constants lib index base'.split(' ');
const maxLines = 400;

const files = readSourceFiles();
const written = files.filter(({ path }) => !path.includes('/generated/'));

/** The folder below `src`, or the name of a file that stands beside the folders. */
const districtOf = (path: string) => (path.split('/')[1] ?? path).replace(/\.ts$/, '');

const isBuiltin = (specifier: string) => specifier.startsWith('node:') || builtinModules.includes(specifier);

const covers = (entry: string, specifier: string) =>
  entry.endsWith('/*') ? specifier.startsWith(entry.slice(0, -1)) : specifier === entry;

/** Imports that the table does not allow, one line each. */
function findTrespasses(file: SourceFile): string[] {
  const name = districtOf(file.path);
  const district = districts[name];
  if (!district) return [`${file.path}: the table has no district ${name}`];
  return file.imports.flatMap(({ specifier, file: target }) => {
    if (target !== null) {
      const other = districtOf(target);
      const isAllowed = other === name || district.imports.includes(other);
      return isAllowed ? [] : [`${file.path}: ${name} may not import ${other} (${specifier})`];
    }
    const isAllowed = isBuiltin(specifier) || district.packages.some((entry) => covers(entry, specifier));
    return isAllowed ? [] : [`${file.path}: ${name} may not import the package ${specifier}`];
  });
}

/** Entries of the table that no file uses. */
function findUnused(table: Readonly<Record<string, District>>, among: readonly SourceFile[]): string[] {
  return Object.entries(table).flatMap(([name, { imports, packages }]) => {
    const used = among.filter(({ path }) => districtOf(path) === name).flatMap((file) => file.imports);
    return [
      ...imports.filter((other) => !used.some(({ file }) => file !== null && districtOf(file) === other)),
      ...packages.filter((entry) => !used.some(({ specifier }) => covers(entry, specifier))),
    ].map((entry) => `${name}: ${entry}`);
  });
}

/** Circles of imports, types included, each reported once. */
function findCycles(among: readonly SourceFile[]): string[] {
  const byPath = new Map(among.map((file) => [file.path, file]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
    if (trail.includes(path) || done.has(path)) return;
    for (const { file } of byPath.get(path)?.imports ?? []) if (file !== null) visit(file, [...trail, path]);
    done.add(path);
  };
  for (const { path } of among) visit(path, []);
  return cycles;
}

const offenders = (among: readonly SourceFile[], isOffence: (file: SourceFile) => boolean) =>
  among.filter(isOffence).map(({ path }) => path);

const imports = (file: SourceFile, pattern: RegExp) => file.imports.some(({ specifier }) => pattern.test(specifier));

/** Does the file hold a logger, or call one? */
function writesToLog({ path, code, imports: own }: SourceFile): boolean {
  if (/^src\/(telemetry|cli)\//.test(path)) return false;
  const holds = own.some(({ file }) => file === 'src/telemetry/logger.ts');
  // These create the logger, accept it from a program that embeds the gateway, and export it.
  const mayHold = ['src/cli.ts', 'src/start/start.ts', 'src/index.ts'].includes(path);
  return (holds && !mayHold) || /\b(?:logger|log)\??\.\s*\w+\(/i.test(code);
}

/**
 * Programs, and interfaces of the simulated network, that know nothing of each other: each names its things for itself.
 * Everything else is the gateway.
 */
const programs = [
  'src/client/',
  'src/graphiql/',
  'src/devnet/graphql/',
  'src/devnet/rpc/',
  'src/devnet/sponsor/',
  'src/devnet/',
];
/** They give programs that embed the gateway a type without packages, under the gateway's own name for it. */
const publicFiles = ['src/index.ts', 'src/start/embedding.ts'];

/** Names that two files of one program declare and export, and file names that it has twice. One line each. */
function findNamesakes(among: readonly SourceFile[]): string[] {
  const pathsByName = new Map<string, string[]>();
  const declaration =
    /^export (?:declare )?(?:abstract )?(?:async )?(?:class|const|enum|function\*?|interface|let|type) (?<name>\w+)/gm;
  for (const { path, code } of among) {
    if (publicFiles.includes(path)) continue;
    const program = programs.find((folder) => path.startsWith(folder)) ?? 'src/';
    const names = new Set([...code.matchAll(declaration)].map(({ groups }) => groups?.name ?? ''));
    for (const name of [basename(path), ...names]) {
      const key = `${name} of ${program}`;
      pathsByName.set(key, [...(pathsByName.get(key) ?? []), path]);
    }
  }
  return [...pathsByName].filter(([, paths]) => paths.length > 1).map(([key, paths]) => `${key}: ${paths.join(', ')}`);
}

describe('districts', () => {
  test('import only what the table allows', () => {
    expect(files.flatMap(findTrespasses)).toEqual([]);
  });

  test('import only districts above them in the table, so that no folders import each other in a circle', () => {
    const order = Object.keys(districts);
    const downward = order.flatMap((name) =>
      (districts[name]?.imports ?? [])
        .filter((other) => !(order.indexOf(other) < order.indexOf(name)))
        .map((other) => `${name} → ${other}`),
    );
    expect(downward).toEqual([]);
  });

  test('use every entry of the table', () => {
    expect(findUnused(districts, files)).toEqual([]);
  });

  test('import only packages that are installed', () => {
    // The build puts the page's packages into its files.
    const { graphiql: _page, ...onServer } = districts;
    const listed = new Set(Object.values(onServer).flatMap(({ packages }) => packages));
    const isInstalled = (entry: string) =>
      installed.some((name) => name === entry.replace(/\/\*$/, '') || covers(entry, name));
    expect([...listed].filter((entry) => !isInstalled(entry))).toEqual([]);
  });

  test('contain no circle of files, types included', () => {
    expect(findCycles(files)).toEqual([]);
  });

  test('keep Yoga in src/server/yoga.ts', () => {
    const isElsewhere = (file: SourceFile) => imports(file, /^@?graphql-yoga/) && file.path !== 'src/server/yoga.ts';
    expect(offenders(files, isElsewhere)).toEqual([]);
  });

  test('make errors about an upstream in the district of that upstream', () => {
    const isHome = ({ path }: SourceFile) => /^src\/(sponsor|events|ledger|callers)\//.test(path);
    const names = ({ code }: SourceFile) => /upstream: '(?!ledger')/.test(code);
    expect(offenders(files, (file) => names(file) && !isHome(file))).toEqual([]);
  });

  test('open HTTP listeners of Node only in the server and the devnet', () => {
    const isHome = ({ path }: SourceFile) => /^src\/(server|devnet)\//.test(path);
    const listens = (file: SourceFile) =>
      file.imports.some(({ specifier, isTypeOnly }) => /^(node:)?(http|https|http2)$/.test(specifier) && !isTypeOnly);
    expect(offenders(files, (file) => listens(file) && !isHome(file))).toEqual([]);
  });

  test('name networks in their profiles, and in the schemas that the simulated network imitates', () => {
    const isName = /(?<![a-z])(?:iotax?|suix?)(?![a-z])/i;
    const isHome = (path: string) =>
      path.startsWith('src/config/network') || path === 'src/devnet/graphql/network-names.ts';
    const named = written.filter(({ path, code }) => !isHome(path) && isName.test(code));
    expect(named.map(({ path }) => path)).toEqual([]);
  });

  test('leave the process to cli.ts, but for the metrics of its memory and CPU time', () => {
    const touches = ({ code }: SourceFile) =>
      /(?<![\w.])process\s*(?:\.(?!nextTick\()|\[)|globalThis\.process|['"](node:)?process['"]/.test(code);
    expect(
      offenders(files, (file) => touches(file) && !['src/cli.ts', 'src/telemetry/metrics.ts'].includes(file.path)),
    ).toEqual([]);
  });

  test('leave the log to telemetry and the command line', () => {
    expect(offenders(files, writesToLog)).toEqual([]);
  });
});

describe('files', () => {
  test(`have at most ${maxLines} lines`, () => {
    const sizes = written.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }));
    expect(sizes.filter(({ lines }) => lines > maxLines)).toEqual([]);
  });

  test('are named after what they hold, not after drawers', () => {
    const isDrawer = ({ path }: SourceFile) => drawerNames.includes(basename(path, '.ts')) && path !== 'src/index.ts';
    expect(offenders(written, isDrawer)).toEqual([]);
  });

  test('are named after the thing that they make, not after making it', () => {
    expect(offenders(written, ({ path }) => /^create-/.test(basename(path)))).toEqual([]);
  });

  test('have names of their own, as have the things that they export', () => {
    expect(findNamesakes(written)).toEqual([]);
  });

  test('have no default export', () => {
    expect(offenders(written, ({ code }) => /^\s*export\s+default\b|\bas\s+default\b/m.test(code))).toEqual([]);
  });

  test('import relative files by their whole name', () => {
    const isLoose = (file: SourceFile) =>
      file.imports.some((one) => one.file !== null && !/\.(ts|css)$/.test(one.file));
    expect(offenders(written, isLoose)).toEqual([]);
  });
});

describe('this test', () => {
  const trespass = (path: string, text: string) => findTrespasses(toSourceFile(path, text));

  test('finds imports of every form', () => {
    const text = [
      "import { a } from '../graph/stitch.ts';",
      "import {\n  b,\n  c,\n} from 'undici';",
      "export * from '../server/listener.ts';",
      "import '../start/start.ts';",
      "const d = await import('../cli.ts');",
      "import type { E } from '../devnet/faces.ts';",
    ].join('\n');
    expect(trespass('src/errors/x.ts', text)).toHaveLength(6);
  });

  test('ignores imports in comments and strings', () => {
    const text =
      "// import { a } from '../graph/a.ts';\n/*\nimport '../start.ts';\n*/\nconst url = 'http://x'; // y\nconst b = 1;\n";
    expect(trespass('src/errors/x.ts', text)).toEqual([]);
  });

  test('counts subfolders with their district', () => {
    expect(trespass('src/sponsor/store/x.ts', "import type { A } from '../../events/feed/a.ts';")).toEqual([
      'src/sponsor/store/x.ts: sponsor may not import events (../../events/feed/a.ts)',
    ]);
  });

  test('finds unused entries of the table', () => {
    const file = toSourceFile(
      'src/live/x.ts',
      "import type { A } from '../errors/a.ts';\nimport { b } from 'graphql';",
    );
    const unused = (others: string[], packages: string[] = []) =>
      findUnused({ live: { purpose: '', imports: others, packages } }, [file]);
    expect(unused(['errors'], ['graphql'])).toEqual([]);
    expect(unused(['errors', 'json'], ['graphql', '@graphql-tools/*'])).toEqual([
      'live: json',
      'live: @graphql-tools/*',
    ]);
  });

  test('finds log lines that are written elsewhere', () => {
    const holds = "import type { Logger } from '../telemetry/logger.ts';";
    expect(writesToLog(toSourceFile('src/server/x.ts', "options.logger.warn({}, 'x');"))).toBe(true);
    expect(writesToLog(toSourceFile('src/start/start.ts', "logger?.info('x');"))).toBe(true);
    expect(writesToLog(toSourceFile('src/server/x.ts', holds))).toBe(true);
    expect(writesToLog(toSourceFile('src/server/x.ts', 'telemetry.requestAnswered(record);'))).toBe(false);
    expect(writesToLog(toSourceFile('src/cli/x.ts', "logger.info('x');"))).toBe(false);
  });

  test('finds names that two files of one program have', () => {
    const text =
      '// export const a = 1;\nexport type B = 1;\nexport async function c() {}\nexport { d } from "./d.ts";\n';
    const twice = (...paths: string[]) => findNamesakes(paths.map((path) => toSourceFile(path, text)));
    expect(twice('src/json/x.ts', 'src/live/fleet/x.ts')).toEqual([
      'x.ts of src/: src/json/x.ts, src/live/fleet/x.ts',
      'B of src/: src/json/x.ts, src/live/fleet/x.ts',
      'c of src/: src/json/x.ts, src/live/fleet/x.ts',
    ]);
    expect(twice('src/json/x.ts', 'src/client/x.ts', 'src/devnet/rpc/x.ts', 'src/start/embedding.ts')).toEqual([]);
  });

  test('finds circles, those of types alone among them', () => {
    const circle = [
      toSourceFile('src/errors/a.ts', "import { b } from './b.ts';"),
      toSourceFile('src/errors/b.ts', "import { c } from './c.ts';"),
      toSourceFile('src/errors/c.ts', "import { a } from './a.ts';\nimport type { T } from './d.ts';"),
      toSourceFile('src/errors/d.ts', "import { c } from './c.ts';"),
    ];
    expect(findCycles(circle)).toEqual([
      'src/errors/a.ts → src/errors/b.ts → src/errors/c.ts → src/errors/a.ts',
      'src/errors/c.ts → src/errors/d.ts → src/errors/c.ts',
    ]);
  });
});
