import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDevnetAccounts } from '../../src/devnet/genesis/accounts.ts';
import { createSponsorFace } from '../../src/devnet/sponsor/sponsor-face.ts';
import { startDevnet } from '../../src/devnet/start-devnet.ts';
import type { startIotaNetwork } from './networks/iota-network.ts';
import type { startSuiNetwork } from './networks/sui-network.ts';
import { type RecordedRequest, type RecordingUpstream, recordUpstream } from './recording-upstream.ts';
import { createTestGateway, type TestGateway } from './test-gateway.ts';

export const token = 'token-of-the-sponsor';

/** A gateway’s ledger and sponsor, both recorded. */
export interface Stage extends AsyncDisposable {
  readonly ledger: RecordingUpstream;
  readonly sponsor: RecordingUpstream;
  readonly simulations: () => number;
  readonly executions: () => number;
  readonly reservations: () => number;
  readonly open: (
    settings: Readonly<Record<string, string>>,
    files?: Readonly<Record<string, string>>,
  ) => Promise<TestGateway>;
}

async function createStage(graphqlUrl: string, sponsorUrl: string, close: () => Promise<unknown>): Promise<Stage> {
  const ledger = await recordUpstream(graphqlUrl);
  const sponsor = await recordUpstream(sponsorUrl);
  return {
    ledger,
    sponsor,
    simulations: () => ledger.requests.filter(isSimulation).length,
    executions: () => sponsor.requests.filter(({ path }) => path.endsWith('/execute_tx')).length,
    reservations: () => sponsor.requests.filter(({ path }) => path.endsWith('/reserve_gas')).length,
    open: (settings, files) =>
      createTestGateway(
        {
          LEDGER_GRAPHQL_URL: ledger.url,
          SPONSOR_URL: sponsor.url,
          SPONSOR_TOKEN: token,
          SPONSOR_ALLOW_ANONYMOUS: 'true',
          CORS_ORIGINS: 'http://127.0.0.1:4000',
          ...settings,
        },
        files,
      ),
    async [Symbol.asyncDispose]() {
      await ledger[Symbol.asyncDispose]();
      await sponsor[Symbol.asyncDispose]();
      await close();
    },
  };
}

export const isSimulation = ({ body }: RecordedRequest) => body.includes('simulated:');

/** The simulated network: its dry run reports balance changes. */
export async function onDevnet(): Promise<Stage> {
  const devnet = await startDevnet({ sponsorToken: token, genesis: { checkpoints: 5 } });
  return createStage(devnet.graphqlUrl, devnet.sponsorUrl, async () => devnet[Symbol.asyncDispose]());
}

/** A network as it answers today, with a sponsor on its ledger. */
export async function onNetwork(start: typeof startSuiNetwork | typeof startIotaNetwork): Promise<Stage> {
  const network = await start();
  const { sponsor } = createDevnetAccounts(7);
  const face = createSponsorFace({ ledger: network.ledger, clock: Date.now, sponsor, token });
  const server = createServer((req, res) => void face.handle(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return createStage(network.graphqlUrl, url, async () => {
    await network[Symbol.asyncDispose]();
    await face.close();
    server.closeAllConnections();
    server.close();
  });
}
