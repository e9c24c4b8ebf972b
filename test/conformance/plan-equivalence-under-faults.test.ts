import fc from 'fast-check';
import type { ExecutionResult } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { Plan } from '../../src/documents/plan-operation.ts';
import { joinAlias } from '../../src/graph/joins/join-document.ts';
import {
  deepValues,
  errorWithoutPath,
  failingFields,
  failingNonNullRoots,
  harmlessFaults,
  type LedgerAnswer,
  type LedgerFault,
  wholeAnswerFaults,
} from '../support/ledger-faults.ts';
import { type CorpusOperation, operationCorpus } from '../support/operation-corpus.ts';
import { type PlannedAndStitched, startPlannedAndStitched } from '../support/planned-and-stitched.ts';
import { plausibleDocument } from '../support/plausible-documents.ts';
import { partOf, runs } from '../support/runs.ts';
import { type SpoilingUpstream, spoilAnswers } from '../support/spoilt-answers.ts';
import { type GraphqlDevnet, startGraphqlDevnet } from '../support/start-graphql-devnet.ts';

/**
 * Whatever the ledger's response contains, a plan must return what plain stitching returns. Stitching is known to be worse in
 * three cases, where the plan is compared with the ledger's response instead:
 * - If the ledger executes nothing and returns null, stitching returns an object of nulls, and cannot know the location in
 * the
 *   client's text, because it sent another text.
 * - Stitching drops an error without a path, or attaches it to the first null; the plan keeps it without a path.
 * - Once `data` is null, stitching reports the first field that caused it and drops the other errors.
 */
