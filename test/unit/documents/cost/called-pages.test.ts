import fc from 'fast-check';
import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { countPageCalls, mostCalls } from '../../../../src/documents/cost/called-pages.ts';
import { measureDocument } from '../../../../src/documents/cost/measure-document.ts';
import { contractRules } from '../../../../src/documents/cost/usage.ts';
import { planPage } from '../../../../src/events/connection.ts';

const fields = new Set(['queryEvents', 'queryTransactionBlocks']);
const bounds = { fields, maxCalls: 120, defaultSize: 20, maxSize: 1_000 };
const counting = { rules: contractRules, schema: null, calledFields: fields, bodyBytes: 0 };
const pagesOf = (text: string) => measureDocument(parse(text), 0, counting).calledPages;
/** Without the spare calls. */
const count = (text: string, variables = {}) => Math.max(0, mostCalls(pagesOf(text), variables, bounds) - 20);

describe('the calls of an operation are', () => {
  test.each([
    ['{ events { nodes { json } } other: gateway { version } }', 0],
    ['{ queryEvents { nodes { type } } }', 1],
    ['{ a: queryEvents(first: 50) { nodes { type } } b: queryTransactionBlocks(last: 51) { nodes { digest } } }', 3],
    ['{ queryEvents(first: 1000) { nodes { type } } }', 20],
    ['{ queryEvents(first: 0) { nodes { type } } }', 0],
    ['{ queryEvents(first: 1001) { nodes { type } } }', 0],
    ['{ queryEvents(first: 60, last: 60) { nodes { type } } }', 0],
    ['{ queryEvents(first: null, last: 60) { nodes { type } } }', 2],
    ['{ gateway { queryEvents } }', 0],
    ['{ queryEvents(first: 60) { nodes { type } } queryEvents(first: 60) { nodes { sender } } }', 2],
    [
      '{ ...F ...F ... { b: queryEvents { nodes { type } } } } fragment F on Query { queryEvents { nodes { type } } }',
      2,
    ],
    ['{ queryEvents @skip(if: true) { nodes { type } } }', 1],
    ['{ ...Missing queryEvents { nodes { type } } }', 1],
  ])('%s: %i', (text, calls) => {
    expect(count(text)).toBe(calls);
  });

  test('those of the most expensive operation of the document', () => {
    const text =
      'query A { queryEvents(first: 60) { nodes { type } } } query B { queryEvents(first: 160) { nodes { type } } }';
    expect(count(text)).toBe(4);
  });

  test('decided by its variables, sent or default', () => {
    const text = 'query ($n: Int = 300, $m: Int) { queryEvents(first: $n, last: $m) { nodes { type } } }';
    expect(count(text)).toBe(6);
    expect(count(text, { n: 70 })).toBe(2);
    expect(count(text, { n: null })).toBe(1);
    expect(count(text, { n: null, m: 70 })).toBe(2);
    expect(count(text, { n: 'many' })).toBe(1);
    expect(count(text, { m: 5 })).toBe(0);
  });
});

test('at most 20 more than that for all pages together; 0 without pages', () => {
  const most = (text: string) => mostCalls(pagesOf(text), {}, bounds);
  expect(most('{ queryEvents { nodes { type } } }')).toBe(21);
  expect(most('{ a: queryEvents { nodes { type } } b: queryEvents(last: 100) { nodes { type } } }')).toBe(23);
  expect(most('{ queryEvents(first: 0) { nodes { type } } }')).toBe(0);
  expect(most('{ chainIdentifier }')).toBe(0);
});

test('a page counts with the size that is served', () => {
  const size = fc.option(fc.integer({ min: -3, max: 220 }), { nil: null });
  fc.assert(
    fc.property(size, size, (first, last) => {
      const sizes = { defaultSize: 20, maxSize: 200 };
      let planned = 0;
      try {
        planned = Math.ceil(planPage({ first, last }, sizes).size / 50);
      } catch {}
      expect(countPageCalls({ first, last }, sizes)).toBe(planned);
    }),
  );
});
