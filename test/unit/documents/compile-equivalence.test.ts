import fc from 'fast-check';
import {
  buildSchema,
  type ExecutionResult,
  execute,
  type FragmentDefinitionNode,
  type GraphQLField,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  getNamedType,
  getOperationAST,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  validate,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { compileOperation } from '../../../src/engine/compile-operation.ts';
import { runs } from '../../support/runs.ts';

/** Nothing about this schema is kind: null is allowed at some places and not at others, and everything fails at times. */
const schema = buildSchema(`
  type Query { text: String sure: String! node: Node must: Node! list: [Node] full: [Node!]! matrix: [[Int!]!] odd: Odd! }
  type Mutation { node: Node must: Node! text: String odds: [Odd!] }
  type Node {
    text: String sure: String! number: Int count(of: Int!, or: Size = LARGE): Int! size: Size sizes: [Size!]! odd: Odd
    odds: [Odd] matrix: [[Int]!]! node: Node must: Node! list: [Node] full: [Node!]! rows: [[Node!]]
  }
  enum Size { SMALL LARGE }
  scalar Odd
`);
(schema.getType('Odd') as GraphQLScalarType).serialize = (value) => {
  if (value === 2) throw new Error('two is even');
  return value === 4 ? null : `odd:${value}`;
};

/** How each place behaves is chance, but the same chance however often it is asked. */
function chance(seed: number, place: string): number {
  let hash = seed | 0;
  for (const character of place) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}

/** Who rejects first is heard by nobody else: items that are never reached must not end the test. */
function rejection(error: unknown): Promise<never> {
  const promise = Promise.reject(error);
  promise.catch(() => {});
  return promise;
}

interface World {
  readonly seed: number;
  /** How often something is wrong, of one. */
  readonly trouble: number;
  readonly takesTime: boolean;
}

function valueAt(type: GraphQLOutputType, place: string, world: World): unknown {
  const lot = (what: string) => chance(world.seed, `${place}/${what}`);
  const plain = isNonNullType(type) ? type.ofType : type;
  if (lot('trouble') < world.trouble) {
    const kind = Math.floor(lot('kind') * 5);
    if (kind === 0) return null;
    if (kind === 1) return undefined;
    if (kind === 2) return new Error(`given at ${place}`);
    if (kind === 3 && world.takesTime) return rejection(new Error(`rejected at ${place}`));
    if (kind === 4) return isListType(plain) ? 'no list' : Symbol.for('nothing that could be shown').description;
  }
  const value = plainValueOf(plain, place, world);
  return world.takesTime && lot('late') < 0.3 ? Promise.resolve(value) : value;
}

function plainValueOf(type: GraphQLOutputType, place: string, world: World): unknown {
  const lot = chance(world.seed, `${place}/value`);
  if (isListType(type)) {
    const items = Array.from({ length: Math.floor(lot * 4) }, (_, index) =>
      valueAt(type.ofType, `${place}.${index}`, world),
    );
    // The reference library hears nobody fail in a list that has failed already. So all of these take their time, or none.
    if (world.takesTime) return items.map((item) => Promise.resolve(item));
    return lot < 0.5 ? items : new Set(items);
  }
  if (isObjectType(type)) return objectOf(type, place, world);
  if (isEnumType(type)) return lot < 0.9 ? 'SMALL' : 'NONE';
  const name = getNamedType(type).name;
  if (name === 'Int') return Math.floor(lot * 10) / (lot > 0.95 ? 3 : 1);
  return name === 'Odd' ? Math.floor(lot * 6) : `text at ${place}`;
}

/** Some fields are values and some are methods; some throw. */
function objectOf(type: GraphQLObjectType, place: string, world: World): object {
  const source = { place };
  for (const field of Object.values(type.getFields())) {
    const at = `${place}.${field.name}`;
    const lot = chance(world.seed, `${at}/source`);
    const read = () => {
      if (lot < world.trouble / 4) throw new Error(`thrown at ${at}`);
      return valueAt(field.type, at, world);
    };
    if (lot > 0.8) Object.defineProperty(source, field.name, { value: read });
    else Object.defineProperty(source, field.name, { get: read });
  }
  return source;
}

/** Every third field has a resolver of its own, which sees the same values. */
function resolveBy(field: GraphQLField<unknown, unknown>, isOwn: boolean): void {
  if (!isOwn) return;
  field.resolve = (source, args, context) => {
    const { place } = (source ?? { place: 'root' }) as { place: string };
    const at = `${place}.${field.name}(${JSON.stringify(args)})`;
    const world = context as World;
    const lot = chance(world.seed, `${at}/resolver`);
    if (lot < world.trouble / 4) throw `no error, but thrown at ${at}`;
    return valueAt(field.type, at, world);
  };
}

const types = Object.values(schema.getTypeMap()).filter(
  (type): type is GraphQLObjectType => type instanceof GraphQLObjectType && !type.name.startsWith('__'),
);
for (const type of types) {
  const isRoot = type.name !== 'Node';
  for (const [index, field] of Object.values(type.getFields()).entries()) resolveBy(field, isRoot || index % 3 === 0);
}

/** Valid by construction: one key always means the same field. */
function selectionSet(type: GraphQLObjectType, depth: number): fc.Arbitrary<string> {
  const fields = Object.values(type.getFields()).filter(
    (field) => depth > 0 || !isObjectType(getNamedType(field.type)),
  );
  const field = fc.constantFrom(...fields).chain((chosen) => {
    const named = getNamedType(chosen.type);
    const below = isObjectType(named) ? selectionSet(named, depth - 1) : fc.constant('');
    const called =
      chosen.name === 'count'
        ? fc.constantFrom(['one', '(of: 1)'], ['var', '(of: $n)'], ['', '(of: 2, or: SMALL)'])
        : fc.constantFrom(['', ''], ['again', '']);
    return fc
      .tuple(called, below)
      .map(([[prefix, given], set]) => `${prefix ? `${prefix}_${chosen.name}: ` : ''}${chosen.name}${given} ${set}`);
  });
  const inner = fc.oneof(
    { weight: 8, arbitrary: field },
    { weight: 1, arbitrary: fc.constant('__typename') },
    { weight: 1, arbitrary: field.map((text) => `... on ${type.name} { ${text} }`) },
    ...(type.name === 'Node' ? [{ weight: 1, arbitrary: fc.constantFrom('...Flat', '...Deep') }] : []),
  );
  return fc.array(inner, { minLength: 1, maxLength: 5 }).map((parts) => `{ ${parts.join(' ')} }`);
}

const fragments = `
  fragment Flat on Node { text one_count: count(of: 1) ...Flatter }
  fragment Flatter on Node { size odd }
  fragment Deep on Node { full { sure ...Flat } must { ...Flatter } }
`;

const documents = fc
  .constantFrom('query', 'mutation')
  .chain((kind) =>
    selectionSet(schema.getType(kind === 'query' ? 'Query' : 'Mutation') as GraphQLObjectType, 3).map(
      (set) => `${kind} ($n: Int!) ${set}`,
    ),
  )
  .map((operation) => {
    const used = operation.includes('...Deep')
      ? fragments
      : operation.includes('...Flat')
        ? fragments.split('fragment Deep')[0]
        : '';
    return operation.includes('$n)') ? `${operation}${used}` : `${operation.replace(' ($n: Int!)', '')}${used}`;
  });

const worlds = fc.record({
  seed: fc.integer(),
  trouble: fc.constantFrom(0, 0.05, 0.2),
  takesTime: fc.boolean(),
});

const shown = ({ data, errors }: ExecutionResult) => ({
  data: JSON.stringify(data),
  errors: errors?.map((error) => JSON.stringify([error, error.originalError?.message])),
});

describe('a compiled operation', () => {
  it('returns what graphql-js returns, including its errors', async () => {
    let failed = 0;
    await fc.assert(
      fc.asyncProperty(documents, worlds, async (text, world) => {
        const document = parse(text);
        fc.pre(validate(schema, document).length === 0);
        const operation = getOperationAST(document);
        const byName = new Map(
          document.definitions
            .filter((each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION)
            .map((each) => [each.name.value, each]),
        );
        const run = operation && compileOperation({ schema, operation, fragments: byName });
        if (!run) throw new Error('not plain');
        const variables = { n: 3 };
        const reference = execute({ schema, document, variableValues: variables, contextValue: world });
        const compiled = run({ variables, context: world });
        // Nothing is put off that the reference library does at once.
        if (!(reference instanceof Promise)) expect(compiled).not.toBeInstanceOf(Promise);
        const [theirs, ours] = await Promise.all([reference, compiled]);
        if (theirs.errors) failed += 1;
        expect(shown(ours)).toEqual(shown(theirs));
      }),
      { numRuns: runs(250) },
    );
    // Else it would not have been tried.
    expect(failed).toBeGreaterThan(30);
  }, 60_000);
});
