import { readFileSync } from 'node:fs';
import { ts } from '@ts-morph/common';

/** The exported names of a module with their declarations, comments included, in the order in which it exports them. */
export function exportsOf(module: URL): ReadonlyMap<string, string> {
  const text = readFileSync(module, 'utf8');
  const source = ts.createSourceFile(module.pathname, text, ts.ScriptTarget.Latest, true);
  const found = new Map<string, string>();
  const imported = new Map<string, () => string>();
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement) && statement.importClause?.namedBindings) {
      const from = moduleOf(statement.moduleSpecifier, module);
      const { namedBindings: names } = statement.importClause;
      if (from && ts.isNamedImports(names))
        for (const { name, propertyName } of names.elements)
          imported.set(name.text, () => declarationIn(from, (propertyName ?? name).text, name.text));
    } else if (
      ts.isExportDeclaration(statement) &&
      statement.exportClause &&
      ts.isNamedExports(statement.exportClause)
    ) {
      const from = moduleOf(statement.moduleSpecifier, module);
      for (const { name, propertyName } of statement.exportClause.elements) {
        const original = (propertyName ?? name).text;
        found.set(name.text, from ? declarationIn(from, original, name.text) : (imported.get(original)?.() ?? ''));
      }
    } else if (ts.isExportDeclaration(statement) && !statement.exportClause) {
      const from = moduleOf(statement.moduleSpecifier, module);
      if (from) for (const [name, declaration] of exportsOf(from)) found.set(name, declaration);
    } else if (isExported(statement)) {
      for (const name of namesOf(statement)) found.set(name, toDeclaration(statement, source));
    }
  }
  return found;
}

/** The declaration that a module exports under a name, renamed. */
function declarationIn(module: URL, name: string, as: string): string {
  const declared = exportsOf(module).get(name);
  if (declared === undefined) throw new Error(`${module.pathname} does not export ${name}`);
  return declared.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), as);
}

function moduleOf(specifier: ts.Expression | undefined, from: URL): URL | null {
  return specifier && ts.isStringLiteral(specifier) && specifier.text.startsWith('.')
    ? new URL(specifier.text, from)
    : null;
}

const isExported = (statement: ts.Statement): boolean =>
  ts.canHaveModifiers(statement) &&
  (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  return 'name' in statement ? [(statement.name as ts.Identifier).text] : [];
}

/** The statement with its comment, without the parts that only the implementation needs. */
function toDeclaration(statement: ts.Statement, source: ts.SourceFile): string {
  const [comment] = ts.getJSDocCommentsAndTags(statement).map((each) => each.getText());
  const head = comment === undefined ? '' : `${comment}\n`;
  const textTo = (end: number) =>
    source.text
      .slice(statement.getStart(), end)
      .replace(/^export /, '')
      .trim();
  if (ts.isFunctionDeclaration(statement) && statement.body) return `${head}${textTo(statement.body.getStart())};`;
  if (ts.isVariableStatement(statement)) {
    const [{ name, type }] = statement.declarationList.declarations as unknown as readonly [ts.VariableDeclaration];
    return `${head}const ${name.getText()}: ${type?.getText() ?? 'object'};`;
  }
  if (ts.isClassDeclaration(statement)) {
    const members = statement.members.flatMap((member) => {
      if (ts.isMethodDeclaration(member) && member.body)
        return [source.text.slice(member.getStart(), member.body.getStart()).trim()];
      return ts.isPropertyDeclaration(member) && !ts.isPrivateIdentifier(member.name) ? [member.getText()] : [];
    });
    const [opening = ''] = /^[^{]*\{/.exec(textTo(statement.end)) ?? [];
    return `${head}${opening}\n${members.map((member) => `  ${member}\n`).join('')}}`;
  }
  return `${head}${textTo(statement.end)}`;
}
