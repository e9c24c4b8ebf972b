import { expect, test } from 'vitest';
import { type PageArguments, planPage } from '../../../src/events/connection.ts';

const sizes = { defaultSize: 20, maxSize: 50 };

test.each<[PageArguments, unknown]>([
  [{}, { size: 20, backward: false }],
  [
    { first: null, last: null },
    { size: 20, backward: false },
  ],
  [{ before: 'x' }, { size: 20, backward: false }],
  [{ first: 50 }, { size: 50, backward: false }],
  [{ first: 0 }, { size: 0, backward: false }],
  [{ last: 7 }, { size: 7, backward: true }],
  [
    { last: 0, first: null },
    { size: 0, backward: true },
  ],
])('%j is a page %j', (args, plan) => {
  expect(planPage(args, sizes)).toEqual(plan);
});

test.each<[PageArguments, string]>([
  [{ first: 1, last: 1 }, "'first' and 'last' must not be used together"],
  [{ first: 51 }, "Connection's page size of 51 exceeds max of 50"],
  [{ last: 51 }, "Connection's page size of 51 exceeds max of 50"],
  [{ first: -1 }, "Argument 'first' must be from 0 to 50; got -1."],
  [{ last: -3 }, "Argument 'last' must be from 0 to 50; got -3."],
])('%j is refused: %s', (args, message) => {
  expect(() => planPage(args, sizes)).toThrow(
    expect.objectContaining({ message, extensions: expect.objectContaining({ code: 'BAD_USER_INPUT' }) }),
  );
});

test('a default above the maximum is the maximum', () => {
  expect(planPage({}, { defaultSize: 20, maxSize: 5 })).toEqual({ size: 5, backward: false });
});
