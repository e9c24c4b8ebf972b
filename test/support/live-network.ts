import { type Devnet, type DevnetOptions, startDevnet } from '../../src/devnet/start-devnet.ts';
import { type RecordedRequest, type RecordingUpstream, recordUpstream } from './recording-upstream.ts';
import { createTestGateway, type TestGateway } from './test-gateway.ts';

/** A network whose activity a test controls, and a gateway that polls it quickly. */
export interface LiveNetwork extends AsyncDisposable {
  readonly devnet: Devnet;
  /** A proxy between the gateway and the network's events. */
  readonly rpc: RecordingUpstream;
  readonly gateway: TestGateway;
  /** URL of the gateway's GraphQL endpoint. */
  readonly address: string;
}

/** Poll interval of about ten milliseconds. */
export const quickPolls = { LIVE_POLL_MIN_MS: '10', LIVE_POLL_MAX_MS: '40' };

/** A network whose checkpoints a test closes. Each checkpoint has a user transaction. */
export function startTickedDevnet(options: Partial<DevnetOptions> = {}): Promise<Devnet> {
  return startDevnet({
    sponsorToken: 'unused',
    checkpointIntervalMs: 0,
    activityEveryCheckpoints: 1,
    genesis: { checkpoints: 20 },
    ...options,
  });
}

/** @param env more settings of the gateway @param source what the gateway reads events from */
export async function startLiveNetwork(
  env: Record<string, string> = {},
  source: 'rpc' | 'graphql' = 'rpc',
): Promise<LiveNetwork> {
  const devnet = await startTickedDevnet();
  const rpc = await recordUpstream(source === 'rpc' ? devnet.rpcUrl : devnet.graphqlUrl);
  const gateway = await createTestGateway({
    ...(source === 'rpc'
      ? { LEDGER_GRAPHQL_URL: devnet.graphqlUrl, LEDGER_RPC_URL: rpc.url }
      : { LEDGER_GRAPHQL_URL: rpc.url, LEDGER_GRAPHQL_WS_URL: devnet.graphqlUrl.replace('http', 'ws') }),
    ...quickPolls,
    ...env,
  });
  return {
    devnet,
    rpc,
    gateway,
    address: `${gateway.url}/graphql`,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await rpc[Symbol.asyncDispose]();
      await devnet.close();
    },
  };
}

/** All ids so far, oldest first. */
export function eventIds({ ledger }: Devnet): string[] {
  return ledger.events.map(({ txDigest, eventSeq }) => `${txDigest}:${eventSeq}`);
}

/** Is a recorded request a reader's first one, which asks for the newest items? */
export function asksForNewest({ body }: RecordedRequest): boolean {
  const { params, query = '' } = JSON.parse(body);
  return params ? params.at(-1) === true : /^\{page:\w+\(last:25 /.test(query);
}

/** Does a recorded request read events or transactions? */
export function readsItems({ body }: RecordedRequest): boolean {
  const { params, query = '' } = JSON.parse(body);
  return params !== undefined || query.startsWith('{page:');
}
