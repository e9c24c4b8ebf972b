import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { configKeyNames, withAddresses } from '../../src/config/keys.ts';
import { errorCatalogue } from '../../src/errors/catalogue.ts';
import { type MetricName, metricTable } from '../../src/telemetry/metric-table.ts';
import { fillPage, renderGeneratedParts } from '../support/generated-docs.ts';

const root = new URL('../../', import.meta.url);
const read = (page: string) => readFileSync(new URL(page, root), 'utf8');
const filesIn = (folder: string) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}${name}`);
const pages = ['README.md', 'SECURITY.md', ...filesIn('docs/').filter((name) => name.endsWith('.md'))];

describe('the pages', () => {
  test.each(renderGeneratedParts())('$page has the tables of the code: `npm run docs:generate` writes them', (part) => {
    const filled = fillPage(read(part.page), part);
    if (process.env.UPDATE_DOCS === '1') writeFileSync(new URL(part.page, root), filled);
    expect(read(part.page)).toBe(filled);
  });

  test('name every setting that does something, no other, and every error code', () => {
    const settings = read('docs/configuration.md');
    const listed = configKeyNames.filter((name) => settings.includes(`| \`${name}\` |`));
    expect(listed).toEqual(configKeyNames);
    const errors = read('docs/errors.md');
    expect(Object.keys(errorCatalogue).filter((code) => !errors.includes(`| \`${code}\` |`))).toEqual([]);
  });

  test('use no setting that does not exist', () => {
    const used = pages.flatMap((page) =>
      [...read(page).matchAll(/^(?:export )?([A-Z][A-Z_]+)=|-e ([A-Z][A-Z_]+)=/gm)].map(
        ([, first, second]) => first ?? second ?? '',
      ),
    );
    // The SDK of OpenTelemetry and the sponsors read their own.
    const others = /^(OTEL_|GAS_STATION_AUTH$)/;
    expect(used.filter((name) => !configKeyNames.includes(name) && !others.test(name))).toEqual([]);
    expect(used).toContain('LEDGER_GRAPHQL_URL');
  });

  test('are all listed for language models', () => {
    const listed = read('docs/llms.txt');
    const named = filesIn('docs/').filter((page) => /^docs\/([\w-]+|\w+\/README)\.md$/.test(page));
    expect(named.filter((page) => !listed.includes(`](${page.slice('docs/'.length)})`))).toEqual([]);
    expect(named.length).toBeGreaterThan(25);
  });

  test('stay short: words of prose and hand-written tables, without code and generated parts', () => {
    const words = [...pages, 'CONTRIBUTING.md'].map((page) => countWords(read(page)));
    expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThan(38_000);
  });

  test('lead to pages and headings that exist', () => {
    const dead = [...pages, 'CONTRIBUTING.md', 'docs/llms.txt'].flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)]
        .map(([, target = '', heading]) => ({
          target: new URL(target || page, target ? new URL(page, root) : root),
          heading,
        }))
        .filter(({ target, heading }) => !existsSync(target) || (heading && !headingsOf(target).includes(heading)))
        .map(({ target, heading = '' }) => `${page}: ${target.pathname}#${heading}`),
    );
    expect(dead).toEqual([]);
  });
});

describe('the pages about the code', () => {
  test('name files and folders that exist', () => {
    const about = pages
      .filter((page) => /^docs\/(architecture|decisions\/.*)\.md$/.test(page))
      .concat('CONTRIBUTING.md');
    const dead = about.flatMap((page) =>
      codeIn(read(page))
        .filter((name) => /^[\w./-]+\/[\w.-]+(\.ts|)$/.test(name))
        .filter((name) => !existsSync(new URL(name, root)) && !existsSync(new URL(`src/${name}`, root)))
        .map((name) => `${page}: ${name}`),
    );
    expect(dead).toEqual([]);
  });
});

