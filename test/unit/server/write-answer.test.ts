import { expect, it } from 'vitest';
import { gatewayError } from '../../../src/errors/gateway-error.ts';
import { eventFraming, toAnswerHead, toWholeStream } from '../../../src/server/write-answer.ts';

const soon = [1_000, 3_000];

it.each([
  ['a result', { data: {} }, soon],
  ['a result with errors', { data: {}, errors: [gatewayError('BAD_USER_INPUT', 'No.')] }, soon],
  ['a rejection', { errors: [gatewayError('BAD_USER_INPUT', 'No.')] }, [60_000, 60_000]],
  ['a rejection for a time', { errors: [gatewayError('RATE_LIMITED', 'No.', { retryAfterMs: 7 })] }, [7, 7]],
  ['a gateway that stops', { errors: [gatewayError('UNAVAILABLE', 'No.')] }, soon],
  [
    'a gateway that is full',
    { errors: [gatewayError('UNAVAILABLE', 'No.', { retryAfterMs: 10_000 })] },
    [10_000, 10_000],
  ],
])('an EventSource reconnects after %s in the time that is right for it', (_, result, [fromMs = 0, toMs = 0]) => {
  const { body } = toWholeStream(result, '{}', eventFraming);
  const retryMs = Number(/^retry: (\d+)\n/.exec(body)?.[1]);
  expect(retryMs).toBeGreaterThanOrEqual(fromMs);
  expect(retryMs).toBeLessThanOrEqual(toMs);
});

it('waits for the longest of the budgets that rejected every field', () => {
  const errors = [2_500, 400].map((retryAfterMs) => gatewayError('RATE_LIMITED', 'No.', { retryAfterMs }));
  expect(toAnswerHead({ data: { a: null, b: null }, errors }, 'application/json')).toEqual({
    status: 429,
    retryAfterSeconds: 3,
    headers: {},
  });
});
