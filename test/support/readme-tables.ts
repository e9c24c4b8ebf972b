import { type ConfigKey, configGroups } from '../../src/config/config-key.ts';
import { configKeyNames, configKeys } from '../../src/config/keys.ts';
import { errorCatalogue } from '../../src/errors/catalogue.ts';

/** The parts of the README that are generated, by the name in their markers. */
export function renderReadmeSections(): Readonly<Record<string, string>> {
  return { configuration: toConfigurationTables(), errors: toErrorTable() };
}

const marker = (name: string, edge: 'begin' | 'end') => `<!-- generated ${name} ${edge} -->`;

/**
 * Puts the generated sections between their markers; the rest stays as it is.
 * @throws Error when a section has no markers
 */
export function fillReadme(
  readme: string,
  sections: Readonly<Record<string, string>> = renderReadmeSections(),
): string {
  return Object.entries(sections).reduce((text, [name, content]) => {
    const [before, rest] = splitOnce(text, marker(name, 'begin'));
    const [, after] = splitOnce(rest, marker(name, 'end'));
    return `${before}${marker(name, 'begin')}\n\n${content}\n${marker(name, 'end')}${after}`;
  }, readme);
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  if (at < 0) throw new Error(`the README has no ${separator}`);
  return [text.slice(0, at), text.slice(at + separator.length)];
}

const effects = { true: 'yes', false: 'not yet: checked, no effect', refused: 'no: refused' } as const;

function toConfigurationTables(): string {
  return configGroups
    .map((group) => {
      const rows = configKeyNames
        .map((name): [string, ConfigKey<unknown>] => [name, configKeys[name]])
        .filter(([, key]) => key.group === group)
        .map(([name, key]) =>
          toRow([`\`${name}\``, key.kind.expected, toDefault(key), effects[`${key.inForce}`], key.description]),
        );
      const head = toRow(['Key', 'Value', 'Default', 'In force', 'What it does']);
      return `### ${group}\n\n${head}|---|---|---|---|---|\n${rows.join('')}`;
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
