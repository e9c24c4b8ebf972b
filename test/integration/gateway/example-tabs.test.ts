import { expect, it } from 'vitest';
import { startIotaNetwork } from '../../support/networks/iota-network.ts';
import type { MockedNetwork } from '../../support/networks/network-server.ts';
import { startSuiNetwork } from '../../support/networks/sui-network.ts';
import { createTestGateway } from '../../support/test-gateway.ts';

const networks: readonly [string, () => Promise<MockedNetwork>][] = [
  ['IOTA', () => startIotaNetwork()],
  ['Sui', () => startSuiNetwork({})],
];

it.each(networks)('on %s, GraphiQL has all examples, which run as they are', { timeout: 60_000 }, async (_, start) => {
  await using network = await start();
  await using gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: network.graphqlUrl });
  const page = await (await fetch(`${gateway.url}/graphql`, { headers: { accept: 'text/html' } })).text();
  const [, options = ''] = /<script id="options"[^>]*>(.+?)<\/script>/.exec(page) ?? [];
  const { tabs } = JSON.parse(options) as { tabs: { query: string; variables?: string }[] };
  const names = tabs.map(({ query }) => /^(?:query|mutation|subscription) (\w+)/m.exec(query)?.[1]);
  expect(names).toEqual(['Everything', 'LatestTransactions', 'LatestEvents', 'LiveEvents', 'Reserve', 'Execute']);
  expect(page).toContain('# from the ledger’s GraphQL.');
  for (const { query, variables = '{}' } of tabs.slice(0, 3)) {
    const { data, errors } = await gateway.query(query, JSON.parse(variables));
    expect(errors).toBeUndefined();
    expect(Object.values(data)).not.toContain(null);
  }
  const { data } = await gateway.query(
    '{ __schema { queryType { description } mutationType { description } subscriptionType { description } } }',
  );
  for (const { description } of Object.values(data.__schema) as { description: string }[])
    expect(description).toMatch(/ledger|sponsor/);
});
