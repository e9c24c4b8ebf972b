import { setImmediate as inNextTurn } from 'node:timers/promises';
import { getIntrospectionQuery, getOperationAST, parse } from 'graphql';
import { fragmentsOf } from '../documents/selections.ts';
import { measureStandard } from '../documents/validation/introspection-size.ts';
import { compileOperation } from '../engine/compile-operation.ts';
import type { Telemetry } from '../telemetry/events.ts';
import type { FairTurns } from './fair-turns.ts';
import type { ServedGeneration } from './prepared-operation.ts';

type Introspected = Pick<ServedGeneration, 'schema' | 'ownSchema' | 'documents'>;

export interface PrepareIntrospectionOptions {
  readonly generation: () => Introspected;
  readonly turns: Pick<FairTurns, 'run'>;
  readonly telemetry: Pick<Telemetry, 'errorMasked'>;
}

/** The share of preparation in the fair turns of callers. */
const turnKey = 'introspection';
const client = { onGone: () => {} };

/**
 * Introspects the generation in force, one part in a turn beside requests: the first introspection measures the schema, and all
 * of its code is slow at first, so that it would hold one turn for 100 ms. Keeps nothing but the schema's size. Call `start` for
 * each generation; it ends an earlier run.
 */
export function createPrepareIntrospection({ generation, turns, telemetry }: PrepareIntrospectionOptions) {
  let runs = 0;

  const prepare = async (run: number): Promise<void> => {
    // The gateway is ready first.
    await inNextTurn();
    const parts = introspectInParts(generation());
    let isDone = false;
    while (!isDone && run === runs) isDone = (await turns.run(turnKey, client, () => parts.next())).done === true;
  };

  return {
    start(): void {
      runs += 1;
      prepare(runs).catch((error: unknown) => telemetry.errorMasked(error, undefined));
    },
    stop(): void {
      runs += 1;
    },
  };
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
