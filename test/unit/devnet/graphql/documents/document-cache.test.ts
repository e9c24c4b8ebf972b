import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createDocumentCache } from '../../../../../src/devnet/graphql/documents/document-cache.ts';
import { defaultGraphqlLimits as limits } from '../../../../../src/devnet/graphql/graphql-limits.ts';

const rules = {
  schema: buildSchema('type Query { a: Int }'),
  limits,
  features: new Set<never>(),
  payloadRule: 'query',
} as const;

describe('a document', () => {
  test('is prepared once, refused or not', () => {
    const prepare = createDocumentCache(rules);
    for (const text of ['{ a }', '{ b }', '{ a', '{ ...x }']) expect(prepare(text)).toBe(prepare(text));
    expect(prepare('{ a }')).not.toBe(prepare('{a}'));
  });

  test('is validated when it is first asked about, and then no more', () => {
    const prepared = createDocumentCache(rules)('{ b }');
    if (prepared.kind !== 'ready') throw new Error('refused');
    expect(prepared.validated()).toBe(prepared.validated());
    expect(prepared.validated().errors.map(({ message }) => message)).toEqual([
      'Unknown field "b" on type "Query". Did you mean "a"?',
    ]);
  });

  test('unused for longest is forgotten first', () => {
    const prepare = createDocumentCache(rules, { maxDocuments: 2 });
    const first = prepare('{ a }');
    const second = prepare('{ a a }');
    expect(prepare('{ a }')).toBe(first);
    prepare('{ a a a }');
    expect(prepare('{ a }')).toBe(first);
    expect(prepare('{ a a }')).not.toBe(second);
  });

  test('that is very long is not kept', () => {
    const prepare = createDocumentCache(rules, { maxTextLength: 10 });
    expect(prepare('{ a a }')).toBe(prepare('{ a a }'));
    expect(prepare('{ a a a a a }')).not.toBe(prepare('{ a a a a a }'));
  });
});
