import { readdirSync, readFileSync } from 'node:fs';
import {
  buildSchema,
  type DocumentNode,
  GraphQLError,
  GraphQLScalarType,
  type GraphQLSchema,
  getIntrospectionQuery,
  isScalarType,
  NoDeprecatedCustomRule,
  NoSchemaIntrospectionCustomRule,
  parse,
  print,
  separateOperations,
  specifiedRules,
  type ValidationRule,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { toExecutableDocument } from '../../../../src/documents/selections.ts';
import { acceptDocument } from '../../../../src/documents/validation/accept-document.ts';
import { ReservedAliasRule, validateDocument } from '../../../../src/documents/validation/validate-document.ts';
import { sharedScalars } from '../../../../src/graph/scalars.ts';
import { exampleTabs } from '../../../../src/server/pages/graphiql-tabs.ts';
import { operationCorpus } from '../../../support/operation-corpus.ts';
import { mutate, richDocument, wordsOf } from '../../../support/rich-documents.ts';

const fileAt = (path: string) => new URL(`../../../../${path}`, import.meta.url);
const readText = (path: string) => readFileSync(fileAt(path), 'utf8');

/** With the scalars that the graph has, which are strict about literals. */
function readSchema(path: string): GraphQLSchema {
  const schema = buildSchema(readText(path));
  for (const type of Object.values(schema.getTypeMap())) {
    const shared = isScalarType(type) ? sharedScalars[type.name] : undefined;
    if (shared && isScalarType(type)) type.parseLiteral = shared.parseLiteral;
  }
  return schema;
}

const corners = buildSchema(`
  directive @deprecatedToo on FIELD
  scalar Picky
  enum Colour { RED GREEN }
  input Choice @oneOf { colour: Colour number: Int list: [Int!] inner: Inner }
  input Inner { must: Int! may: [Inner!] fallback: Int! = 3 choice: Choice deep: [[Int!]!] }
  interface Node { id: ID! near: Node }
  interface Named implements Node { id: ID! near: Node name(upper: Boolean! = true): String! }
  type A implements Node & Named { id: ID! near: A name(upper: Boolean! = true, then: Int): String! size: Int! list: [Int!]! }
  type B implements Node & Named { id: ID! near: Node name(upper: Boolean! = true): String! size: String list: [Int] }
  type C implements Node { id: ID! near: Node type: __TypeKind }
  union Any = A | B
  union Odd = C
  type Query {
    node(id: ID! = 1): Node
    named(choice: Choice, choices: [Choice!]!): Named
    any(inner: Inner!, picky: [Picky], float: Float): [Any!]!
    odd(deep: [[Int!]!]!, colours: [Colour!]): Odd
  }
  type Mutation { change(inner: [Inner]): A }
  type Subscription { changed: A also: B }
`);
const picky = corners.getType('Picky');
if (picky instanceof GraphQLScalarType) {
  picky.parseLiteral = (node) => {
    if (node.kind !== 'StringValue' || node.value !== '0x2') throw new GraphQLError('That is not to be had.');
    return node.value;
  };
}

const schemas = [
  ['the whole graph', readSchema('schema/public.graphql')],
  ['IOTA 2025.2', readSchema('node_modules/@iota/iota-sdk/src/graphql/generated/2025.2/schema.graphql')],
  ['Sui', readSchema('node_modules/@mysten/sui-v2/src/graphql/generated/schema.graphql')],
  ['a schema of corners', corners],
] as const;
const [[, graph]] = schemas;

const rulesInForce = [ReservedAliasRule, NoSchemaIntrospectionCustomRule];

const accepts = (document: DocumentNode, schema: GraphQLSchema, rules: readonly ValidationRule[] = rulesInForce) =>
  acceptDocument(document, toExecutableDocument(document), { schema, rules });
const faultsOf = (document: DocumentNode, schema: GraphQLSchema, rules: readonly ValidationRule[] = rulesInForce) =>
  validateDocument(document, toExecutableDocument(document), { schema, rules, hidesSuggestions: false }).errors.map(
    ({ message }) => message,
  );

function tryParse(text: string): DocumentNode | null {
  try {
    return parse(text, { noLocation: true });
  } catch {
    return null;
  }
}

describe.each(schemas)('documents for %s', (_, schema) => {
  const words = wordsOf(schema);

  test('that are accepted are valid for graphql-js, and nearly all valid ones are accepted', {
    timeout: 60_000,
  }, () => {
    let valid = 0;
    let accepted = 0;
    for (let seed = 0; seed < 120; seed += 1) {
      const text = richDocument(schema, seed);
      const document = parse(text, { noLocation: true });
      const faults = faultsOf(document, schema);
      const isAccepted = accepts(document, schema);
      if (isAccepted) expect(faults, text).toEqual([]);
      valid += Number(faults.length === 0);
      accepted += Number(isAccepted);
    }
    expect(valid).toBeGreaterThan(15);
    expect(accepted / valid).toBeGreaterThan(0.9);
  });

  test('with one changed token are accepted only if they are still valid', { timeout: 60_000 }, () => {
    let broken = 0;
    for (let seed = 0; seed < 500; seed += 1) {
      const text = mutate(richDocument(schema, seed % 60), words, seed);
      const document = tryParse(text);
      if (!document) continue;
      const isAccepted = accepts(document, schema);
      const faults = isAccepted || seed % 8 === 0 ? faultsOf(document, schema) : ['not asked'];
      if (isAccepted) expect(faults, text).toEqual([]);
      broken += Number(faults.length > 0);
    }
    expect(broken).toBeGreaterThan(60);
  });
});

describe('the fast validation accepts', () => {
  const sdkFolder = 'node_modules/@mysten/sui-v2/src/graphql/queries';
  const sdkTexts = readdirSync(fileAt(sdkFolder)).flatMap((file) => eachOperation(readText(`${sdkFolder}/${file}`)));
  const docTexts = ['README.md', 'docs/operations.md'].flatMap((path) =>
    [...readText(path).matchAll(/^ *```graphql\n(.*?)^ *```/gms)].map(([, text = '']) => text),
  );
  const corpus = operationCorpus.map(({ text }) => text);
  // Streams are begun seldom and last: graphql-js judges them.
  const tabs = exampleTabs(graph, { events: 'JSON-RPC', hasSponsor: true })
    .map(({ query }) => query)
    .filter((query) => !query.includes('subscription '));

  test.each([
    ['the operations of an SDK', schemas[2][1], sdkTexts, 10],
    ['the examples of the documentation', graph, docTexts, 5],
    ['the tabs of GraphiQL', graph, tabs, 4],
    ['the operations that plans are compared with', graph, corpus, 25],
  ] as const)('every valid document of %s', (_, schema, texts, atLeast) => {
    const documents = texts.flatMap((text) => tryParse(text) ?? []);
    const valid = documents.filter((document) => faultsOf(document, schema).length === 0);
    expect(valid.length).toBeGreaterThanOrEqual(atLeast);
    expect(valid.filter((document) => !accepts(document, schema)).map((document) => print(document))).toEqual([]);
  });

  test.each([
    [
      'a variable in place of one that must be there, with a default',
      'query ($a: Int = 1) { any(inner: {must: $a}) { __typename } }',
    ],
    ['nothing where the schema has a default', '{ named(choices: []) { name } }'],
    [
      'a nullable variable where the schema has a default',
      'query ($u: Boolean) { named(choices: []) { name(upper: $u) } }',
    ],
    ['a single value in place of a list', '{ any(inner: {must: 1, may: {must: 2}}, picky: "0x2") { __typename } }'],
    ['a stricter list than is asked for', 'query ($d: [[Int!]!]!) { odd(deep: $d) { __typename } }'],
    ['a variable that chooses', 'query ($n: Int!) { named(choices: [{number: $n}]) { id } }'],
    [
      'fields of one name on types that exclude each other',
      '{ named(choices: []) { ... on A { near { id } } ... on B { near { id } } } }',
    ],
    ['the same field twice', '{ node { id near { id } near { id } } }'],
    ['directives', 'query ($b: Boolean!) { node @skip(if: $b) @include(if: true) { ... @skip(if: false) { id } } }'],
    ['an interface that implements another', '{ node { ... on Named { name ... on Node { id } } } }'],
    [
      'several operations that share a fragment',
      'query A { node { ...F } } query B { n: node { ...F } } fragment F on Node { id }',
    ],
    ['a mutation', 'mutation { change { size } }'],
  ])('%s', (_, text) => {
    expect(faultsOf(parse(text), corners)).toEqual([]);
    expect(accepts(parse(text), corners)).toBe(true);
  });
});

describe('the fast validation leaves to graphql-js', () => {
  test.each([
    'subscription { changed { id } }',
    'subscription { also { id } changed { id } }',
    '{ __schema { types { name } } }',
    '{ __type(name: "A") { name } }',
    getIntrospectionQuery(),
    '{ __join: node { id } }',
    '{ __key: node { id } }',
    '{ node { ... on C { type } } }',
    '{ node { id } } { node { id } }',
    'query A { node { id } } query A { node { id } }',
    'query A { node { id } } { node { id } }',
    '{ node { ...F } } fragment F on Node { ...F }',
    '{ node { ...F } } fragment F on Node { near { ...G } } fragment G on Node { ...F }',
    '{ node { id } } fragment F on Node { id }',
    '{ node { ...F } } fragment F on Node { id } fragment F on Node { id }',
    '{ node { ...F } }',
    '{ odd(deep: []) { ... on A { id } } }',
    '{ node { id } } type X { a: Int }',
    'query @skip(if: true) { node { id } }',
    'query ($a: Int @skip(if: true)) { any(inner: {must: $a}) { __typename } }',
    '{ node { ...F } } fragment F on Node @skip(if: true) { id }',
    '{ node { id @skip(if: true) @skip(if: true) } }',
    '{ node { id @skip } }',
    '{ node { id @skip(if: null) } }',
    '{ node { id @deprecatedToo } }',
    'query ($b: Boolean) { node { id @skip(if: $b) } }',
    '{ node }',
    '{ node { id { x } } }',
    '{ node(id: 1, id: 1) { id } }',
    '{ node(ix: 1) { id } }',
    '{ node(id: null) { id } }',
    '{ named { id } }',
    '{ named(choices: [null]) { id } }',
    '{ named(choices: [{}]) { id } }',
    '{ named(choices: [{number: 1, colour: RED}]) { id } }',
    '{ named(choices: [{number: null}]) { id } }',
    'query ($n: Int) { named(choices: [{number: $n}]) { id } }',
    'query ($n: Int = 1) { named(choices: [{number: $n}]) { id } }',
    '{ named(choices: [{colour: BLUE}]) { id } }',
    '{ named(choices: [{colour: "RED"}]) { id } }',
    '{ any(inner: {must: 1, must: 1}) { __typename } }',
    '{ any(inner: {must: 1, nothing: 1}) { __typename } }',
    '{ any(inner: {may: []}) { __typename } }',
    '{ any(inner: {must: 99999999999}) { __typename } }',
    '{ any(inner: {must: 1}, picky: "0x3") { __typename } }',
    '{ any(inner: {must: 1}, float: "1") { __typename } }',
    '{ any(inner: {must: 1}) { id } }',
    'query ($a: Int = null) { any(inner: {must: $a}) { __typename } }',
    'query ($a: Int) { any(inner: {must: $a}) { __typename } }',
    'query ($a: [Int]) { odd(deep: [$a]) { __typename } }',
    'query ($a: Int!) { odd(deep: $a) { __typename } }',
    'query ($a: Nothing) { node(id: $a) { id } }',
    'query ($a: A) { node(id: $a) { id } }',
    'query ($a: ID!, $a: ID!) { node(id: $a) { id } }',
    'query ($a: ID!, $b: ID!) { node(id: $a) { id } }',
    'query ($a: Int! = "1") { any(inner: {must: $a}) { __typename } }',
    '{ node(id: $a) { id } }',
    'query A($a: ID!) { node(id: $a) { id } } query B { node(id: $a) { id } }',
    '{ node { x: id x: near { id } } }',
    '{ named(choices: []) { ... on A { size } ... on B { size } } }',
    '{ named(choices: []) { name name(upper: false) } }',
    '{ a: named(choices: []) { ...F ...G } } fragment F on A { x: list } fragment G on B { x: list }',
    `{ ${'node { near '.repeat(40)} { id } ${'}'.repeat(40)} }`,
  ])('is %s', (text) => {
    expect(accepts(parse(text), corners)).toBe(false);
  });

  test('every document, if an unknown validation rule is configured', () => {
    const document = parse('{ node { id } }');
    expect(accepts(document, corners)).toBe(true);
    expect(accepts(document, corners, [...rulesInForce, NoDeprecatedCustomRule])).toBe(false);
  });
});

test('the rules of graphql-js are still those that the fast validation implements', () => {
  expect(specifiedRules.map(({ name }) => name)).toEqual([
    'ExecutableDefinitionsRule',
    'UniqueOperationNamesRule',
    'LoneAnonymousOperationRule',
    'SingleFieldSubscriptionsRule',
    'KnownTypeNamesRule',
    'FragmentsOnCompositeTypesRule',
    'VariablesAreInputTypesRule',
    'ScalarLeafsRule',
    'FieldsOnCorrectTypeRule',
    'UniqueFragmentNamesRule',
    'KnownFragmentNamesRule',
    'NoUnusedFragmentsRule',
    'PossibleFragmentSpreadsRule',
    'NoFragmentCyclesRule',
    'UniqueVariableNamesRule',
    'NoUndefinedVariablesRule',
    'NoUnusedVariablesRule',
    'KnownDirectivesRule',
    'UniqueDirectivesPerLocationRule',
    'KnownArgumentNamesRule',
    'UniqueArgumentNamesRule',
    'ValuesOfCorrectTypeRule',
    'ProvidedRequiredArgumentsRule',
    'VariablesInAllowedPositionRule',
    'OverlappingFieldsCanBeMergedRule',
    'UniqueInputFieldNamesRule',
    'MaxIntrospectionDepthRule',
  ]);
});

/** Documents of one operation each, with the fragments that it uses. */
function eachOperation(text: string): string[] {
  return Object.values(separateOperations(parse(text))).map((document) => print(document));
}
