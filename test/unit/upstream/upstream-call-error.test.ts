import { expect, test } from 'vitest';
import { gatewayError } from '../../../src/errors/gateway-error.ts';
import { toGatewayError, UpstreamCallError, type UpstreamFailure } from '../../../src/upstream/upstream-call-error.ts';

test.each<[UpstreamFailure, string]>([
  ['unreachable', 'UPSTREAM_UNAVAILABLE'],
  ['interrupted', 'UPSTREAM_UNAVAILABLE'],
  ['timeout', 'UPSTREAM_TIMEOUT'],
  ['too-large', 'UPSTREAM_BAD_RESPONSE'],
  ['aborted', 'REQUEST_TIMEOUT'],
])('a call that is %s becomes %s and names the upstream', (failure, code) => {
  const error = toGatewayError(new UpstreamCallError(failure, 'connect http://10.0.0.7:9000 failed'), 'events');
  expect(error.extensions).toEqual({ code, retry: 'backoff', upstream: 'events' });
  expect(error.message).toContain('events');
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
