import { buildSchema, type IntrospectionQuery, introspectionFromSchema, printSchema } from 'graphql';
import { expect, test } from 'vitest';
import { buildLedgerSchema } from '../../../src/ledger/fetch-ledger-schema.ts';

const introspect = (sdl: string): IntrospectionQuery => introspectionFromSchema(buildSchema(sdl));

test('a schema is the one that was introspected', () => {
  const sdl = 'type Query {\n  """Which chain."""\n  chainIdentifier: String!\n}';
  expect(printSchema(buildLedgerSchema(introspect(sdl)))).toBe(sdl);
});

test('what makes a ledger a subgraph stays its own', () => {
  const schema = buildLedgerSchema(
    introspect(`
      scalar _Any
      type _Service { sdl: String }
      type Object { address: ID! }
      union _Entity = Object
      type Query { object: Object _service: _Service! _entities(representations: [_Any!]!): [_Entity]! }
    `),
  );
  expect(printSchema(schema)).toBe('type Object {\n  address: ID!\n}\n\ntype Query {\n  object: Object\n}');
});
