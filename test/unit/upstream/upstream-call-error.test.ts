import { expect, test } from 'vitest';
import { retryAdviceFor } from '../../../src/errors/catalogue.ts';
import { gatewayError } from '../../../src/errors/gateway-error.ts';
import {
  toConnectionError,
  toGatewayError,
  UpstreamCallError,
  type UpstreamFailure,
} from '../../../src/upstream/upstream-call-error.ts';

test.each<[UpstreamFailure, code: string, mayHaveArrived: boolean, isUnrelated: boolean]>([
  ['unsendable', 'INTERNAL_SERVER_ERROR', false, true],
  ['unreachable', 'UPSTREAM_UNAVAILABLE', false, false],
  ['interrupted', 'UPSTREAM_UNAVAILABLE', true, false],
  ['timeout', 'UPSTREAM_TIMEOUT', true, false],
  ['too-large', 'UPSTREAM_BAD_RESPONSE', true, false],
  ['garbled', 'UPSTREAM_BAD_RESPONSE', true, false],
  ['aborted', 'REQUEST_TIMEOUT', true, true],
  ['unsent', 'REQUEST_TIMEOUT', false, true],
  ['stopping', 'UNAVAILABLE', false, true],
  ['refused', 'UPSTREAM_UNAVAILABLE', false, true],
  ['crowded', 'UPSTREAM_UNAVAILABLE', false, true],
  ['crowded-out', 'UNAVAILABLE', true, true],
  ['no-connection', 'UPSTREAM_TIMEOUT', false, false],
])(
  'a call that is %s becomes %s, names the upstream, and may be repeated unless it may have run',
  (failure, ...facts) => {
    const cause = new UpstreamCallError(failure, 'connect http://10.0.0.7:9000 failed');
    const [read, mutation] = [false, true].map((isMutation) => toGatewayError(cause, 'events', isMutation));
    expect([read?.extensions.code, cause.mayHaveArrived, cause.isUnrelated]).toEqual(facts);
    const [code, mayHaveArrived] = facts;
    expect(read?.extensions).toEqual({ code, retry: 'backoff', upstream: 'events' });
    expect(mutation?.extensions).toEqual({ code, retry: retryAdviceFor(code, mayHaveArrived), upstream: 'events' });
    expect(read?.message).toContain('events');
  },
);

test.each([
  ['UND_ERR_INVALID_ARG', false, 'unsendable'],
  ['UND_ERR_INVALID_ARG', true, 'interrupted'],
  ['ECONNREFUSED', false, 'unreachable'],
  ['ECONNRESET', true, 'interrupted'],
])('a connection that fails with %s (sent: %s) makes the call %s', (code, wasSent, failure) => {
  expect(toConnectionError(new Error('failed', { cause: { code } }), wasSent)).toMatchObject({ failure });
});

test('the address in the cause does not reach the message', () => {
  const error = toGatewayError(new UpstreamCallError('unreachable', 'connect http://10.0.0.7:9000 failed'), 'sponsor');
  expect(JSON.stringify(error)).not.toContain('10.0.0.7');
});

test('an error that is already meant for the client stays as it is', () => {
  const error = gatewayError('STALE_CURSOR', 'gone');
  expect(toGatewayError(error, 'events')).toBe(error);
});

test('an unexpected error contains no details', () => {
  const error = toGatewayError(new TypeError('secret is not a function'), 'events');
  expect(error.message).toBe('Unexpected error.');
  expect(error.extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR', retry: 'backoff' });
  expect(error.originalError?.message).toBe('secret is not a function');
});
