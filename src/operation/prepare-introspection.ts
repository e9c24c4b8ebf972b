import { getIntrospectionQuery, getOperationAST, parse } from 'graphql';
import { fragmentsOf } from '../documents/selections.ts';
import { measureStandard } from '../documents/validation/introspection-size.ts';
import { compileOperation } from '../engine/compile-operation.ts';
import { createPrepareInTurns, type PrepareInTurnsOptions } from './prepare-in-turns.ts';
import type { ServedGeneration } from './prepared-operation.ts';

type Introspected = Pick<ServedGeneration, 'schema' | 'ownSchema' | 'documents'>;

export interface PrepareIntrospectionOptions extends Omit<PrepareInTurnsOptions, 'turnKey'> {
  readonly generation: () => Introspected;
}

/**
 * Introspects the generation in force, one part in a turn beside requests: the first introspection measures the schema, and all
 * of its code is slow at first, so that it would hold one turn for 100 ms. Keeps nothing but the schema's size. Call `start` for
 * each generation.
 */
export function createPrepareIntrospection({ generation, ...options }: PrepareIntrospectionOptions) {
  return createPrepareInTurns({ ...options, turnKey: 'introspection' }, () => introspectInParts(generation()));
}

/** Does the work of the standard query for one type at each step, and reads short and then long documents. */
function* introspectInParts({ schema, ownSchema, documents }: Introspected): Generator<void, void> {
  const standard = getIntrospectionQuery();
  const fragments = standard.slice(standard.indexOf('fragment FullType'));
  const document = parse(`query ($name: String!) { __type(name: $name) { ...FullType } } ${fragments}`);
  const operation = getOperationAST(document);
  yield;
  const run =
    operation &&
    compileOperation({ schema: ownSchema, shownSchema: schema, operation, fragments: fragmentsOf(document) });
  for (const name of Object.keys(schema.getTypeMap())) {
    yield;
    run?.({ variables: { name }, context: null });
  }
  yield* measureStandard(schema);
  const inputValues = fragments.slice(fragments.indexOf('fragment InputValue'));
  for (const each of [
    '{ __schema { queryType { name } } }',
    `{ __type(name: "Query") { inputFields { ...InputValue } } } ${inputValues}`,
    `{ __type(name: "Query") { ...FullType } } ${fragments}`,
    '{ __schema { types { fields { args { name } type { name ofType { name } } } } } }',
    standard,
  ]) {
    yield;
    documents.read(each);
  }
}
