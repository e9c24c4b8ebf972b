import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { configKeyNames, withAddresses } from '../../src/config/keys.ts';
import { errorCatalogue } from '../../src/errors/catalogue.ts';
import { fillPage, renderGeneratedParts } from '../support/generated-docs.ts';

const root = new URL('../../', import.meta.url);
const read = (page: string) => readFileSync(new URL(page, root), 'utf8');
const pages = ['README.md', ...readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' })]
  .filter((name) => name.endsWith('.md'))
  .map((name) => (name === 'README.md' ? name : `docs/${name}`));

describe('the pages', () => {
  test.each(renderGeneratedParts())('$page has the tables of the code: `npm run docs:generate` writes them', (part) => {
    const filled = fillPage(read(part.page), part);
    if (process.env.UPDATE_DOCS === '1') writeFileSync(new URL(part.page, root), filled);
    expect(read(part.page)).toBe(filled);
  });

  test('name every setting that does something, no other, and every error code', () => {
    const table = withAddresses([]);
    const settings = read('docs/configuration.md');
    const listed = configKeyNames.filter((name) => settings.includes(`| \`${name}\` |`));
    expect(listed).toEqual(configKeyNames.filter((name) => table[name]?.unsupported === undefined));
    const errors = read('docs/errors.md');
    expect(Object.keys(errorCatalogue).filter((code) => !errors.includes(`| \`${code}\` |`))).toEqual([]);
  });

  test('use no setting that does not exist', () => {
    const used = pages.flatMap((page) =>
      [...read(page).matchAll(/^(?:export )?([A-Z][A-Z_]+)=|-e ([A-Z][A-Z_]+)=/gm)].map(
        ([, first, second]) => first ?? second ?? '',
      ),
    );
    expect(used.filter((name) => !configKeyNames.includes(name))).toEqual([]);
    expect(used).toContain('LEDGER_GRAPHQL_URL');
  });

  test('and neither does the compose file', () => {
    const { services } = parse(read('compose.yaml')) as { services: { gateway: { environment: object } } };
    const used = Object.keys(services.gateway.environment);
    expect(used.filter((name) => !configKeyNames.includes(name))).toEqual([]);
    expect(used).toContain('REDIS_URL');
  });

  test('lead to pages that exist', () => {
    const dead = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)]
        .map(([, target]) => new URL(target ?? '', new URL(page, root)))
        .filter((target) => !existsSync(target))
        .map((target) => `${page}: ${target.pathname}`),
    );
    expect(dead).toEqual([]);
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