/** The headings of a page as they appear in links. */
function headingsOf(page: URL): string[] {
  const headings = [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}

function countWords(page: string): number {
  const prose = page
    .replaceAll(/<!-- generated (.+?) begin -->[\s\S]*?<!-- generated \1 end -->/g, '')
    .replaceAll(/^( *```+)[\s\S]*?^\1$/gm, '');
  return prose.split(/\s+/).filter((word) => /[a-z\d]/i.test(word)).length;
}

/** The cells of each row of the tables, without their heads. */
const rowsOf = (text: string) =>
  [...text.matchAll(/^\| (.*) \|$(?!\n\|--)/gm)].map(([, row = '']) => row.split(' | ').map((cell) => cell.trim()));
const codeIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

const code = filesIn('src/')
  .filter((path) => path.endsWith('.ts'))
  .map(read)
  .join('\n');

describe('the threat model', () => {
  const model = read('SECURITY.md').split('### Threats and defences')[1] ?? '';
  const limits = rowsOf(model.split('### Limits')[1]?.split('### ')[0] ?? '');

  test('names tests that exist, one or more for each threat and limit', () => {
    const rows = rowsOf(model);
    const tests = rows.map((row) => codeIn(row.at(-1) ?? '').filter((code) => code.startsWith('test/')));
    expect(rows.filter((_, index) => tests[index]?.length === 0)).toEqual([]);
    expect(tests.flat().filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
    expect(rows.length).toBeGreaterThan(50);
  });

  test.each(limits)('limits %s to %s, as %s does', (_, stated = '', source = '') => {
    const [name = ''] = codeIn(source);
    const values = /^[A-Z]/.test(name) ? [withAddresses([])[name]?.fallback] : numbersIn(code, name);
    expect(values).toContain(toNumber(stated, /ms$/i.test(name)));
  });
});

/** The values of constants and members with this name that are written as a number or as a product of numbers. */
function numbersIn(code: string, name: string): number[] {
  return [...code.matchAll(new RegExp(`\\b${name}(?: =|:) ([\\d_* ]+)[;,\\n]`, 'g'))].map(([, text = '']) =>
    text.split('*').reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1),
  );
}

/** The number that a cell states, in bytes, characters, milliseconds or pieces. */
function toNumber(stated: string, isTime: boolean): number {
  const [number = '', unit = ''] = stated.split(' ');
  const factor = { KiB: 1024, MiB: 1024 ** 2, Mi: 1024 ** 2, s: isTime ? 1_000 : Number.NaN }[unit] ?? 1;
  return Number(number.replaceAll(',', '')) * factor;
}

describe('troubleshooting', () => {
  const rows = rowsOf(read('docs/troubleshooting.md'));
  const lines = rows.flatMap(([, line = '']) => codeIn(line));

  test('quotes every warning and error of the log, and no other line', () => {
    const logged = code.matchAll(
      /(?:\blog\([^,;]*'(?:warn|error)'[^,;]*,|\.(?:warn|error|fatal)\((?:\{[^}]*\}, )?)\s*(['"])(.+?)\1[,)]/g,
    );
    const messages = new Set([...logged].map(([, , message]) => message));
    expect(messages.size).toBeGreaterThan(25);
    expect(new Set(lines)).toEqual(messages);
  });

  test('names metrics and label values that exist, and every alert', () => {
    const named = rows.flatMap(([, , metric = '']) => codeIn(metric));
    const unknown = named.filter((each) => {
      const [, name = '', label, value = ''] = /^(\w+)(?:\{(\w+)="(.+)"\})?$/.exec(each) ?? [];
      const labels: Readonly<Record<string, readonly string[]>> | undefined = metricTable[name as MetricName]?.labels;
      return label === undefined ? !labels : !labels?.[label]?.includes(value);
    });
    expect(unknown).toEqual([]);
    const alerts = [...read('docs/deploy/alerts.yaml').matchAll(/alert: (\w+)/g)].map(([, alert]) => alert);
    expect(alerts.filter((alert) => !rows.some(([symptom]) => symptom?.startsWith(`alert \`${alert}\``)))).toEqual([]);
    expect(alerts.length).toBeGreaterThan(3);
  });

  test('names settings and error codes that exist', () => {
    const known = [...Object.keys(withAddresses([])), ...Object.keys(errorCatalogue)];
    const named = rows
      .flatMap(([symptom, , ...rest]) => codeIn([symptom, ...rest].join()))
      .flatMap((each) => /^[A-Z][A-Z_]{3,}/.exec(each) ?? []);
    expect(named.filter((each) => !known.includes(each))).toEqual([]);
  });
});

describe('filling in', () => {
  const part = { name: 'a', content: 'new\n' };

  test('replaces what is between the markers, and nothing else', () => {
    const page = 'x\n<!-- generated a begin -->old<!-- generated a end -->\ny';
    expect(fillPage(page, part)).toBe('x\n<!-- generated a begin -->\n\nnew\n\n<!-- generated a end -->\ny');
  });

  test('a second time changes nothing', () => {
    const once = fillPage('<!-- generated a begin --><!-- generated a end -->', part);
    expect(fillPage(once, part)).toBe(once);
  });

  test('says which marker is missing', () => {
    expect(() => fillPage('<!-- generated a begin -->', part)).toThrow('the page has no <!-- generated a end -->');
  });
});
