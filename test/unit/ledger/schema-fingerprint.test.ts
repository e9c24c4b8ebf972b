import { buildSchema, type IntrospectionQuery, introspectionFromSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { type LedgerService, silentLedgerService } from '../../../src/ledger/ledger-service.ts';
import { toSchemaFingerprint } from '../../../src/ledger/schema-fingerprint.ts';

const introspect = (sdl: string): IntrospectionQuery =>
  introspectionFromSchema(buildSchema(sdl), { inputValueDeprecation: true, oneOf: true });
const ofSchema = (sdl: string) => toSchemaFingerprint(introspect(sdl), silentLedgerService);
const service = (changed: Partial<LedgerService>) =>
  toSchemaFingerprint(introspect('type Query { a: Int }'), { ...silentLedgerService, ...changed });

const sdl = `
  directive @a(x: Int, y: Int) on FIELD | QUERY
  interface Being { name: String }
  interface Named { name: String }
  "Who."
  type Person implements Being & Named { name: String age(unit: Unit = YEAR, min: Int = 3): Int! }
  type Dog implements Being { name: String }
  union Any = Person | Dog
  enum Unit { YEAR MONTH }
  input Filter { tags: [String!] = ["x", "y"] box: Box = { left: [{ left: [] }, { right: {} }], right: { left: [] } } }
  input Box { left: [Box!] right: Box }
  type Query { being(filter: Filter): Being any: Any }
`;
const sameInAnotherOrder = `
  type Query { any: Any being(filter: Filter): Being }
  input Box { right: Box left: [Box!] }
  input Filter { box: Box = { right: { left: [] }, left: [{ left: [] }, { right: {} }] } tags: [String!] = ["x", "y"] }
  enum Unit { MONTH YEAR }
  union Any = Dog | Person
  type Dog implements Being { name: String }
  "Who."
  type Person implements Named & Being { age(min: Int = 3, unit: Unit = YEAR): Int! name: String }
  interface Named { name: String }
  interface Being { name: String }
  directive @a(y: Int, x: Int) on QUERY | FIELD
`;

describe('the fingerprint of a ledger', () => {
  it('is the same in whatever order the schema is said', () => {
    expect(ofSchema(sameInAnotherOrder)).toBe(ofSchema(sdl));
  });

  it.each([
    ['a description', '"Who."', '"Whoever."'],
    ['an argument', 'being(filter: Filter)', 'being'],
    ['whether a type may be null', 'Int!', 'Int'],
    ['a default', 'min: Int = 3', 'min: Int = 4'],
    ['the order of a list in a default', '["x", "y"]', '["y", "x"]'],
    ['an entry of a list in a default', '["x", "y"]', '["x", "y", "y"]'],
    ['a member of a default', 'right: { left: [] } }', 'right: { left: [{ left: [] }] } }'],
    [
      'the order of a list within an object of a default',
      '[{ left: [] }, { right: {} }]',
      '[{ right: {} }, { left: [] }]',
    ],
    ['a value', 'YEAR MONTH', 'YEAR MONTH DAY'],
    ['what a type implements', 'Being & Named', 'Being'],
    ['a deprecation', 'any: Any }', 'any: Any @deprecated(reason: "old") }'],
    ['a member of a union', 'Person | Dog', 'Person'],
    ['where a directive may stand', 'FIELD | QUERY', 'FIELD'],
  ])('differs with %s', (_, from, to) => {
    expect(sdl).toContain(from);
    expect(ofSchema(sdl.replace(from, to))).not.toBe(ofSchema(sdl));
  });

  it('differs with what the ledger says of its limits, times and versions', () => {
    const { limits } = silentLedgerService;
    const all = [
      service({}),
      ...Object.entries(limits).map(([name, value]) => service({ limits: { ...limits, [name]: value + 1 } })),
      service({ queryTimeoutMs: 7 }),
      service({ mutationTimeoutMs: 7 }),
      service({ queryTimeoutMs: 7, mutationTimeoutMs: 7 }),
      service({ availableVersions: ['2026.11'] }),
      service({ availableVersions: ['2026.11', '2026.10'] }),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(service({})).toBe(service({}));
    expect(service({ availableVersions: ['2026.10', '2026.11'] })).toBe(all.at(-1));
  });

  it('is that of the schema without what makes the ledger a subgraph', () => {
    const subgraph = 'type Query { a: Int _service: _Service! } type _Service { sdl: String }';
    expect(ofSchema(subgraph)).toBe(ofSchema('type Query { a: Int }'));
  });
});
