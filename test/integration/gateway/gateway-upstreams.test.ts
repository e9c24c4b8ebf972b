import { expect, test } from 'vitest';
import { startDevnet } from '../../../src/devnet/start-devnet.ts';
import { startScriptedSponsor } from '../../support/scripted-sponsor.ts';
import { createTestGateway } from '../../support/test-gateway.ts';

const query = '{ gateway { upstreams { name configured state version } } }';
const versionsOf = (data: { gateway: { upstreams: { name: string; version: string | null }[] } }) =>
  Object.fromEntries(data.gateway.upstreams.map(({ name, version }) => [name, version]));

test('a gateway just started tells the versions of the ledger and the sponsor', async () => {
  await using gateway = await createTestGateway();
  const { data, errors } = await gateway.query(query);
  expect(errors).toBeUndefined();
  const sponsor = (await gateway.query('{ sponsor { version { raw } } }')).data.sponsor.version.raw;
  expect(sponsor).toMatch(/^\d+\.\d+\.\d+-/);
  expect(versionsOf(data)).toEqual({ ledger: expect.stringMatching(/^\d+\.\d+\.\d+-/), sponsor, events: null });
});

test('in every plan, by one call to the sponsor, and by none of those who do not want it', async () => {
  const devnet = await startDevnet({ sponsorToken: 'unused', checkpointIntervalMs: 0, genesis: { checkpoints: 3 } });
  await using sponsor = await startScriptedSponsor();
  sponsor.answer('/version', { contentType: 'text/plain', body: '1.2.3-scripted' });
  await using gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: devnet.graphqlUrl, SPONSOR_URL: sponsor.origin });
  await gateway.query('{ gateway { version upstreams { name state detail } } }');
  expect(sponsor.requests).toEqual([]);
  for (const beside of ['', 'chainIdentifier', '__schema { queryType { name } } chainIdentifier']) {
    const { data, errors } = await gateway.query(`{ ${beside} ${query.slice(1)}`);
    expect(errors).toBeUndefined();
    expect(versionsOf(data)).toMatchObject({ sponsor: '1.2.3-scripted', events: null });
  }
  expect(sponsor.requests.map(({ path }) => path)).toEqual(['/version']);
  expect(sponsor.requests[0]?.headers.authorization).toBeUndefined();
  await devnet.close();
});
