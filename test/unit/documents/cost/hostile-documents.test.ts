import { type DocumentNode, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { checkText, type Limits, shippedLimits } from '../../../../src/documents/cost/limits.ts';
import { measureDocument } from '../../../../src/documents/cost/measure-document.ts';
import { priceDocument } from '../../../../src/documents/prepared-document.ts';
import { checkLimits } from '../../../support/check-limits.ts';
import {
  countReads,
  field,
  fragmentChain,
  maxFragments,
  maxLevels,
  nestedField,
  queryOf,
} from '../../../support/documents.ts';

/** Loose enough that only the bound under test can refuse. */
const loose: Limits = { ...shippedLimits, maxQueryPayloadSize: 10_000_000 };
const tooDeep = 'The recursion depth of the query cannot be greater than `32`';

/** Everything a request of the document costs, in reads of its nodes. */
function decide(original: DocumentNode, limits = loose) {
  const { document, reads } = countReads(original);
  const measured = measureDocument(document, 0);
  const refusal = checkLimits(measured, {}, limits);
  const usage = priceDocument(measured, {}, limits);
  return { refusal, usage, reads: reads(), message: refusal?.error.message };
}

const decideText = (text: string, limits = loose) => decide(parse(text), limits);

describe('the size that a document expands to does not matter:', () => {
  test('selections of fragments that double 30 times are counted exactly and rejected', () => {
    const { message, usage, reads } = decideText(`{ ...F0 } ${fragmentChain(31, 2)}`, { ...loose, maxQueryDepth: 32 });
    expect(message).toBe('Query has over 300 nodes');
    // One spread, then 2 + 4 + … + 2^30 spreads, then 2^30 fields.
    expect(usage).toMatchObject({ inputNodes: 2 ** 31 - 1 + 2 ** 30, depth: 32 });
    expect(reads).toBeLessThan(40_000);
  });

  test('fragments that double 60 times saturate every count', () => {
    const { message, usage, reads } = decideText(`{ ...F0 } ${fragmentChain(60, 2)}`);
    expect(message).toBe(tooDeep);
    expect(usage).toMatchObject({ inputNodes: 2 ** 53 - 1, outputNodes: 2 ** 53 - 1, depth: 61 });
    expect(reads).toBeLessThan(10_000);
  });

  test('a list of fields that is spread 300 times is visited once', () => {
    const wide = Array.from({ length: 5_000 }, (_, index) => `a${index}`).join(' ');
    const spreads = '...W '.repeat(200);
    const { message, usage, reads } = decideText(`{ ${spreads} } fragment W on T { ${wide} }`);
    expect(message).toBe('Query has over 300 nodes');
    expect(usage.inputNodes).toBe(200 + 200 * 5_000);
    expect(reads).toBeLessThan(40 * 5_200);
  });

  test('a document that selects only the schema must not expand without bound', () => {
    const { message, usage } = decideText(`{ __schema { ...F0 } } ${fragmentChain(20, 2)}`);
    expect(message).toBe('Query has over 2000 nodes');
    expect(usage.inputNodes).toBe(1 + 2 ** 20 - 1 + 2 ** 19);
  });
});

describe('the longest documents that can be parsed:', () => {
  test('nested fields', () => {
    const { message, usage, reads } = decide(queryOf(nestedField(maxLevels)));
    expect(message).toBe(tooDeep);
    expect(usage).toMatchObject({ inputNodes: maxLevels, outputNodes: maxLevels, depth: maxLevels });
    expect(reads).toBeLessThan(100_000);
  });

  test('nested connections saturate instead of overflowing', () => {
    const { usage } = decide(queryOf(nestedField(maxLevels, 'nodes')));
    expect(usage.outputNodes).toBe(2 ** 53 - 1);
  });

  test('nested fields in the exempt field', () => {
    expect(decide(queryOf(field('__schema', nestedField(maxLevels)))).message).toBe(tooDeep);
  });

  test('a chain of fragments', () => {
    const { message, usage, reads } = decideText(`{ ...F0 } ${fragmentChain(maxFragments)}`);
    expect(message).toBe(tooDeep);
    const count = maxFragments + 1;
    expect(usage).toMatchObject({ inputNodes: count, outputNodes: 1, depth: count, fragments: maxFragments });
    expect(reads).toBeLessThan(1_000_000);
  });

  test('a value of five hundred nested lists', () => {
    const value = `${'['.repeat(500)}${']'.repeat(500)}`;
    expect(decideText(`{ a(x: ${value}) }`).message).toBe(tooDeep);
    expect(decideText(`query ($v: [Int] = ${value}) { a }`).message).toBe(tooDeep);
    expect(decideText(`{ a @skip(if: ${value}) }`).message).toBe(tooDeep);
  });

  test('a variable of a hundred thousand nested lists', () => {
    const text = 'mutation ($v: X) { executeTx(txBytes: $v) }';
    const value = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
    const refusal = checkLimits(measureDocument(parse(text), text.length), { v: value }, shippedLimits);
    expect(refusal?.error.extensions.limit).toEqual({
      name: 'maxTransactionPayloadSize',
      max: 174_763,
      actual: 200_000,
    });
  });
});

describe('wide documents', () => {
  test('ten thousand aliases are rejected at the 301st', () => {
    const aliases = Array.from({ length: 10_000 }, (_, index) => `a${index}: chainIdentifier`);
    const { refusal, usage, reads } = decideText(`{\n${aliases.join('\n')}\n}`);
    expect(refusal?.error.message).toBe('Query has over 300 nodes');
    expect(refusal?.error.locations).toEqual([{ line: 302, column: 1 }]);
    expect(usage.inputNodes).toBe(10_000);
    expect(reads).toBeLessThan(300_000);
  });

  test('an integer of a hundred thousand digits is not a page size', () => {
    const { usage, message } = decideText(`{ events(first: 1${'0'.repeat(100_000)}) { nodes { a } } }`);
    expect(message).toBeUndefined();
    expect(usage.outputNodes).toBe(2 + 20);
  });
});

describe('fragments that contain themselves', () => {
  test.each([
    ['directly', '{ ...F } fragment F on T { a ...F }'],
    ['through another', '{ ...F } fragment F on T { a { ...G } } fragment G on T { b { ...F } }'],
    ['twice over', '{ ...F } fragment F on T { ...F ...F }'],
    ['below the schema', '{ __schema { ...F } } fragment F on T { ...F }'],
    ['in the second operation', 'query A { a } query B { ...F } fragment F on T { ...F }'],
  ])('%s are rejected as endless, although the parser accepts them', (_, text) => {
    const { message, usage } = decideText(text);
    expect(message).toBe(tooDeep);
    expect(usage).toMatchObject({ inputNodes: 2 ** 53 - 1, outputNodes: 2 ** 53 - 1, depth: 2 ** 53 - 1 });
  });

  test('are left to validation if no operation uses them', () => {
    const { message, usage } = decideText('{ a } fragment F on T { ...G } fragment G on T { ...F }');
    expect(message).toBeUndefined();
    expect(usage).toMatchObject({ inputNodes: 1, fragments: 2 });
  });

  test('deep braces in a fragment are rejected even if no operation uses it', () => {
    const deep = (levels: number) => `{ a } fragment F on T ${'{a'.repeat(levels)}${'}'.repeat(levels)}`;
    expect(decideText(deep(33)).message).toBeUndefined();
    expect(decideText(deep(34)).message).toBe(tooDeep);
  });
});

describe('names that objects inherit', () => {
  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    '%s is a fragment only if one is defined',
    (name) => {
      expect(decideText(`{ ...${name} }`).message).toBe(`Fragment ${name} referred to but not found in document`);
      expect(decideText(`{ ...${name} } fragment ${name} on T { a }`).message).toBeUndefined();
    },
  );

  test.each(['constructor', 'toString', '__proto__'])('%s is a variable like any other', (name) => {
    const text = `{ events(first: $${name}) { nodes { a } } }`;
    const measured = measureDocument(parse(text), text.length);
    const sent = JSON.parse(`{"${name}": 7}`) as Record<string, unknown>;
    expect(priceDocument(measured, {}, shippedLimits).outputNodes).toBe(22);
    expect(priceDocument(measured, sent, shippedLimits).outputNodes).toBe(9);
  });

  test('an operation with such a name is limited too', () => {
    const deep = `{a`.repeat(21) + '}'.repeat(21);
    expect(decideText(`query __proto__ ${deep}`).message).toBe('Query nesting is over 20');
  });
});

