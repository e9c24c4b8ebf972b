import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { gatewayError } from '../../../src/errors/gateway-error.ts';
import { addErrorCodes } from '../../../src/errors/reported-errors.ts';

function noted(...errors: Parameters<typeof addErrorCodes>[1]): readonly string[] {
  const codes: string[] = [];
  addErrorCodes(codes, errors);
  return codes;
}

const coded = (code: unknown) => ({ extensions: { code } });

describe('error codes in the log', () => {
  it('are recorded once each, in order, from our errors and plain ones', () => {
    const ours = gatewayError('UPSTREAM_TIMEOUT', 'late');
    expect(noted(ours, coded('BAD_USER_INPUT'), ours)).toEqual(['UPSTREAM_TIMEOUT', 'BAD_USER_INPUT']);
  });

  it('are missing if an error has none', () => {
    expect(noted(new GraphQLError('no code'), {}, coded(7), coded(null))).toEqual([]);
  });

  it('of a ledger are recorded if they are upper-case words', () => {
    const others = ['RESOURCE_EXHAUSTED', 'Bearer abc', 'A\nB', 'lower', 'SK9F8A7', `X${'Y'.repeat(40)}`, ''];
    expect(noted(...others.map(coded))).toEqual(['RESOURCE_EXHAUSTED']);
  });

  it('are the first five, however many follow', () => {
    const codes: string[] = [];
    const many = ['A', 'B', 'C', 'D', 'E', 'F', 'G'].map(coded);
    addErrorCodes(codes, many);
    addErrorCodes(codes, [coded('H')]);
    expect(codes).toEqual(['A', 'B', 'C', 'D', 'E']);
  });
});
