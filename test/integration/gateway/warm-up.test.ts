import { expect, test } from 'vitest';
import { createTestGateway } from '../../support/test-gateway.ts';

test('what was served before the first client came left no line in the log and took nothing from anybody’s limit', async () => {
  await using gateway = await createTestGateway({ RATE_LIMIT_PER_MINUTE: '2', RATE_LIMIT_COST: 'usage' });
  // Whatever is told of a request bears its id.
  expect(gateway.log.filter((line) => 'requestId' in line)).toEqual([]);
  const first = await gateway.query('{ __typename }');
  expect(first.data).toEqual({ __typename: 'Query' });
  expect(first.headers.get('ratelimit')).toMatch(/^"default";r=1;/);
  expect(gateway.log.filter(({ msg }) => msg === 'request')).toHaveLength(1);
});
