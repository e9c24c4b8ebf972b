import { type ConfigKey, configGroups } from '../../src/config/config-key.ts';
import { configKeyNames, configKeys } from '../../src/config/keys.ts';
import { errorCatalogue } from '../../src/errors/catalogue.ts';

/** A page that has a generated part: its path, the name in the markers, and what stands between them. */
export interface GeneratedPart {
  readonly page: string;
  readonly name: string;
  readonly content: string;
}

/** The parts of the documentation that are written from the code. */
export function renderGeneratedParts(): readonly GeneratedPart[] {
  return [
    { page: 'docs/configuration.md', name: 'configuration', content: toConfigurationTables() },
    { page: 'docs/errors.md', name: 'errors', content: toErrorTable() },
  ];
}

const marker = (name: string, edge: 'begin' | 'end') => `<!-- generated ${name} ${edge} -->`;

/**
 * Puts a generated part between its markers; the rest of the page stays as it is.
 * @throws Error when the page has no such markers
 */
export function fillPage(page: string, { name, content }: Pick<GeneratedPart, 'name' | 'content'>): string {
  const [before, rest] = splitOnce(page, marker(name, 'begin'));
  const [, after] = splitOnce(rest, marker(name, 'end'));
  return `${before}${marker(name, 'begin')}\n\n${content}\n${marker(name, 'end')}${after}`;
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  if (at < 0) throw new Error(`the page has no ${separator}`);
  return [text.slice(0, at), text.slice(at + separator.length)];
}

function toConfigurationTables(): string {
  return configGroups
    .map((group) => {
      const rows = configKeyNames
        .map((name): [string, ConfigKey<unknown>] => [name, configKeys[name]])
        .filter(([, key]) => key.group === group && key.inForce === true)
        .map(([name, key]) => toRow([`\`${name}\``, key.kind.expected, toDefault(key), key.description]));
      const head = toRow(['Key', 'Value', 'Default', 'What it does']);
      return `## ${group}\n\n${head}|---|---|---|---|\n${rows.join('')}`;
    })
    .join('\n');
}

function toDefault({ fallback, fallbackText }: ConfigKey<unknown>): string {
  if (fallbackText !== undefined) return fallbackText;
  return fallback === null ? 'unset' : `\`${String(fallback)}\``;
}

function toErrorTable(): string {
  const rows = Object.entries(errorCatalogue).map(([code, { status, meaning, retry }]) =>
    toRow([`\`${code}\``, String(status), meaning, retry]),
  );
  return `${toRow(['Code', 'HTTP status', 'Meaning', 'Try again?'])}|---|---|---|---|\n${rows.join('')}`;
}

function toRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |\n`;
}
