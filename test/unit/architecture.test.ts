import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { house, type Room } from '../support/house.ts';
import { readSourceFiles, type SourceFile, type SourceImport, toSourceFile } from '../support/source-files.ts';

const installed = Object.keys(
  (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { dependencies: object })
    .dependencies,
);

const drawerNames = [
  'utils',
  'util',
  'helpers',
  'helper',
  'types',
  'common',
  'shared',
  'misc',
  'constants',
  'lib',
  'index',
];
const maxLines = 400;
const maxRoomLines = 1_500;

const files = readSourceFiles();
const written = files.filter(({ path }) => !path.includes('/generated/'));

function roomOf(path: string): string {
  const [, first = '', second = '', third] = path.split('/');
  if (!path.startsWith('src/')) return path;
  if (first === 'subschemas' || first === 'sponsorship' || first === 'shells')
    return third === undefined ? second.replace(/\.ts$/, '') : `${first}/${second}`;
  return first.replace(/\.ts$/, '');
}

const isBuiltin = (specifier: string) => specifier.startsWith('node:') || builtinModules.includes(specifier);

const isAllowedPackage = (specifier: string, packages: readonly string[]) =>
  packages.some((name) => (name.endsWith('/*') ? specifier.startsWith(name.slice(0, -1)) : specifier === name));

/** Imports that the table does not allow, each said in one line. */
function findTrespasses(file: SourceFile): string[] {
  const name = roomOf(file.path);
  const room = house[name];
  if (!room) return [`${file.path}: there is no room ${name}; add it to the table with a reason, or move the file`];
  return file.imports.flatMap(({ specifier, file: target, isTypeOnly }) => {
    if (target !== null) {
      const other = roomOf(target);
      const isAllowed =
        other === name ||
        (room.rooms.includes('every room') && other !== 'cli') ||
        room.rooms.includes(other) ||
        (isTypeOnly && room.rooms.includes(`types of ${other}`));
      return isAllowed ? [] : [`${file.path}: ${name} may not import ${other} (${specifier})`];
    }
    if (isBuiltin(specifier) || isAllowedPackage(specifier, room.packages)) return [];
    return [`${file.path}: ${name} may not import the package ${specifier}`];
  });
}

/** Rooms and packages that the table allows to a room none of whose files imports them. */
function findUnused(table: Readonly<Record<string, Room>>, among: readonly SourceFile[]): string[] {
  return Object.entries(table).flatMap(([name, { rooms, packages }]) => {
    const taken = among.filter(({ path }) => roomOf(path) === name).flatMap((file) => file.imports);
    const takes = (other: string, isEnough: (one: SourceImport) => boolean) =>
      taken.some((one) => one.file !== null && roomOf(one.file) === other && isEnough(one));
    return [
      ...rooms.filter((entry) => {
        if (entry === 'every room') return false;
        if (entry.startsWith('types of ')) return !takes(entry.replace('types of ', ''), () => true);
        return !takes(entry, ({ isTypeOnly }) => !isTypeOnly);
      }),
      ...packages.filter((entry) => !taken.some(({ specifier }) => isAllowedPackage(specifier, [entry]))),
    ].map((entry) => `${name}: ${entry}`);
  });
}

const offenders = (among: readonly SourceFile[], isOffence: (file: SourceFile) => boolean) =>
  among.filter(isOffence).map(({ path }) => path);

const imports = (file: SourceFile, pattern: RegExp) => file.imports.some(({ specifier }) => pattern.test(specifier));

