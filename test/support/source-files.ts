import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface SourceImport {
  /** As written: `../errors/catalogue.ts`, `graphql`, `node:http`. */
  readonly specifier: string;
  /** Path from the project root if the import is relative: `src/errors/catalogue.ts`. */
  readonly file: string | null;
  /** Type-only: erased by the compiler. */
  readonly isTypeOnly: boolean;
}

export interface SourceFile {
  /** Path from the project root, with `/`: `src/errors/catalogue.ts`. */
  readonly path: string;
  readonly text: string;
  /** Source without comments. */
  readonly code: string;
  readonly imports: readonly SourceImport[];
}

/** All TypeScript files in `src`. */
export function readSourceFiles(): SourceFile[] {
  return readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort()
    .map((path) => toSourceFile(path, readFileSync(join(root, path), 'utf8')));
}

export function toSourceFile(path: string, text: string): SourceFile {
  const code = withoutComments(text);
  return { path, text, code, imports: parseImports(path, code) };
}

const statement =
  /^\s*(?:import|export)\s+(?<clause>[^'"`;=()]*?\bfrom\s+)?(?<quote>['"])(?<specifier>[^'"]+)\k<quote>/gm;
const dynamic = /\bimport\(\s*(?<quote>['"`])(?<specifier>[^'"`]+)\k<quote>\s*\)/g;

function parseImports(path: string, code: string): SourceImport[] {
  const toImport = (specifier: string, isTypeOnly: boolean): SourceImport => ({
    specifier,
    file: specifier.startsWith('.') ? join(dirname(path), specifier).replaceAll('\\', '/') : null,
    isTypeOnly,
  });
  return [
    ...[...code.matchAll(statement)].map(({ groups }) =>
      toImport(groups?.specifier ?? '', isTypeClause(groups?.clause ?? '')),
    ),
    ...[...code.matchAll(dynamic)].map(({ groups }) => toImport(groups?.specifier ?? '', false)),
  ];
}

/** `type { A } from`, or `{ type A, type B } from`. */
function isTypeClause(clause: string): boolean {
  if (/^type\b/.test(clause)) return true;
  const names = /^\{(?<names>[^}]*)\}\s+from\s+$/.exec(clause)?.groups?.names;
  if (names === undefined) return false;
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .every((name) => name.startsWith('type '));
}

/** Strings are kept whole, so that `//` in a string does not start a comment. */
function withoutComments(text: string): string {
  const token =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*(?=\s*[.,;)\]])/g;
  return text.replaceAll(token, (match) => (/^\/[/*]/.test(match) ? match.replaceAll(/[^\n]/g, '') : match));
}
