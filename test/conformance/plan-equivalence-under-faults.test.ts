import fc from 'fast-check';
import type { ExecutionResult } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { Plan } from '../../src/documents/plan/plan-operation.ts';
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
import { runs } from '../support/runs.ts';
import { type SpoilingUpstream, spoilAnswers } from '../support/spoilt-answers.ts';
import { type GraphqlDevnet, startGraphqlDevnet } from '../support/start-graphql-devnet.ts';

/**
 * Whatever becomes of the ledger's answer, an operation's plan makes of it what plain stitching does. Stitching is known
 * to do worse in three ways, and there ours is held against what the ledger said:
 * - where the ledger executes nothing and answers null, it puts an object of nulls in place of that, and where in the
 *   client's text the ledger found fault it cannot know, having sent another
 * - an error without a path beside data it drops, or pins to whatever is null first; ours leaves it without one
 * - once the data are null as a whole, it reports the first field that led to it and forgets the others
 */
describe('whatever the ledger answers', () => {
  let devnet: GraphqlDevnet;
  let ledger: SpoilingUpstream;
  let gateway: PlannedAndStitched;

  beforeAll(async () => {
    // Stitching rewrites documents and may ask for more than the client did; here nothing is too much.
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

  /** The answers by plan and by stitching under the same faults, and what the ledger said when asked by plan. */
  async function answer(operation: CorpusOperation, ...faults: readonly LedgerFault[]) {
    ledger.faults = faults;
    ledger.exchanges.length = 0;
    const ours = toShown(await gateway.planned(operation));
    // Joins of an operation before this one, answered without waiting for them, may still come in.
    const asked = ledger.exchanges.filter(({ body }) => !body.query.includes(`${joinAlias(0)}:`));
    const told = asked.map((exchange) => exchange.answer);
    const theirs = toShown(await gateway.stitched(operation));
    return { ours, theirs, told };
  }

  async function expectAgreement(operation: CorpusOperation, ...faults: readonly LedgerFault[]): Promise<Shown> {
    const { ours, theirs, told } = await answer(operation, ...faults);
    const why = `${operation.text}\n${JSON.stringify(operation.variables)}`;
    const plan = gateway.planOf(operation);
    const isLedgersWord = plan === 'PASS_THROUGH' && isRefusal(ours);
    if (isLedgersWord) expect(emptied(theirs.data), why).toBe(ours.data);
    else expect(ours.data, why).toBe(theirs.data);
    // What is the ledger's alone keeps the ledger's order, which stitching does not know.
    if (isLedgersWord) expect(withoutPlaces(ours), why).toEqual(withoutPlaces(theirs));
    else if (ours.data !== 'null' && plan === 'PASS_THROUGH') {
      expect([...ours.errors].sort(), why).toEqual([...theirs.errors].sort());
    } else if (ours.data !== 'null') expect(ours.errors, why).toEqual(theirs.errors);
    else if (plan !== 'STITCHED') expect(ours.errors, why).toEqual(expect.arrayContaining([...theirs.errors]));
    else expectOneWithinOther(ours.errors, theirs.errors, why);
    if (plan === 'PASS_THROUGH' || plan === 'SPLIT') expectWordOfLedger(ours, told, why, plan === 'PASS_THROUGH');
    // What stitching says of a null that it cannot explain, and what we say of what we did not foresee.
    for (const { message } of ours.parsed) expect(message, why).not.toMatch(/^Cannot return null|^Unexpected error/);
    return ours;
  }

  describe.each(operationCorpus)('$name', (operation) => {
    test(`is planned as ${operation.plan}, and agrees with stitching when all is well`, async () => {
      expect(gateway.planOf(operation)).toBe(operation.plan);
      await expectAgreement(operation);
    });

    test('agrees when there is no answer, or none that can be used', async () => {
      for (const fault of Object.values(wholeAnswerFaults)) {
        const { errors } = await expectAgreement(operation, fault);
        // It has been asked, if at all; and a failure of its own is never nobody's.
        expect(errors.length > 0 || operation.plan === 'LOCAL' || ledger.exchanges.length === 0).toBe(true);
      }
    });

    test('agrees when the answer is oddly put', async () => {
      const plain = await expectAgreement(operation);
      for (const fault of Object.values(harmlessFaults)) expect(await expectAgreement(operation, fault)).toEqual(plain);
      await expectAgreement(operation, deepValues);
    });

    test('agrees when fields fail, oddly put or not', async () => {
      const odd = Object.values(harmlessFaults).filter(({ kind }) => kind === 'text');
      for (const [index, oneIn] of [1, 2, 4, 9, 20].entries()) {
        const failing = failingFields(operationCorpus.indexOf(operation) + index, oneIn);
        const plain = await expectAgreement(operation, failing);
        expect(await expectAgreement(operation, failing, odd[index % odd.length] as LedgerFault)).toEqual(plain);
      }
      await expectAgreement(operation, failingNonNullRoots);
    });

    test('keeps an error that names no field, once and without a path', async () => {
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

  it('agrees on fields failing in documents a person could write for the whole graph', async () => {
    const taken = new Map<Plan | null, number>();
    const failures = { some: 0, all: 0 };
    const document = fc.record({
      document: fc.integer({ min: 0, max: 1_000_000 }),
      fault: fc.integer({ min: 0, max: 1_000_000 }),
      oneIn: fc.constantFrom(2, 5, 15, 40, 100),
    });
    const agrees = fc.asyncProperty(document, async ({ document: seed, fault, oneIn }) => {
      const operation = plausibleDocument(gateway.generation.schema, seed);
      // What the gateway says of itself has no resolvers here.
      fc.pre(!/\b(estimate|viewer|gateway)\b/.test(operation.text));
      // Not every argument made up is one of its type.
      fc.pre(gateway.isValid(operation.text));
      const { data, errors } = await expectAgreement(operation, failingFields(fault, oneIn));
      const plan = gateway.planOf(operation);
      taken.set(plan, (taken.get(plan) ?? 0) + 1);
      if (errors.length > 0) failures[data === 'null' ? 'all' : 'some'] += 1;
    });
    await fc.assert(agrees, { numRuns: runs(100), seed: 20_261_121, maxSkipsPerRun: 10 });
    for (const plan of ['LOCAL', 'PASS_THROUGH', 'SPLIT', 'STITCHED'] as const) {
      expect(taken.get(plan), plan).toBeGreaterThan(1);
    }
    expect(Math.min(failures.some, failures.all)).toBeGreaterThan(15);
  });

  it('is shown without what would set the status of our own answer', async () => {
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
  /** As text, so that the order of keys counts. */
  readonly data: string;
  /** Each as text, in their order, with what of the client's text they point at. */
  readonly errors: readonly string[];
  readonly parsed: readonly ShownError[];
}

/** Was nothing executed? Then no error is of any field. */
function isRefusal({ data, parsed }: Shown): boolean {
  return data === 'null' && parsed.length > 0 && parsed.every(({ path }) => path === undefined);
}

function withoutPlaces({ parsed }: Shown): string[] {
  return parsed.map((error) => JSON.stringify({ ...error, locations: undefined })).sort();
}

/** Data with nothing in them but the name of their type, under whatever keys, taken for none. */
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
  const parsed = errors.map((error) => toShownError(error));
  const placed = parsed.map((error, index) => JSON.stringify({ ...error, locations: errors[index]?.locations }));
  return { data: JSON.stringify(data), errors: placed, parsed };
}

function toShownError({ message, path, extensions = {} }: ErrorLike): ShownError {
  const { http: _, debug: __, ...shown } = extensions;
  // An error of the ledger without a code gets one.
  const code = message.startsWith('Failed to parse "') ? 'BAD_USER_INPUT' : 'LEDGER_ERROR';
  const extended = typeof shown.code === 'string' ? shown : { ...shown, code };
  return { message, ...(path && { path }), extensions: extended };
}

/**
 * The data of an operation that asks the ledger several times may be null before all has been asked. How many errors are
 * known by then depends on who was faster; none may be known to one way only.
 */
function expectOneWithinOther(ours: readonly string[], theirs: readonly string[], why: string): void {
  const [fewer, more] = ours.length < theirs.length ? [ours, theirs] : [theirs, ours];
  expect(fewer.length, why).toBeGreaterThan(0);
  expect(more, why).toEqual(expect.arrayContaining([...fewer]));
}

/** Of what the ledger said in answer to its part of the operation, nothing is lost and nothing is moved. */
function expectWordOfLedger(
  ours: Shown,
  told: readonly (LedgerAnswer | undefined)[],
  why: string,
  isAlone: boolean,
): void {
  const shown = ours.parsed.map((error) => JSON.stringify(error));
  for (const answer of told) {
    // Where it did not execute anything, its errors are said of each field; stitching tells which.
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
