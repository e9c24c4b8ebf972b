import { buildClientSchema, getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await createTestGateway();
});
afterAll(() => gateway?.close());

const everything = {
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
};
const aliases = Array.from({ length: 150 }, (_, index) => `b${index}: types { fields { ...F } }`).join(' ');
const fragment = 'fragment F on __Field { name args { name type { name } } type { name } }';

describe('introspection', () => {
  test.each([
    ['alone', `{ __schema { ${aliases} } } ${fragment}`],
    [
      'beside a field of the ledger',
      `{ chainIdentifier a: __schema { ${aliases.slice(0, aliases.indexOf('b25'))} } } ${fragment}`,
    ],
    [
      'beside one of our own',
      `{ gateway { version } ...S } fragment S on Query { __schema { ${aliases.slice(0, aliases.indexOf('b25'))} } } ${fragment}`,
    ],
  ])('many times over is refused, %s', async (_, query) => {
    for (let sight = 0; sight < 2; sight += 1) {
      const { status, data, errors, text } = await gateway.query(query);
      expect(status).toBe(200);
      expect(data).toBeUndefined();
      expect(errors?.[0]?.message).toMatch(/^Introspection has over \d+ fields/);
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', limit: { name: 'introspection' } });
      expect(text.length).toBeLessThan(1_000);
    }
  });

  test('is served as tools send it, also below the root', async () => {
    const alone = await gateway.query(getIntrospectionQuery(everything));
    expect(buildClientSchema(alone.data).getQueryType()?.getFields()).toHaveProperty('chainIdentifier');
    const again = await gateway.query(getIntrospectionQuery(everything));
    expect(again.text).toBe(alone.text);
    const below = getIntrospectionQuery(everything).replace(
      '{',
      '{ chainIdentifier ... on Query { ...Schema } } fragment Schema on Query {',
    );
    const beside = await gateway.query(below);
    expect(beside.errors).toBeUndefined();
    expect(beside.data.chainIdentifier).toEqual(expect.any(String));
    expect(beside.data.__schema).toEqual(alone.data.__schema);
  });

  test('of a field below the root is invalid', async () => {
    const { errors } = await gateway.query('{ epoch { __schema { queryType { name } } } }');
    expect(errors?.map(({ message }) => message)).toEqual(['Cannot query field "__schema" on type "Epoch".']);
  });
});
