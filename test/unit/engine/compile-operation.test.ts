import {
  buildSchema,
  type ExecutionResult,
  execute,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  parse,
  responsePathAsArray,
  type SelectionSetNode,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { type CompiledJoins, compileOperation } from '../../../src/engine/compile-operation.ts';
import { addFailure } from '../../../src/engine/compile-value.ts';

const sdl = `
  type Query {
    text: String
    number(of: Int! = 3, twice: Boolean): Int
    filtered(by: Filter): String
    animal(which: Int!): Animal
    animals: [Animal]
    dog(name: String): Dog
    dogs(count: Int!): [Dog!]!
    maybeDogs: [Dog]
    must: String!
    matrix: [[Int!]]
  }
  type Mutation { add(text: String!): String addLater(text: String!): String fail: String! }
  type Subscription { ticks: Int }
  input Filter { all: Boolean = true not: Filter }
  enum Size { SMALL LARGE }
  interface Animal { name: String }
  type Cat implements Animal { name: String lives: Int }
  type Dog implements Animal { name: String size: Size! friend: Dog noisy: String! }
`;

type Resolver = (source: unknown, args: Record<string, unknown>, context: unknown, info: GraphQLResolveInfo) => unknown;

function schemaWith(resolvers: Record<string, Record<string, Resolver>>): GraphQLSchema {
  const schema = buildSchema(sdl);
  for (const [type, fields] of Object.entries(resolvers)) {
    const target = schema.getType(type) as GraphQLObjectType;
    for (const [name, resolve] of Object.entries(fields)) {
      const field = target.getFields()[name];
      if (field) field.resolve = resolve as never;
    }
  }
  return schema;
}

function compile(schema: GraphQLSchema, text: string, joinOf?: CompiledJoins['joinOf']) {
  const document = parse(text);
  const operation = getOperationAST(document);
  if (!operation) throw new Error('no operation');
  const fragments = new Map(
    document.definitions
      .filter((each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION)
      .map((each) => [each.name.value, each]),
  );
  return compileOperation({
    schema,
    operation,
    fragments,
    ...(joinOf ? { joins: () => ({ joinOf, answer: noAnswer }) } : {}),
  });
}

function noAnswer(): never {
  throw new Error('each request brings the answers to its joins');
}

/** Both ways, each as far as the wire and the log can see it. */
async function both(schema: GraphQLSchema, text: string, variables: Record<string, unknown> = {}) {
  const run = compile(schema, text);
  const context = { who: 'somebody' };
  const reference = await execute({
    schema,
    document: parse(text),
    variableValues: variables,
    contextValue: context,
  });
  return { compiled: shown(await run({ variables, context })), reference: shown(reference) };
}

const shown = ({ data, errors }: ExecutionResult) => ({
  data: JSON.stringify(data),
  errors: errors?.map((error) => ({
    ...error.toJSON(),
    original: error.originalError && [error.originalError.name, error.originalError.message],
  })),
});

const rex = { name: 'Rex', size: 'SMALL', noisy: 'wuff' };

describe('a compiled operation', () => {
  it('returns synchronously if no resolver is asynchronous', () => {
    const run = compile(schemaWith({ Query: { text: () => 'a' } }), '{ b: text a: text __typename }');
    expect(JSON.stringify(run({ variables: {}, context: null }))).toBe(
      '{"data":{"b":"a","a":"a","__typename":"Query"}}',
    );
  });

  it('handles a late rejection in a list that has already failed', async () => {
    const unheard: unknown[] = [];
    const note = (reason: unknown) => void unheard.push(reason);
    process.on('unhandledRejection', note);
    try {
      const dogs = () => [new Promise((_, reject) => setImmediate(() => reject(new Error('late')))), null];
      const run = compile(schemaWith({ Query: { dogs } }), '{ dogs(count: 2) { name } }');
      const { data, errors } = await run({ variables: {}, context: null });
      expect(data).toBeNull();
      expect(errors?.map(({ message }) => message)).toEqual(['Cannot return null for non-nullable field Query.dogs.']);
      // The rejection comes in the next turn, and is told in the one after.
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(unheard).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });

  it('omits arguments whose variables have no value, and applies defaults', () => {
    const seen: Record<string, unknown>[] = [];
    const number = (_: unknown, args: Record<string, unknown>) => seen.push(args);
    const run = compile(
      schemaWith({ Query: { number, filtered: (_, args) => void seen.push(args) } }),
      'query ($n: Int!, $t: Boolean, $f: Filter) { number(of: $n, twice: $t) filtered(by: $f) }',
    );
    run({ variables: {}, context: null });
    run({ variables: { n: 5, t: null }, context: null });
    expect(seen.map((args) => Object.entries(args))).toEqual([
      [['of', 3]],
      [],
      [
        ['of', 5],
        ['twice', null],
      ],
      [],
    ]);
  });

  it.each([
    ['names and lists', '{ dogs(count: 2) { n: name size } }', {}],
    ['several selections of one field', '{ dog { name } dog { size __typename } dog { friend { name } } }', {}],
    [
      'fragments',
      '{ ...Q } fragment Q on Query { dog { ...D ... on Animal { name } noisy ... { size } ...D } } fragment D on Dog { name }',
      {},
    ],
    ['constant arguments', '{ a: number b: number(of: 4) c: number(twice: true) d: number(of: 1, twice: null) }', {}],
    ['variables', 'query ($n: Int!, $t: Boolean) { number(of: $n, twice: $t) }', { n: 5 }],
    ['input objects', '{ a: filtered b: filtered(by: { all: false }) c: filtered(by: { not: {} }) }', {}],
    ['input objects of variables', 'query ($a: Boolean) { filtered(by: { all: $a }) }', { a: false }],
    ['variables without a value', 'query ($n: Int) { a: number(of: $n) dog(name: "x") { name } }', {}],
    ['null where the argument may not be', 'query ($n: Int) { a: number(of: $n) b: text }', { n: null }],
    ['a name that objects have anyway', '{ constructor: text toString: text dog { valueOf: name } }', {}],
  ])('returns what graphql-js returns: %s', async (_, text, variables) => {
    const schema = schemaWith({
      Query: {
        text: () => 'text',
        number: (_source, args) => (args.twice ? 2 : 1) * Number(args.of),
        filtered: (_source, args) => JSON.stringify(args),
        dog: (_source, args) => ({ ...rex, ...args, friend: { ...rex } }),
        dogs: (_source, { count }) => Array.from({ length: Number(count) }, () => rex),
      },
    });
    const { compiled, reference } = await both(schema, text, variables);
    expect(compiled).toEqual(reference);
  });

  const failing: Record<string, () => unknown> = {
    'throws an error': () => {
      throw new Error('thrown');
    },
    'throws what is no error': () => {
      throw 'text';
    },
    'gives an error': () => new Error('given'),
    'gives an error of its own place': () => new GraphQLError('placed', { path: ['elsewhere'] }),
    'gives an error with extensions': () => new GraphQLError('coded', { extensions: { code: 'X' } }),
    rejects: () => Promise.reject(new Error('rejected')),
    'promises an error': () => Promise.resolve(new Error('promised')),
    'gives null': () => null,
    'gives what is no list': () => 7,
    'gives a list with holes': () => [rex, null, undefined, new Error('item')],
    'gives a list of promises': () => [Promise.resolve(rex), Promise.reject(new Error('late')), Promise.resolve(null)],
    'gives a list of what is wrong': () => [{ ...rex, size: 'HUGE' }, Promise.resolve({ ...rex, noisy: null })],
    'gives methods': () => new Set([{ name: () => 'called', size: () => Promise.resolve('LARGE'), noisy: () => 1n }]),
  };
  it.each(Object.keys(failing))('fails as in graphql-js: a resolver that %s', async (how) => {
    const resolve = failing[how] as () => unknown;
    const schema = schemaWith({
      Query: { must: () => 'there', maybeDogs: resolve, dogs: resolve, text: () => 'text' },
    });
    for (const text of [
      '{ must maybeDogs { name size noisy } text }',
      '{ must dogs(count: 1) { friend { noisy } noisy size } text }',
      '{ text a: maybeDogs { friend { name } noisy } b: maybeDogs { size } }',
    ]) {
      const { compiled, reference } = await both(schema, text);
      expect(compiled, text).toEqual(reference);
    }
  });

  it('runs mutations one after the other and stops at a non-null field that fails', async () => {
    const done: string[] = [];
    const schema = schemaWith({
      Mutation: {
        add: (_source, { text }) => {
          done.push(String(text));
          return text;
        },
        addLater: async (_source, { text }) => {
          await new Promise((resolve) => setImmediate(resolve));
          done.push(String(text));
          return text;
        },
        fail: () => {
          throw new Error('no further');
        },
      },
    });
    const fine = compile(schema, 'mutation { a: addLater(text: "1") b: add(text: "2") c: addLater(text: "3") }');
    expect(JSON.stringify(await fine({ variables: {}, context: null }))).toBe('{"data":{"a":"1","b":"2","c":"3"}}');
    expect(done).toEqual(['1', '2', '3']);
    const stopped = compile(schema, 'mutation { a: addLater(text: "4") fail b: add(text: "5") }');
    expect(await stopped({ variables: {}, context: null })).toMatchObject({
      data: null,
      errors: [{ message: 'no further', path: ['fail'] }],
    });
    expect(done).toEqual(['1', '2', '3', '4']);
  });

  it('passes resolvers the same arguments as graphql-js', async () => {
    const seen: unknown[] = [];
    const schema = schemaWith({
      Query: { dogs: () => [rex] },
      Dog: {
        name: (source, args, context, info) => {
          const { path, fragments, ...rest } = info;
          const plain = {
            ...rest,
            path: responsePathAsArray(path),
            typename: path.typename,
            names: Object.keys(fragments),
          };
          seen.push([source, args, context, plain]);
          return 'seen';
        },
      },
    });
    const document = parse('query ($n: Int!) { x: dogs(count: $n) { y: name ...D } } fragment D on Dog { y: name }');
    const variables = { n: 1 };
    const fragment = document.definitions[1] as FragmentDefinitionNode;
    const operation = getOperationAST(document);
    if (!operation) throw new Error('no operation');
    const run = compileOperation({ schema, operation, fragments: new Map([['D', fragment]]) });
    await run({ variables, context: 'c' });
    await execute({ schema, document, variableValues: variables, contextValue: 'c' });
    expect(seen).toHaveLength(2);
    expect(seen[0]).toEqual(seen[1]);
  });

  it('keeps nothing between requests', () => {
    const schema = schemaWith({
      Query: {
        number: (_source, args) => {
          args.of = Number(args.of) + 1;
          return args.of;
        },
        filtered: (_source, { by }) => {
          (by as { all: boolean }).all = !(by as { all: boolean }).all;
          return JSON.stringify(by);
        },
      },
    });
    const run = compile(schema, '{ number(of: 1) filtered(by: { all: false }) }');
    const first = run({ variables: {}, context: null });
    expect(run({ variables: {}, context: null })).toEqual(first);
  });
});

describe('an unusual operation', () => {
  const animals = [rex, { ...rex, __typename: 'Dog' }, { __typename: 'Cat', lives: 9 }, { __typename: 'Query' }, 7];
  const schema = () =>
    schemaWith({
      Query: {
        text: () => 'text',
        dog: () => ({ ...rex, friend: rex }),
        animal: (_source, { which }) => animals[Number(which)],
        animals: () => [animals[1], Promise.resolve(animals[2]), animals[0], null],
        must: () => null,
      },
    });

  it.each([
    ['directives on fields', 'query ($x: Boolean!) { text @skip(if: $x) b: text @include(if: $x) }'],
    [
      'directives on fragments',
      'query ($x: Boolean!) { ... @include(if: $x) { text } ... @include(if: true) { b: text } }',
    ],
    [
      'directives on spreads',
      'query ($x: Boolean!) { dog { ...D @include(if: $x) size } } fragment D on Dog { name friend { size @skip(if: $x) } }',
    ],
    [
      'directives that decide the order of keys',
      'query ($x: Boolean!, $y: Boolean!) { text @skip(if: $x) dog { name } text ... @include(if: $y) { c: text } }',
    ],
    ['a field left out everywhere', 'query ($x: Boolean!) { dog { name @skip(if: $x) } }'],
    ['abstract types', '{ a: animal(which: 1) { name ... on Dog { size } ... on Cat { lives } } }'],
    ['lists of abstract types', '{ animals { __typename name ... on Cat { lives } ... on Animal { n: name } } }'],
    ['a key that objects inherit', '{ __proto__: text dog { __proto__: name size } }'],
    ['fields that the schema has not', '{ unknown text }'],
    ['many fields', `{ ${Array.from({ length: 1_001 }, (_, index) => `a${index}: text`).join(' ')} }`],
  ])('returns what graphql-js returns: %s', async (_, text) => {
    for (const x of [true, false, true]) {
      for (const y of [false, true]) {
        const { compiled, reference } = await both(schema(), text, { x, y });
        expect(compiled, `${x} ${y}`).toEqual(reference);
      }
    }
  });

  it.each([0, 3, 4])('reports a value whose type nothing tells: %i', async (which) => {
    const { data, errors } = await compile(
      schema(),
      `{ animal(which: ${which}) { name } text }`,
    )({
      variables: {},
      context: null,
    });
    expect(data).toEqual({ animal: null, text: 'text' });
    expect(errors).toMatchObject([{ path: ['animal'], message: expect.stringContaining('Abstract type "Animal"') }]);
  });

  it('compiles only what it meets, however often fragments select one another', async () => {
    const fragments = Array.from(
      { length: 40 },
      (_, index) => `fragment F${index} on Dog { a: friend { ...F${index + 1} } b: friend { ...F${index + 1} } name }`,
    );
    const text = `{ dog { ...F0 } } ${fragments.join(' ')} fragment F40 on Dog { name }`;
    const { compiled, reference } = await both(schema(), text);
    expect(compiled).toEqual(reference);
  });

  it('executes the selection of a stream on each of its items', async () => {
    const run = compile(schema(), 'subscription ($x: Boolean!) { t: ticks @include(if: $x) }');
    expect(await run({ variables: { x: true }, context: null, rootValue: { ticks: 5 } })).toEqual({ data: { t: 5 } });
  });
});

describe('joins', () => {
  const key = (text: string) => (getOperationAST(parse(text)) as { selectionSet: SelectionSetNode }).selectionSet;
  const join = { key: key('{ __id: name }') };
  const joinOf: CompiledJoins['joinOf'] = (parent, [node]) =>
    parent.name === 'Dog' && node?.name.value === 'owner' ? join : null;
  const dogs = [rex, { ...rex, name: 'Bob' }];
  const text = '{ first: dogs(count: 2) { o: owner { address } size } maybeDogs { owner { address } noisy } }';

  it('are resolved together below each root field, under the response keys of the client', async () => {
    const schema = schemaWith({ Query: { dogs: () => dogs, maybeDogs: () => [rex, { ...rex, noisy: null }] } });
    const asked: unknown[] = [];
    const result = await compile(
      schema,
      text,
      joinOf,
    )({
      variables: {},
      context: null,
      answerJoins: () => async (points) => {
        asked.push(
          points.map(({ field, key: { __id }, path }) => [field === join, __id, responsePathAsArray(path).join('.')]),
        );
        return points.map(({ key: { __id } }) => ({ value: { address: __id }, errors: [] }));
      },
    });
    expect(asked).toEqual([
      [
        [true, 'Rex', 'first.0.o'],
        [true, 'Bob', 'first.1.o'],
      ],
      // The second dog is gone with the null in it, and nobody asks for its owner.
      [[true, 'Rex', 'maybeDogs.0.owner']],
    ]);
    expect(JSON.stringify(result.data)).toBe(
      '{"first":[{"o":{"address":"Rex"},"size":"SMALL"},{"o":{"address":"Bob"},"size":"SMALL"}],' +
        '"maybeDogs":[{"owner":{"address":"Rex"},"noisy":"wuff"},null]}',
    );
    expect(result.errors?.map(({ path }) => path)).toEqual([['maybeDogs', 1, 'noisy']]);
  });

  it('add their errors to the answer', async () => {
    const schema = schemaWith({ Query: { dogs: () => dogs } });
    const error = new GraphQLError('no', { path: ['dogs', 0, 'owner', 'address'] });
    const result = await compile(
      schema,
      '{ dogs(count: 2) { owner { address } } }',
      joinOf,
    )({
      variables: {},
      context: null,
      answerJoins: () => async () => [
        { value: { address: null }, errors: [error] },
        { value: null, errors: [] },
      ],
    });
    expect(result).toEqual({ data: { dogs: [{ owner: { address: null } }, { owner: null }] }, errors: [error] });
  });

  it('make no call if there is nothing to join', async () => {
    const schema = schemaWith({ Query: { dogs: () => [], maybeDogs: () => null } });
    const asked: number[] = [];
    const result = await compile(
      schema,
      text,
      joinOf,
    )({
      variables: {},
      context: null,
      answerJoins: () => async (points) => {
        asked.push(points.length);
        return [];
      },
    });
    expect(result).toEqual({ data: { first: [], maybeDogs: null } });
    // Each root field says that it is done, since others may wait for it.
    expect(asked).toEqual([0, 0]);
  });

  it.each([
    [
      'at once',
      () => {
        throw new Error('no dogs');
      },
    ],
    ['later', () => Promise.reject(new Error('no dogs'))],
  ])('are given up where their root field fails %s, so that no other waits for it', async (_, dogs) => {
    const schema = schemaWith({ Query: { dogs } });
    const asked: number[] = [];
    const result = await compile(
      schema,
      '{ dogs(count: 1) { owner { address } } }',
      joinOf,
    )({
      variables: {},
      context: null,
      answerJoins: () => async (points) => {
        asked.push(points.length);
        return [];
      },
    });
    expect(result.errors?.map(({ message }) => message)).toEqual(['no dogs']);
    expect(asked).toEqual([0]);
  });

  it('add no errors to a response that is already null', async () => {
    const schema = schemaWith({ Query: { dogs: () => dogs, must: () => Promise.reject(new Error('no data')) } });
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const result = await compile(
      schema,
      '{ dogs(count: 2) { owner { address } } must }',
      joinOf,
    )({
      variables: {},
      context: null,
      answerJoins: () => async (points) => {
        await answered;
        return points.map(({ name }) => ({ value: null, errors: [new GraphQLError(`no ${name}`)] }));
      },
    });
    answer();
    await new Promise((resolve) => setImmediate(resolve));
    expect([result.data, result.errors?.map(({ message }) => message)]).toEqual([null, ['no data']]);
  });
});

it('reports no error below a position that an error has made null', () => {
  const failures = { errors: [], nulled: null };
  const above = { prev: undefined, key: 'a', typename: 'Query' };
  const [first, second] = [new GraphQLError('first'), new GraphQLError('second')];
  addFailure(failures, first, above);
  addFailure(failures, second, { prev: above, key: 'b', typename: 'A' });
  expect(failures.errors).toEqual([first]);
});