describe('whatever the ledger responds', () => {
  let devnet: GraphqlDevnet;
  let ledger: SpoilingUpstream;
  let gateway: PlannedAndStitched;

  beforeAll(async () => {
    // Stitching rewrites documents and may select more than the client did, so no limits apply here.
    const limits = {
      maxQueryNodes: 50_000,
      maxQueryPayloadSize: 500_000,
      maxOutputNodes: 50_000_000_000,
      maxQueryDepth: 60,
    };
    devnet = await startGraphqlDevnet({ limits });
    ledger = await spoilAnswers(devnet.devnet.graphqlUrl);
    const { rpcUrl, sponsorUrl } = devnet.devnet;
    gateway = await startPlannedAndStitched({
      graphqlUrl: ledger.url,
      rpcUrl,
      sponsorUrl,
      sponsorToken: 'token-of-this-test',
    });
  });

  afterAll(async () => {
    for (const each of [gateway, ledger, devnet]) await each?.[Symbol.asyncDispose]();
  });

  /** The results by plan and by stitching under the same faults, and the ledger's response to the plan. */
  async function answer(operation: CorpusOperation, ...faults: readonly LedgerFault[]) {
    ledger.faults = faults;
    ledger.exchanges.length = 0;
    const ours = toShown(await gateway.planned(operation));
    // Joins of an earlier operation may still arrive.
    const asked = ledger.exchanges.filter(({ body }) => !body.query.includes(`${joinAlias(0)}:`));
    const told = asked.map((exchange) => exchange.answer);
    const theirs = toShown(await gateway.stitched(operation));
    return { ours, theirs, told };
  }

  async function expectAgreement(operation: CorpusOperation, ...faults: readonly LedgerFault[]): Promise<Shown> {
    const { ours, theirs, told } = await answer(operation, ...faults);
    const why = `${operation.text}\n${JSON.stringify(operation.variables)}`;
    const plan = gateway.planOf(operation);
    const isAlone = gateway.isLedgersAlone(operation);
    const isLedgersWord = isAlone && isRefusal(ours);
    if (isLedgersWord) expect(emptied(theirs.data), why).toBe(ours.data);
    else expect(ours.data, why).toBe(theirs.data);
    // A response with ledger fields only keeps the ledger's order, which stitching does not know.
    if (isLedgersWord) expect(withoutPlaces(ours), why).toEqual(withoutPlaces(theirs));
    else if (ours.data !== 'null' && isAlone) {
      expect([...ours.errors].sort(), why).toEqual([...theirs.errors].sort());
    } else if (ours.data !== 'null') expect(ours.errors, why).toEqual(theirs.errors);
    else if (plan !== 'STITCHED') expect(ours.errors, why).toEqual(expect.arrayContaining([...theirs.errors]));
    else expectOneWithinOther(ours.errors, theirs.errors, why);
    if (plan === 'PASS_THROUGH' || plan === 'SPLIT') expectWordOfLedger(ours, told, why, plan === 'PASS_THROUGH');
    // Stitching's message for an unexplained null, and the gateway's for an unexpected error.
    for (const { message } of ours.parsed) expect(message, why).not.toMatch(/^Cannot return null|^Unexpected error/);
    return ours;
  }

  describe.each(operationCorpus)('$name', (operation) => {
    const number = operationCorpus.indexOf(operation);

    test(`is planned as ${operation.plan}, and agrees with stitching without faults`, async () => {
      expect(gateway.planOf(operation)).toBe(operation.plan);
      await expectAgreement(operation);
    });

    test('agrees when there is no response, or no usable one', async () => {
      for (const fault of partOf(Object.values(wholeAnswerFaults), 3, number)) {
        const { errors } = await expectAgreement(operation, fault);
        // The ledger was called, if at all, and its failure must belong to a field.
        expect(errors.length > 0 || operation.plan === 'LOCAL' || ledger.exchanges.length === 0).toBe(true);
      }
    });

    test('agrees when the response is unusual but correct', async () => {
      const plain = await expectAgreement(operation);
      for (const fault of partOf(Object.values(harmlessFaults), 3, number)) {
        expect(await expectAgreement(operation, fault)).toEqual(plain);
      }
      await expectAgreement(operation, deepValues);
    });

    test('agrees when fields fail, in usual and unusual responses', async () => {
      const odd = Object.values(harmlessFaults).filter(({ kind }) => kind === 'text');
      for (const [index, oneIn] of partOf([1, 2, 4, 9, 20], 2, number).entries()) {
        const failing = failingFields(number + index, oneIn);
        const plain = await expectAgreement(operation, failing);
        expect(await expectAgreement(operation, failing, odd[(number + index) % odd.length] as LedgerFault)).toEqual(
          plain,
        );
      }
      await expectAgreement(operation, failingNonNullRoots);
    });

    test('keeps an error without a path once, without a path', async () => {
      for (const faults of [[errorWithoutPath], [failingFields(7, 4), errorWithoutPath]]) {
        const { ours, theirs, told } = await answer(operation, ...faults);
        expect(ours.data).toBe(theirs.data);
        const wasLost = told.some((each) => each?.data);
        if ((operation.plan === 'PASS_THROUGH' || operation.plan === 'SPLIT') && wasLost) {
          expectWordOfLedger(ours, told, operation.text, operation.plan === 'PASS_THROUGH');
          expect(ours.parsed.filter(({ path }) => path === undefined)).toHaveLength(1);
        }
      }
    });
  });

  it('agrees on failing fields in plausible documents for the whole graph', async () => {
    const taken = new Map<Plan | null, number>();
    const failures = { some: 0, all: 0 };
    const document = fc.record({
      document: fc.integer({ min: 0, max: 1_000_000 }),
      fault: fc.integer({ min: 0, max: 1_000_000 }),
      oneIn: fc.constantFrom(2, 5, 15, 40, 100),
    });
    const agrees = fc.asyncProperty(document, async ({ document: seed, fault, oneIn }) => {
      const operation = plausibleDocument(gateway.generation.schema, seed);
      // The gateway's fields about itself have no resolvers here.
      fc.pre(!/\b(estimate|viewer|gateway)\b/.test(operation.text));
      // Some generated arguments have the wrong type.
      fc.pre(gateway.isValid(operation.text));
      const { data, errors } = await expectAgreement(operation, failingFields(fault, oneIn));
      const plan = gateway.planOf(operation);
      taken.set(plan, (taken.get(plan) ?? 0) + 1);
      if (errors.length > 0) failures[data === 'null' ? 'all' : 'some'] += 1;
    });
    await fc.assert(agrees, { numRuns: runs(50), seed: 20_261_121, maxSkipsPerRun: 10 });
    for (const plan of ['LOCAL', 'PASS_THROUGH', 'SPLIT', 'STITCHED'] as const) {
      expect(taken.get(plan), plan).toBeGreaterThan(0);
    }
    expect(Math.min(failures.some, failures.all)).toBeGreaterThan(7);
  });

  it('drops the extensions that would set the status of our own response', async () => {
    ledger.faults = [failingFields(1, 1)];
    const operation = { text: '{ a: epoch(id: 1) { epochId } b: checkpoint { digest } c: epoch(id: 2) { epochId } }' };
    for (const result of [await gateway.planned(operation), await gateway.stitched(operation)]) {
      expect(JSON.stringify(ledger.exchanges.map((exchange) => exchange.answer))).toContain('"http"');
      expect(result.errors).toHaveLength(3);
      expect(JSON.stringify(result)).not.toContain('"http"');
    }
  });
});

