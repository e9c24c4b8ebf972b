import { expect, test } from 'vitest';
import { createTestGateway } from '../../support/test-gateway.ts';

test('requests of the warm-up are neither logged nor counted', async () => {
  await using gateway = await createTestGateway({ RATE_LIMIT_PER_MINUTE: '2', RATE_LIMIT_COST: 'usage' });
  // Every log line of a request has its id.
  expect(gateway.log.filter((line) => 'requestId' in line)).toEqual([]);
  const first = await gateway.query('{ __typename }');
  expect(first.data).toEqual({ __typename: 'Query' });
  expect(first.headers.get('ratelimit')).toMatch(/^"default";r=1;/);
  expect(gateway.log.filter(({ msg }) => msg === 'request')).toHaveLength(1);
});
