import { performance } from 'node:perf_hooks';
import { getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { longestTurn, slowness } from '../support/cpu-time.ts';
import { createTestGateway } from '../support/test-gateway.ts';
import { until } from '../support/until.ts';

// Alone in its file: code that another test has run would be fast already.
test('the first introspection of a generation holds no turn for long', async () => {
  await using gateway = await createTestGateway();
  await gateway.query('{ __typename }');
  let before = performance.eventLoopUtilization();
  await until(() => {
    const { idle, active } = performance.eventLoopUtilization(before);
    before = performance.eventLoopUtilization();
    return idle > active;
  }, 'the generation is prepared');
  const longest = await longestTurn(async () => {
    const { data } = await gateway.query(getIntrospectionQuery());
    expect(data.__schema.types.length).toBeGreaterThan(100);
  });
  expect(longest).toBeLessThan(60 * slowness());
});
