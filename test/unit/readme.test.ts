import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { configKeyNames } from '../../src/config/keys.ts';
import { errorCatalogue } from '../../src/errors/catalogue.ts';
import { fillReadme } from '../support/readme-tables.ts';

const path = new URL('../../README.md', import.meta.url);

describe('the README', () => {
  test('has the tables of the code: `npm run docs:generate` writes them', () => {
    const filled = fillReadme(readFileSync(path, 'utf8'));
    if (process.env.UPDATE_README === '1') writeFileSync(path, filled);
    expect(readFileSync(path, 'utf8')).toBe(filled);
  });

  test('names every setting and every error code', () => {
    const readme = readFileSync(path, 'utf8');
    const missing = [...configKeyNames, ...Object.keys(errorCatalogue)].filter(
      (name) => !readme.includes(`| \`${name}\` |`),
    );
    expect(missing).toEqual([]);
  });

  test('uses no setting that does not exist', () => {
    const readme = readFileSync(path, 'utf8');
    const used = [...readme.matchAll(/^(?:export )?([A-Z][A-Z_]+)=|-e ([A-Z][A-Z_]+)=/gm)].map(
      ([, first, second]) => first ?? second,
    );
    const known: readonly string[] = [...configKeyNames, 'UPDATE_README'];
    expect(used.filter((name) => !known.includes(name ?? ''))).toEqual([]);
    expect(used).toContain('LEDGER_GRAPHQL_URL');
  });
});

describe('filling in', () => {
  const sections = { a: 'new\n' };

  test('replaces what is between the markers, and nothing else', () => {
    const readme = 'x\n<!-- generated a begin -->old<!-- generated a end -->\ny';
    expect(fillReadme(readme, sections)).toBe('x\n<!-- generated a begin -->\n\nnew\n\n<!-- generated a end -->\ny');
  });

  test('a second time changes nothing', () => {
    const once = fillReadme('<!-- generated a begin --><!-- generated a end -->', sections);
    expect(fillReadme(once, sections)).toBe(once);
  });

  test('says which marker is missing', () => {
    expect(() => fillReadme('<!-- generated a begin -->', sections)).toThrow(
      'the README has no <!-- generated a end -->',
    );
  });
});