describe('a text', () => {
  test('is rejected before parsing if it exceeds every allowance', () => {
    const max = shippedLimits.maxQueryPayloadSize + shippedLimits.maxTransactionPayloadSize;
    expect(checkText('{'.repeat(max), shippedLimits)).toBeNull();
    const refusal = checkText('{'.repeat(max + 1), shippedLimits);
    expect(refusal?.error.message).toBe(
      'Overall request too large: 179764 bytes. Requests are limited to 174763 bytes or fewer on transaction payloads ' +
        '(all inputs to executeTx, executeTransactionBlock or dryRunTransactionBlock) and the rest of the request ' +
        '(the query part) must be 5000 bytes or fewer.',
    );
    expect(refusal?.error.extensions).toEqual({
      code: 'BAD_USER_INPUT',
      retry: 'never',
      limit: { name: 'maxQueryPayloadSize', max, actual: max + 1 },
    });
    expect(refusal?.hasUsage).toBe(false);
  });

  test('is measured in bytes, not in characters', () => {
    const limits = { ...shippedLimits, maxQueryPayloadSize: 5, maxTransactionPayloadSize: 4 };
    expect(checkText('€€€', limits)).toBeNull();
    expect(checkText('€€€.', limits)?.error.extensions.limit).toMatchObject({ max: 9, actual: 10 });
    expect(checkText('123456789', limits)).toBeNull();
    expect(checkText('1234567890', limits)?.error.extensions.limit).toMatchObject({ max: 9, actual: 10 });
  });
});
