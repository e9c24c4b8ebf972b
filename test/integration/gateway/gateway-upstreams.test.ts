import { expect, test } from 'vitest';
import { startDevnet } from '../../../src/devnet/start-devnet.ts';
import { startScriptedSponsor } from '../../support/scripted-sponsor.ts';
import { createTestGateway } from '../../support/test-gateway.ts';

const query = '{ gateway { upstreams { name configured state version } } }';
const versionsOf = (data: { gateway: { upstreams: { name: string; version: string | null }[] } }) =>
  Object.fromEntries(data.gateway.upstreams.map(({ name, version }) => [name, version]));

test('a gateway that just started returns the versions of the ledger and the sponsor', async () => {
  await using gateway = await createTestGateway();
  const { data, errors } = await gateway.query(query);
  expect(errors).toBeUndefined();
  const sponsor = (await gateway.query('{ sponsor { version { raw } } }')).data.sponsor.version.raw;
  expect(sponsor).toMatch(/^\d+\.\d+\.\d+-/);
  expect(versionsOf(data)).toEqual({ ledger: expect.stringMatching(/^\d+\.\d+\.\d+-/), sponsor, events: null });
});

test('under every plan, with one call to the sponsor if its version is selected, else none', async () => {
  const devnet = await startDevnet({ sponsorToken: 'unused', checkpointIntervalMs: 0, genesis: { checkpoints: 3 } });
  await using sponsor = await startScriptedSponsor();
  sponsor.answer('/version', { contentType: 'text/plain', body: '1.2.3-scripted' });
  await using gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: devnet.graphqlUrl, SPONSOR_URL: sponsor.origin });
  await gateway.query('{ gateway { version } }');
  expect(sponsor.requests).toEqual([]);
  await gateway.query('{ gateway { upstreams { name state detail } } }');
  expect(sponsor.requests.map(({ path }) => path)).toEqual(['/']);
  for (const beside of ['', 'chainIdentifier', '__schema { queryType { name } } chainIdentifier']) {
    const { data, errors } = await gateway.query(`{ ${beside} ${query.slice(1)}`);
    expect(errors).toBeUndefined();
    expect(versionsOf(data)).toMatchObject({ sponsor: '1.2.3-scripted', events: null });
  }
  expect(sponsor.requests.map(({ path }) => path).filter((path) => path !== '/')).toEqual(['/version']);
  expect(sponsor.requests[0]?.headers.authorization).toBeUndefined();
  await devnet.close();
});

test('the graph, readiness and the landing page agree on each upstream from the start', async () => {
  const devnet = await startDevnet({ sponsorToken: 'unused', checkpointIntervalMs: 0, genesis: { checkpoints: 3 } });
  const nobody = 'http://127.0.0.1:9/';
  const told = async (env: Record<string, string>) => {
    await using gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: devnet.graphqlUrl, ...env });
    const { data } = await gateway.query('{ gateway { upstreams { name state detail } } }');
    const { upstreams } = (await (await fetch(`${gateway.url}/health/ready`)).json()) as {
      upstreams: Record<string, { state: string; detail?: string }>;
    };
    const page = await (await fetch(gateway.url, { headers: { accept: 'text/html' } })).text();
    return data.gateway.upstreams.map(({ name, state, detail }: Record<string, string>) => {
      const ready = upstreams[name ?? ''];
      expect(ready?.state).toBe(state?.toLowerCase());
      if (state === 'DOWN') expect(ready?.detail).toBe(detail);
      const row = new RegExp(`<th scope="row">${name}</th><td><span class="state (\\w+)"`).exec(page);
      expect(row?.[1]).toBe(state?.toLowerCase());
      return state;
    });
  };
  expect(await told({ LEDGER_RPC_URL: devnet.rpcUrl })).toEqual(['UP', 'NOT_CONFIGURED', 'UP']);
  expect(await told({})).toEqual(['UP', 'NOT_CONFIGURED', 'UP']);
  expect(await told({ LEDGER_RPC_URL: nobody, SPONSOR_URL: nobody })).toEqual(['UP', 'DOWN', 'DOWN']);
  await devnet.close();
});
