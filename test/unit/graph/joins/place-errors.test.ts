import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { ReportedErrors } from '../../../../src/errors/reported-errors.ts';
import { placeErrors as placeTold } from '../../../../src/graph/joins/stitched-joins.ts';

const placeErrors = (answer: Parameters<typeof placeTold>[0], at: Parameters<typeof placeTold>[1]) =>
  placeTold(answer, at, new ReportedErrors());

const failure = (...path: (string | number)[]) => new GraphQLError('no', { path, extensions: { code: 'X' } });

describe('placing errors of a joined value', () => {
  it('puts an error where the null is, with its path in the whole answer', () => {
    const { value, unplaced } = placeErrors({ value: { owner: null, digest: 'd' }, errors: [failure('owner')] }, [
      'coins',
      0,
      'object',
    ]);
    expect(unplaced).toEqual([]);
    expect(value).toMatchObject({ digest: 'd', owner: { message: 'no', path: ['coins', 0, 'object', 'owner'] } });
  });

  it('stops at the nearest null when a null has travelled up', () => {
    const { value } = placeErrors(
      { value: { list: [{ a: 1 }, null] }, errors: [failure('list', 1, 'deep', 'er')] },
      [],
    );
    expect((value as { list: unknown[] }).list[1]).toMatchObject({ path: ['list', 1, 'deep', 'er'] });
  });

  it('keeps all that led to one null, in their order', () => {
    const errors = [failure('a', 'b'), failure('a', 'c', 0), failure('a', 'd')];
    const { value, unplaced } = placeErrors({ value: { a: null, e: 1 }, errors }, ['x']);
    expect(unplaced).toEqual([]);
    const { a } = value as { a: AggregateError };
    expect(a).toBeInstanceOf(AggregateError);
    expect(a.errors).toMatchObject([
      { path: ['x', 'a', 'b'] },
      { path: ['x', 'a', 'c', 0] },
      { path: ['x', 'a', 'd'] },
    ]);
  });

  it('keeps what has no place for the value as a whole', () => {
    const { value, unplaced } = placeErrors({ value: null, errors: [failure(), failure('a')] }, ['x']);
    expect(value).toBeNull();
    expect(unplaced.map((error) => error.path)).toEqual([['x'], ['x', 'a']]);
  });

  it('does not follow a path out of the answer into what every object inherits', () => {
    const { value, unplaced } = placeErrors(
      {
        value: { a: 1 },
        errors: [failure('__proto__', '__proto__'), failure('constructor', 'prototype', '__proto__')],
      },
      [],
    );
    expect(value).toEqual({ a: 1 });
    expect(unplaced).toHaveLength(2);
  });

  it('does not touch the answer itself, which other fields may share', () => {
    const answer = { value: { owner: null }, errors: [failure('owner')] };
    placeErrors(answer, ['a']);
    expect(answer.value.owner).toBeNull();
  });
});
