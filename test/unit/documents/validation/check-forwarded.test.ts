import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type DocumentNode,
  ExecutableDefinitionsRule,
  KnownFragmentNamesRule,
  LoneAnonymousOperationRule,
  NoFragmentCyclesRule,
  NoUndefinedVariablesRule,
  NoUnusedFragmentsRule,
  NoUnusedVariablesRule,
  parse,
  ScalarLeafsRule,
  specifiedRules,
  UniqueDirectivesPerLocationRule,
  UniqueFragmentNamesRule,
  UniqueOperationNamesRule,
  UniqueVariableNamesRule,
  VariablesAreInputTypesRule,
  validate,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { checkDocument, shippedLimits } from '../../../../src/documents/cost/limits.ts';
import { measureDocument } from '../../../../src/documents/cost/measure-document.ts';
import { canForward } from '../../../../src/documents/validation/check-forwarded.ts';
import { mutate, richDocument, wordsOf } from '../../../support/rich-documents.ts';

const schema = buildSchema(readFileSync(new URL('../../../../schema/public.graphql', import.meta.url), 'utf8'));

const isForwarded = (document: DocumentNode): boolean => {
  const measured = measureDocument(document, 0);
  return checkDocument(measured, shippedLimits) === null && canForward(measured, schema);
};

/** Whatever the ledger says about a document, these must hold before it is planned, coerced and forwarded. */
const rulesOfForwarding = [
  ExecutableDefinitionsRule,
  UniqueOperationNamesRule,
  LoneAnonymousOperationRule,
  UniqueFragmentNamesRule,
  KnownFragmentNamesRule,
  NoUnusedFragmentsRule,
  NoFragmentCyclesRule,
  UniqueVariableNamesRule,
  NoUndefinedVariablesRule,
  NoUnusedVariablesRule,
  VariablesAreInputTypesRule,
  UniqueDirectivesPerLocationRule,
];

test('documents are forwarded if and only if their names, fragments, variables and directives are valid', () => {
  const words = wordsOf(schema);
  const outcomes = { forwarded: 0, refused: 0, leftToTheLedger: 0 };
  for (let seed = 0; seed < 600; seed += 1) {
    const rich = richDocument(schema, seed % 60);
    const text = seed < 60 ? rich : mutate(rich, words, seed);
    let document: DocumentNode;
    try {
      document = parse(text);
    } catch {
      continue;
    }
    if (checkDocument(measureDocument(document, 0), shippedLimits)) continue;
    const faults = validate(schema, document, rulesOfForwarding).map(({ message }) => message);
    const forwarded = isForwarded(document);
    if (forwarded) expect([text, faults]).toEqual([text, []]);
    // Further rules find conditions with other values. Aliases that begin with two underscores are left to graphql-js.
    else if (faults.length === 0 && !/__\w+ ?:/.test(text))
      expect([text, validate(schema, document)]).not.toEqual([text, []]);
    outcomes[forwarded ? 'forwarded' : 'refused'] += 1;
    if (forwarded && validate(schema, document, [ScalarLeafsRule, ...specifiedRules]).length > 0)
      outcomes.leftToTheLedger += 1;
  }
  for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(10);
}, 30_000);

describe('a document is not forwarded', () => {
  test.each([
    ['two operations without a name', '{ chainIdentifier } { chainIdentifier }'],
    ['an operation without a name among others', 'query A { chainIdentifier } { chainIdentifier }'],
    ['two operations of one name', 'query A { chainIdentifier } query A { chainIdentifier }'],
    ['a definition of a type', '{ chainIdentifier } type X { a: Int }'],
    ['an unused fragment', '{ chainIdentifier } fragment F on Query { chainIdentifier }'],
    [
      'unused fragments that contain each other',
      '{ chainIdentifier } fragment F on Query { ...G } fragment G on Query { ...F }',
    ],
    ['two fragments of one name', '{ ...F } fragment F on Query { a } fragment F on Query { b }'],
    ['an unused variable', 'query ($a: Int) { chainIdentifier }'],
    ['an undeclared variable', '{ epoch(id: $a) { epochId } }'],
    [
      'a variable that one operation lacks',
      'query A($a: Int) { ...F } query B { ...F } fragment F on Query { epoch(id: $a) { epochId } }',
    ],
    ['a variable declared twice', 'query ($a: Int, $a: Int) { epoch(id: $a) { epochId } }'],
    ['a variable of an unknown type', 'query ($a: Nothing) { epoch(id: $a) { epochId } }'],
    ['a variable of a type that is no input', 'query ($a: Epoch) { epoch(id: $a) { epochId } }'],
    ['a default of another type', 'query ($a: Int = "x") { epoch(id: $a) { epochId } }'],
    ['a directive without its argument', '{ chainIdentifier @skip }'],
    ['a directive with another argument', '{ chainIdentifier @skip(if: true, unless: false) }'],
    ['a directive with a value of another type', '{ chainIdentifier @skip(if: null) }'],
    ['a directive twice', '{ chainIdentifier @skip(if: true) @skip(if: true) }'],
    ['a directive of an operation', 'query @skip(if: true) { chainIdentifier }'],
    ['a directive of a fragment', '{ ...F } fragment F on Query @skip(if: true) { chainIdentifier }'],
    ['a directive of a variable', 'query ($a: Int @skip(if: true)) { epoch(id: $a) { epochId } }'],
    ['a condition that may be null', 'query ($a: Boolean) { chainIdentifier @skip(if: $a) }'],
    ['a condition with null as default', 'query ($a: Boolean = null) { chainIdentifier @skip(if: $a) }'],
    ['a condition of another type', 'query ($a: Int!) { chainIdentifier @skip(if: $a) }'],
  ])('with %s', (_, text) => {
    expect(isForwarded(parse(text))).toBe(false);
  });
});

describe('a document is forwarded', () => {
  test.each([
    ['fields that the schema lacks', '{ epoch { nothing { x } } }'],
    ['arguments that the schema lacks', '{ epoch(no: 1) { epochId } }'],
    ['values of another type', '{ epoch(id: "x") { epochId } }'],
    ['fields in conflict', '{ epoch { a: epochId a: referenceGasPrice } }'],
    ['a type that the schema lacks', '{ ...F ... on Nothing { x } } fragment F on Nowhere { x }'],
    [
      'conditions',
      'query ($a: Boolean!, $b: Boolean = true) { a @skip(if: $a) @include(if: $b) ... @skip(if: true) { b } }',
    ],
    ['several operations', 'query A { ...F } query B { ...F } fragment F on Query { chainIdentifier }'],
  ])('with %s', (_, text) => {
    expect(isForwarded(parse(text))).toBe(true);
  });
});
