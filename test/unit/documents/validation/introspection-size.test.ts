import { readFileSync } from 'node:fs';
import { buildSchema, execute, getIntrospectionQuery, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { toExecutableDocument } from '../../../../src/documents/selections.ts';
import {
  maxTimesStandard,
  measureAskedIntrospection,
  standardSize,
} from '../../../../src/documents/validation/introspection-size.ts';

const read = (path: string) => buildSchema(readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8'));
const schemas = [
  ['the whole graph', read('schema/public.graphql')],
  ['IOTA 2025.2', read('node_modules/@iota/iota-sdk/src/graphql/generated/2025.2/schema.graphql')],
  ['Sui', read('node_modules/@mysten/sui-v2/src/graphql/generated/schema.graphql')],
] as const;
const everything = {
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
};
const repeat = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join(' ');

describe.each(schemas)('the schema of %s', (_, schema) => {
  const excess = (text: string) => measureAskedIntrospection(schema, toExecutableDocument(parse(text))).excess;

  test('is returned completely to every tool', () => {
    expect(excess(getIntrospectionQuery())).toBeNull();
    expect(excess(getIntrospectionQuery(everything))).toBeNull();
    expect(excess(getIntrospectionQuery({ ...everything, typeDepth: 20 }))).toBeNull();
    const beside = getIntrospectionQuery(everything).replace('__schema', 'a: __typename b: __schema');
    expect(excess(beside)).toBeNull();
  });

  test('counts with the size of its response', async () => {
    const text = getIntrospectionQuery(everything);
    const { data } = await execute({ schema, document: parse(text) });
    const json = JSON.stringify(data);
    // Indented, each field of an object begins a line of its own.
    const fields = JSON.stringify(data, null, 1).match(/^ +"[^"]+": /gm)?.length ?? 0;
    const counted = standardSize(schema);
    // Spreads count as fields do.
    expect(counted.fields / fields).toBeGreaterThan(0.95);
    expect(counted.fields / fields).toBeLessThan(1.6);
    expect(counted.letters / json.length).toBeGreaterThan(0.8);
    expect(counted.letters / json.length).toBeLessThan(1.3);
  });

  test.each([
    [
      'by aliases of a list',
      `{ __schema { ${repeat(150, (id) => `b${id}: types { fields { name args { name } } }`)} } }`,
    ],
    ['by aliases of a leaf', `{ __schema { types { fields { ${repeat(140, (id) => `b${id}: name`)} } } } }`],
    ['by one long alias', `{ __schema { types { fields { ${'a'.repeat(4_000)}: name } } } }`],
    [
      'beside other fields',
      `{ chainIdentifier ${repeat(3, (id) => `b${id}: __schema { ...S }`)} } ${standardFragment()}`,
    ],
    ['by operations', `${repeat(3, (id) => `query Q${id} { __schema { ...S } }`)} ${standardFragment()}`],
    [
      'below fragments',
      `{ ...A ... { ...B } } fragment A on Query { ...B a: __schema { ...S } } fragment B on Query { b: __schema { ...S } c: __schema { ...S } } ${standardFragment()}`,
    ],
    [
      'through the types of fields',
      `{ __schema { types { fields { type { ofType { ${repeat(40, (id) => `f${id}: fields { name }`)} } } } } } }`,
    ],
    [
      'by a name that is a variable',
      `query ($n: String!) { ${repeat(40, (id) => `t${id}: __type(name: $n) { fields { name type { fields { name } } } }`)} }`,
    ],
    [
      'by the name of one type',
      `{ ${repeat(600, (id) => `t${id}: __type(name: "Query") { fields { name description args { name description } type { name } } }`)} }`,
    ],
    [
      'where a variable decides',
      `query ($b: Boolean!) { __schema { ${repeat(150, (id) => `b${id}: types @include(if: $b) { fields { name args { name } } }`)} } }`,
    ],
  ])('is not multiplied %s', (_kind, text) => {
    const found = excess(text);
    const { fields, letters } = standardSize(schema);
    expect(found?.max).toEqual({
      fields: Math.floor(fields * maxTimesStandard),
      letters: Math.floor(letters * maxTimesStandard),
    });
    expect(found?.field.name.value).toMatch(/^__(schema|type)$/);
    // What is over is not counted any further.
    expect((found?.fields ?? 0) <= (found?.max.fields ?? 0) + 1).toBe(true);
  });

  test('is not measured for documents that do not select it', () => {
    expect(excess('{ chainIdentifier __typename }')).toBeNull();
    expect(excess('{ __type(name: "Nothing") { name } }')).toBeNull();
  });
});

function standardFragment(): string {
  const query = getIntrospectionQuery(everything);
  const body = query.slice(query.indexOf('__schema {') + '__schema {'.length, query.indexOf('fragment FullType'));
  const schemaFields = body.slice(0, body.trimEnd().length - 1).replace(/\}\s*$/, '');
  return `fragment S on __Schema { ${schemaFields} } ${query.slice(query.indexOf('fragment FullType'))}`;
}