interface Shown {
  /** As text, so that key order counts. */
  readonly data: string;
  /** Each as text, in order, with the client's text at its locations. */
  readonly errors: readonly string[];
  readonly parsed: readonly ShownError[];
}

/** Was nothing executed? Then no error belongs to a field. */
function isRefusal({ data, parsed }: Shown): boolean {
  return data === 'null' && parsed.length > 0 && parsed.every(({ path }) => path === undefined);
}

function withoutPlaces({ parsed }: Shown): string[] {
  return parsed.map((error) => JSON.stringify({ ...error, locations: undefined })).sort();
}

/** Counts data that contain only `__typename`, under any keys, as none. */
function emptied(data: string): string {
  const values = Object.values(JSON.parse(data) ?? {});
  return values.every((value) => value === null || value === 'Query') ? 'null' : data;
}

interface ErrorLike {
  readonly message: string;
  readonly path?: readonly (string | number)[] | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

interface ShownError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: Readonly<Record<string, unknown>>;
}

function toShown({ data, errors = [] }: ExecutionResult): Shown {
  for (const { extensions } of errors) expect(extensions).toMatchObject({ retry: expect.any(String) });
  const parsed = errors.map((error) => toShownError(error));
  const placed = parsed.map((error, index) => JSON.stringify({ ...error, locations: errors[index]?.locations }));
  return { data: JSON.stringify(data), errors: placed, parsed };
}

function toShownError({ message, path, extensions = {} }: ErrorLike): ShownError {
  const { http: _, debug: __, retry: ___, ...shown } = extensions;
  // An error of the ledger without a code gets one.
  const code = message.startsWith('Failed to parse "') ? 'BAD_USER_INPUT' : 'LEDGER_ERROR';
  const extended = typeof shown.code === 'string' ? shown : { ...shown, code };
  return { message, ...(path && { path }), extensions: extended };
}

/**
 * The data of an operation with several ledger requests may become null before all were sent. The number of errors then
 * depends on timing, but no plan may have an error of its own.
 */
function expectOneWithinOther(ours: readonly string[], theirs: readonly string[], why: string): void {
  const [fewer, more] = ours.length < theirs.length ? [ours, theirs] : [theirs, ours];
  expect(fewer.length, why).toBeGreaterThan(0);
  expect(more, why).toEqual(expect.arrayContaining([...fewer]));
}

/** No error of the ledger's response is lost or moved. */
function expectWordOfLedger(
  ours: Shown,
  told: readonly (LedgerAnswer | undefined)[],
  why: string,
  isAlone: boolean,
): void {
  const shown = ours.parsed.map((error) => JSON.stringify(error));
  for (const answer of told) {
    // If the ledger executed nothing, each field gets its errors; stitching tells which fields.
    if (!answer || !Array.isArray(answer.errors) || (!answer.data && answer.errors.every(({ path }) => !path)))
      continue;
    const said = answer.errors.map((error) => JSON.stringify(toShownError(error)));
    expect(shown, why).toEqual(isAlone ? said : expect.arrayContaining(said));
    const data = JSON.parse(ours.data) as Record<string, unknown> | null;
    for (const [key, value] of Object.entries(data ? (answer.data ?? {}) : {})) {
      expect(JSON.stringify(data?.[key]), why).toBe(JSON.stringify(value));
    }
  }
}
