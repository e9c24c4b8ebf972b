import { describe, expect, it } from 'vitest';
import { toLostAnswerError } from '../../../../src/sponsor/sponsor-refusal.ts';
import { UpstreamCallError, type UpstreamFailure } from '../../../../src/upstream/upstream-call-error.ts';

const lost = (failure: UpstreamFailure) => new UpstreamCallError(failure, 'connect ECONNREFUSED 10.0.0.1:9527');
const execution = { upstream: 'sponsor', digest: 'TX', reservationId: '42' } as const;

describe('an execution whose response is lost', () => {
  it.each(['timeout', 'interrupted', 'too-large', 'aborted'] as const)('by %s has an unknown outcome', (failure) => {
    const error = toLostAnswerError('executeTx', lost(failure), execution);
    expect(error.message).toMatch(/may or may not execute/);
    expect(error.extensions).toEqual({
      code: 'EXECUTION_OUTCOME_UNKNOWN',
      retry: 'look-up',
      ...execution,
      checkAfterMs: 5_000,
    });
  });

  it('because it never arrived leaves the reservation unused', () => {
    const error = toLostAnswerError('executeTx', lost('unreachable'), execution);
    expect(error.message).toMatch(/Nothing was sent and the reservation is unused/);
    expect(error.extensions).toEqual({ code: 'UPSTREAM_UNAVAILABLE', retry: 'backoff', ...execution });
  });
});

describe('a reservation whose response is lost', () => {
  it.each([
    ['timeout', 'UPSTREAM_TIMEOUT'],
    ['interrupted', 'UPSTREAM_UNAVAILABLE'],
    ['too-large', 'UPSTREAM_BAD_RESPONSE'],
  ] as const)('by %s is %s and says that coins may be locked', (failure, code) => {
    const error = toLostAnswerError('reserveGas', lost(failure), { upstream: 'sponsor' });
    expect(error.message).toMatch(/coins, they stay locked/);
    expect(error.extensions).toEqual({ code, retry: 'backoff', upstream: 'sponsor' });
  });

  it('because it never arrived locks nothing', () => {
    const error = toLostAnswerError('reserveGas', lost('unreachable'), { upstream: 'sponsor' });
    expect(error.message).not.toMatch(/locked/);
    expect(error.extensions).toEqual({ code: 'UPSTREAM_UNAVAILABLE', retry: 'backoff', upstream: 'sponsor' });
  });
});

it('shows no URL of the sponsor', () => {
  for (const endpoint of ['health', 'executeTx', 'reserveGas', 'debugHealthCheck'] as const) {
    expect(JSON.stringify(toLostAnswerError(endpoint, lost('unreachable'), { upstream: 'sponsor' }))).not.toMatch(
      /10\.0/,
    );
  }
});

it('leaves a bug of ours to be masked', () => {
  expect(toLostAnswerError('executeTx', new TypeError('x is undefined'), execution).extensions.code).toBe(
    'INTERNAL_SERVER_ERROR',
  );
});
