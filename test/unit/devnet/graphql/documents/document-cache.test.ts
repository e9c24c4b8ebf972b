import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createDocumentCache, documentWeight } from '../../../../../src/devnet/graphql/documents/document-cache.ts';
import { defaultGraphqlLimits as limits } from '../../../../../src/devnet/graphql/graphql-limits.ts';

const rules = {
  schema: buildSchema('type Query { a: Int }'),
  limits,
  features: new Set<never>(),
  payloadRule: 'query',
} as const;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

describe('a document', () => {
  test('is prepared once, whether valid or not', () => {
    const prepare = createDocumentCache(rules);
    for (const text of ['{ a }', '{ b }', '{ a', '{ ...x }']) expect(prepare(text)).toBe(prepare(text));
    expect(prepare('{ a }')).not.toBe(prepare('{a}'));
  });

  test('is validated when it is first used, and not again', () => {
    const prepared = createDocumentCache(rules)('{ b }');
    if (prepared.kind !== 'ready') throw new Error('refused');
    expect(prepared.validated()).toBe(prepared.validated());
    expect(prepared.validated().errors.map(({ message }) => message)).toEqual([
      'Unknown field "b" on type "Query". Did you mean "a"?',
    ]);
  });

  test('is evicted if unused for longest', () => {
    const maxBytes = documentWeight('{ a }') + documentWeight('{ a a }');
    const prepare = createDocumentCache(rules, { maxBytes });
    const first = prepare('{ a }');
    const second = prepare('{ a a }');
    expect(prepare('{ a }')).toBe(first);
    prepare('{ c }');
    expect(prepare('{ a }')).toBe(first);
    expect(prepare('{ a a }')).not.toBe(second);
  });

  test('that would fill the whole cache is not kept, and evicts nothing', () => {
    const prepare = createDocumentCache(rules, { maxBytes: documentWeight('{ a a }') });
    const small = prepare('{ a a }');
    expect(prepare('{ a a a a a }')).not.toBe(prepare('{ a a a a a }'));
    expect(prepare('{ a a }')).toBe(small);
  });

  test.each<[string, (name: string) => string]>([
    ['variables declared again and again', (name) => `query ${name}(${'$a:A '.repeat(950)}) { a }`],
    ['lists in lists', (name) => `{ ${name}(b: [${'[]'.repeat(2_400)}]) }`],
    ['unknown fields', (name) => `{ ${Array.from({ length: 290 }, (_, index) => `${name}${index}`).join(' ')} }`],
    ['syntax errors', (name) => `{ ${name} ${'a '.repeat(2_400)}`],
    ['small ones', (name) => `{ ${name} }`],
  ])('takes no more memory than it is counted for: %s', { timeout: 30_000 }, (_, textOf) => {
    const maxBytes = 3 * 1024 * 1024;
    const prepare = createDocumentCache(rules, { maxBytes });
    const fill = (from: number, count: number) => {
      for (let number = from; number < from + count; number += 1) {
        const prepared = prepare(textOf(`n${number}`));
        if (prepared.kind === 'ready') prepared.validated();
      }
    };
    fill(0, 3);
    collect();
    const before = process.memoryUsage().heapUsed;
    fill(3, 50);
    collect();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(1.25 * maxBytes);
    // Still in use where it is measured.
    expect(prepare(textOf('n52'))).toBe(prepare(textOf('n52')));
  });
});