/** Calls a method of a logger, or has one, where neither the log is made nor the process begins and ends. */
function writesToLog({ path, code, imports: own }: SourceFile): boolean {
  if (/^src\/(telemetry|cli)\//.test(path)) return false;
  const holds = own.some(({ file }) => file === 'src/telemetry/logger.ts');
  // These make it, take it from whoever starts a gateway, and publish it.
  const mayHold = ['src/cli.ts', 'src/start.ts', 'src/index.ts'].includes(path);
  return (holds && !mayHold) || /\b(?:logger|log)\??\.\s*\w+\(/i.test(code);
}

describe('rooms', () => {
  test('import only what the table allows', () => {
    expect(files.flatMap(findTrespasses)).toEqual([]);
  });

  test('are not entered in circles', () => {
    expect(findCycles(files)).toEqual([]);
  });

  test('Yoga appears only in its shell, and its GraphiQL among the pages', () => {
    const isHome = ({ path }: SourceFile) => path.startsWith('src/shells/yoga/');
    expect(offenders(files, (file) => imports(file, /^graphql-yoga/) && !isHome(file))).toEqual([]);
    const isPage = ({ path }: SourceFile) => path.startsWith('src/pages/');
    expect(offenders(files, (file) => imports(file, /^@graphql-yoga\//) && !isPage(file))).toEqual([]);
  });

  test('an upstream is entered by its own room and by the list of upstreams alone', () => {
    const isHome = ({ path }: SourceFile) =>
      /^src\/subschemas\/(sponsor|events)\//.test(path) || path === 'src/start/upstreams.ts';
    const enters = (file: SourceFile) => imports(file, /subschemas\/(sponsor|events)\//);
    expect(offenders(files, (file) => enters(file) && !isHome(file))).toEqual([]);
  });

  test('errors about an upstream are made in its room, or in one that speaks for the ledger', () => {
    const isHome = ({ path }: SourceFile) =>
      /^src\/(subschemas\/(sponsor|events|ledger)|credentials|sponsorship)\//.test(path);
    const names = ({ code }: SourceFile) => /upstream: '(?!ledger')/.test(code);
    expect(offenders(files, (file) => names(file) && !isHome(file))).toEqual([]);
  });

  test('HTTP listeners and clients of Node appear only in the server and the devnet', () => {
    const isHome = ({ path }: SourceFile) => /^src\/(server|devnet)\//.test(path);
    const listens = (file: SourceFile) =>
      file.imports.some(({ specifier, isTypeOnly }) => /^(node:)?(http|https|http2)$/.test(specifier) && !isTypeOnly);
    expect(offenders(files, (file) => listens(file) && !isHome(file))).toEqual([]);
  });

  test('the process belongs to cli.ts', () => {
    const touches = ({ code }: SourceFile) =>
      /(?<![\w.])process\s*[.[]|globalThis\.process|['"](node:)?process['"]/.test(code);
    expect(offenders(files, (file) => touches(file) && file.path !== 'src/cli.ts')).toEqual([]);
  });
});

describe('telemetry', () => {
  test('has every line of the log written in its functions; the command line alone writes lines of its own', () => {
    expect(offenders(files, writesToLog)).toEqual([]);
  });
});

describe('the table', () => {
  test('lists each room below those that may import it', () => {
    const order = Object.keys(house);
    // Types of the devnet's models are erased, and the devnet is nobody's to call but the composition root's.
    const isUpward = (name: string, other: string) => order.indexOf(other) > order.indexOf(name) && other !== 'devnet';
    const upward = order.flatMap((name) =>
      (house[name]?.rooms ?? []).flatMap((entry) => {
        const other = entry.replace('types of ', '');
        return isUpward(name, other) ? [`${name} → ${other}`] : [];
      }),
    );
    expect(upward).toEqual([]);
  });

  test('allows nothing that nobody does: types alone where only types are taken', () => {
    expect(findUnused(house, files)).toEqual([]);
  });

  test('lists only packages that are installed', () => {
    const listed = new Set(Object.values(house).flatMap(({ packages }) => packages));
    const isInstalled = (name: string) =>
      name.endsWith('/*')
        ? installed.some((one) => one === name.slice(0, -2) || one.startsWith(name.slice(0, -1)))
        : installed.includes(name);
    expect([...listed].filter((name) => !isInstalled(name))).toEqual([]);
  });
});

describe('the rooms', () => {
  test(`have at most ${maxRoomLines} lines, so that one can be read in an hour`, () => {
    const sizes = new Map<string, number>();
    for (const { path, text } of written) {
      const room = roomOf(path);
      sizes.set(room, (sizes.get(room) ?? 0) + text.split('\n').length - 1);
    }
    // The simulated network is a program of its own, with rooms of its own.
    sizes.delete('devnet');
    expect([...sizes].filter(([, lines]) => lines > maxRoomLines)).toEqual([]);
  });
});

describe('files', () => {
  test(`have at most ${maxLines} lines`, () => {
    const tooLong = written.map(({ path, text }) => `${path}: ${text.split('\n').length - 1}`);
    expect(tooLong.filter((line) => Number(line.split(': ')[1]) > maxLines)).toEqual([]);
  });

  test('are named after what they hold, not after drawers', () => {
    const isDrawer = ({ path }: SourceFile) => drawerNames.includes(basename(path, '.ts')) && path !== 'src/index.ts';
    expect(offenders(written, isDrawer)).toEqual([]);
  });

  test('are named as the thing that they make, not as the making', () => {
    expect(offenders(written, ({ path }) => /^create-/.test(basename(path)))).toEqual([]);
  });

  test('have no default export', () => {
    expect(offenders(written, ({ code }) => /^\s*export\s+default\b|\bas\s+default\b/m.test(code))).toEqual([]);
  });

  test('import relative files by their whole name', () => {
    const isLoose = (file: SourceFile) => file.imports.some((one) => one.file !== null && !one.file.endsWith('.ts'));
    expect(offenders(written, isLoose)).toEqual([]);
  });
});

describe('this test', () => {
  const trespass = (path: string, text: string) => findTrespasses(toSourceFile(path, text));

  test('sees imports of every form', () => {
    const text = [
      "import { a } from '../graph/stitch.ts';",
      "import {\n  b,\n  c,\n} from 'undici';",
      "export * from '../server/listener.ts';",
      "import '../start.ts';",
      "const d = await import('../cli.ts');",
      "import type { E } from '../devnet/faces.ts';",
    ].join('\n');
    expect(trespass('src/errors/x.ts', text)).toHaveLength(6);
  });

  test('does not see imports in comments and texts', () => {
    const text =
      "// import { a } from '../graph/a.ts';\n/*\nimport '../start.ts';\n*/\nconst url = 'http://x'; // y\nconst b = 1;\n";
    expect(trespass('src/errors/x.ts', text)).toEqual([]);
  });

  test('tells types from values where the table does', () => {
    expect(trespass('src/estimate/x.ts', "import type { A } from '../documents/a.ts';")).toEqual([]);
    expect(trespass('src/estimate/x.ts', "import { type A, type B } from '../documents/a.ts';")).toEqual([]);
    expect(trespass('src/estimate/x.ts', "import { type A, b } from '../documents/a.ts';")).toEqual([
      'src/estimate/x.ts: estimate may not import documents (../documents/a.ts)',
    ]);
  });

  test('keeps the subschemas from one another', () => {
    const text = "import type { A } from '../events/a.ts';\nimport type { B } from '../operation-context.ts';\n";
    expect(trespass('src/subschemas/sponsor/x.ts', text)).toEqual([
      'src/subschemas/sponsor/x.ts: subschemas/sponsor may not import subschemas/events (../events/a.ts)',
    ]);
  });

  test('finds what the table allows in vain', () => {
    const file = toSourceFile(
      'src/planning/x.ts',
      "import type { A } from '../limits/a.ts';\nimport { b } from 'graphql';",
    );
    const unused = (rooms: string[], packages: string[] = []) => findUnused({ planning: { rooms, packages } }, [file]);
    expect(unused(['types of limits'], ['graphql'])).toEqual([]);
    expect(unused(['limits', 'errors', 'types of json'], ['graphql', '@graphql-tools/*'])).toEqual([
      'planning: limits',
      'planning: errors',
      'planning: types of json',
      'planning: @graphql-tools/*',
    ]);
  });

  test('finds lines of the log that are written elsewhere', () => {
    const holds = "import type { Logger } from '../telemetry/logger.ts';";
    expect(writesToLog(toSourceFile('src/server/x.ts', "options.logger.warn({}, 'x');"))).toBe(true);
    expect(writesToLog(toSourceFile('src/start.ts', "logger?.info('x');"))).toBe(true);
    expect(writesToLog(toSourceFile('src/server/x.ts', holds))).toBe(true);
    expect(writesToLog(toSourceFile('src/server/x.ts', 'telemetry.requestAnswered(record);'))).toBe(false);
    expect(writesToLog(toSourceFile('src/cli/x.ts', "logger.info('x');"))).toBe(false);
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

/** Circles of imports, types included: whoever reads one file of a circle has to read them all. Each is told once. */
function findCycles(among: readonly SourceFile[]): string[] {
  const byPath = new Map(among.map((file) => [file.path, file]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
    if (trail.includes(path) || done.has(path)) return;
    for (const { file } of byPath.get(path)?.imports ?? []) {
      if (file !== null) visit(file, [...trail, path]);
    }
    done.add(path);
  };
  for (const { path } of among) visit(path, []);
  return cycles;
}
