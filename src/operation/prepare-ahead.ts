import { setImmediate as inNextTurn } from 'node:timers/promises';
import { getIntrospectionQuery, getOperationAST, parse } from 'graphql';
import { admitDocument, type PreparedDocument } from '../documents/prepared-document.ts';
import { fragmentsOf } from '../documents/selections.ts';
import type { TrustedDocuments } from '../documents/trusted-documents.ts';
import { measureStandard } from '../documents/validation/introspection-size.ts';
import { compileOperation } from '../engine/compile-operation.ts';
import type { Telemetry } from '../telemetry/events.ts';
import type { FairTurns } from '../upstream/fair-turns.ts';
import type { PreparedOperation, ServedGeneration } from './prepared-operation.ts';

export interface PrepareAheadOptions {
  readonly turns: Pick<FairTurns, 'run'>;
  readonly generation: () => ServedGeneration;
  readonly telemetry: Pick<Telemetry, 'errorMasked' | 'documentsBroken'>;
}

/**
 * Prepares something beside requests, each step in a turn of its own. Call `start` whenever it must be prepared anew; it ends an
 * earlier run.
 * @param turnKey the share of this preparation in the fair turns of callers
 * @param toSteps called in a turn after `start`
 */
function createPrepareInTurns(
  turnKey: string,
  { turns, telemetry }: Pick<PrepareAheadOptions, 'turns' | 'telemetry'>,
  toSteps: () => Iterator<unknown>,
) {
  let runs = 0;

  const prepare = async (run: number): Promise<void> => {
    // The gateway is ready first.
    await inNextTurn();
    const steps = toSteps();
    let isDone = false;
    while (!isDone && run === runs) isDone = (await turns.run(turnKey, null, () => steps.next())).done === true;
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

/**
 * Introspects the generation in force, one part in a turn beside requests: the first introspection measures the schema, and all
 * of its code is slow at first, so that it would hold one turn for 100 ms. Keeps nothing but the schema's size. Call `start` for
 * each generation.
 */
export function createPrepareIntrospection({ generation, ...options }: PrepareAheadOptions) {
  return createPrepareInTurns('introspection', options, () => introspectInParts(generation()));
}

/** Does the work of the standard query for one type at each step, and reads short and then long documents. */
function* introspectInParts({ schema, ownSchema, documents }: ServedGeneration): Generator<void, void> {
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

/**
 * Prepares the trusted documents on the generation in force, in turns beside requests, and logs those that it rejects. Call
 * `start` for each generation and each manifest.
 */
export function createPrepareTrusted(
  trusted: Pick<TrustedDocuments, 'documents'>,
  { generation, ...options }: PrepareAheadOptions,
) {
  let known: ReadonlySet<string> = new Set();

  function* prepareEach(): Generator<void, void> {
    const { documents } = trusted;
    const { origin, limits, documents: store } = generation();
    // Without the ledger's schema, its fields are unknown.
    if (origin === 'none') return;
    const broken = new Map<string, string>();
    const preparing = store.pin(documents.map(({ text }) => text));
    for (const { id, name } of documents) {
      const step = preparing.next();
      if (step.done) return;
      const [error] = admitDocument(step.value, {}, limits).errors;
      const reason = error ?? refusalOf(step.value);
      if (reason) broken.set(id, `${name ?? id}: ${reason.message}`);
      yield;
    }
    preparing.next();
    const found = [...broken].filter(([id]) => !known.has(id)).map(([, text]) => text);
    known = new Set(broken.keys());
    if (found.length > 0) options.telemetry.documentsBroken(found);
  }

  return createPrepareInTurns('trusted documents', options, prepareEach);
}

function refusalOf(prepared: PreparedDocument<PreparedOperation>): PreparedOperation['refusal'] {
  return prepared.kind === 'readable' ? (prepared.operation(null)?.refusal ?? null) : null;
}
