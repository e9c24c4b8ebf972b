import { type FieldNode, GraphQLError, locatedError, type OperationDefinitionNode, parse, Source } from 'graphql';
import { expect, test } from 'vitest';
import { lightError, toLocatedError } from '../../../src/errors/light-error.ts';

const operation = parse('{\n one\n two\n}').definitions[0] as OperationDefinitionNode;
const nodes = operation.selectionSet.selections as readonly FieldNode[];
const path = ['items', 3, 'one'];

/** All that anybody reads of an error, but its stack. */
function shown(error: GraphQLError) {
  const { name, message, locations, extensions, source, positions, originalError } = error;
  const { path: at, nodes: of } = error;
  const told = JSON.stringify(error);
  return { told, text: String(error), name, message, locations, extensions, source, positions, originalError, at, of };
}

test.each([
  ['nothing but a message', {}],
  ['fields', { nodes, path }],
  ['no fields', { nodes: [] }],
  ['extensions', { path, extensions: { code: 'NO' } }],
  ['an error that has extensions', { path, originalError: new GraphQLError('x', { extensions: { code: 'NO' } }) }],
  ['an error that has none', { nodes, originalError: new Error('x') }],
])('an error with %s is printed like one of graphql-js', (_, options) => {
  expect(shown(lightError('no', options))).toEqual(shown(new GraphQLError('no', options)));
});

test('an error with locations is printed like one of graphql-js', () => {
  const source = new Source('one\ntwo');
  const light = lightError('no', { positions: { source, positions: [5], locations: [{ line: 2, column: 2 }] } });
  expect(shown(light)).toEqual(shown(new GraphQLError('no', { source, positions: [5] })));
});

test.each([
  ['an error', new Error('no')],
  ['an error with a code', new GraphQLError('no', { extensions: { code: 'NO' } })],
  ['an error that says where', new GraphQLError('no', { path: ['elsewhere'] })],
  ['an error at other fields', new GraphQLError('no', { nodes: nodes.slice(1) })],
  ['an error at a place of its own', new GraphQLError('no', { source: new Source('a\nb'), positions: [2] })],
  ['a text', 'no'],
])('%s that is thrown is located as by the library', (_, thrown) => {
  const light = shown(toLocatedError(thrown, nodes, path));
  expect({ ...light, originalError: null }).toEqual({
    ...shown(locatedError(thrown, nodes, path)),
    originalError: null,
  });
});

test('thousands at the same fields share their locations', () => {
  const errors = Array.from({ length: 3 }, () => lightError('no', { nodes, path }));
  expect(errors.map(({ stack }) => stack)).toEqual([undefined, undefined, undefined]);
  expect(errors[2]?.locations).toBe(errors[0]?.locations);
  expect(errors.every((error) => error instanceof GraphQLError && error instanceof Error)).toBe(true);
});
