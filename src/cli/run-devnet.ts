import { configKeys } from '../config/keys.ts';
import { type NetworkProfileName, networkProfiles } from '../config/network-profile.ts';
import { toDialect } from '../start/open-network.ts';
import { type CliWorld, type RunningDevnet, toFailureLine } from './cli-world.ts';
import type { Command } from './command.ts';

/** Runs the simulated network until a stop signal. Resolves with the exit code: 0 stopped, 1 could not start. */
export async function runDevnet(command: Command & { readonly name: 'devnet' }, world: CliWorld): Promise<number> {
  const sponsorToken = command.sponsorToken ?? world.randomToken();
  try {
    const started = world.services.startDevnet({
      ...command.options,
      sponsorToken: sponsorToken.reveal(),
      dialect: toDialect(networkProfiles[command.profile]),
    });
    const devnet = await Promise.race([started, world.stopRequested]);
    if (typeof devnet === 'string') return 0;
    world.writeOut(describeDevnet(devnet, command.profile, sponsorToken.reveal()));
    await world.stopRequested;
    await devnet.close();
    return 0;
  } catch (error) {
    world.writeError(toFailureLine(error));
    return 1;
  }
}

/** Lists the endpoints, and the settings for a gateway in front of them, ready to paste into a shell. */
function describeDevnet(
  { graphqlUrl, sponsorUrl, rpcUrl, rpcWsUrl }: RunningDevnet,
  profile: NetworkProfileName,
  sponsorToken: string,
): string {
  const { HOST, PORT } = configKeys;
  const settings = [
    ...(profile === 'ledger' ? [] : [['NETWORK_PROFILE', profile] as const]),
    ['LEDGER_GRAPHQL_URL', graphqlUrl],
    ['LEDGER_RPC_URL', rpcUrl],
    ['LEDGER_RPC_WS_URL', rpcWsUrl],
    ['SPONSOR_URL', sponsorUrl],
    ['SPONSOR_TOKEN', sponsorToken],
    ['SPONSOR_ALLOW_ANONYMOUS', 'true'],
    ['CORS_ORIGINS', `http://${HOST.fallback}:${PORT.fallback}`],
  ] as const;
  const lines = settings.map(([key, value]) => `export ${key}=${quote(value)}`);
  return [
    'A SIMULATED NETWORK: nothing on it is worth anything.',
    `  ledger GraphQL   ${graphqlUrl}`,
    `  gas sponsor      ${sponsorUrl}`,
    `  ledger JSON-RPC  ${rpcUrl} (${rpcWsUrl})`,
    '',
    'A gateway in front of it, in another shell:',
    '',
    ...lines,
    'ledger-gateway serve',
    '',
  ].join('\n');
}

function quote(value: string): string {
  return /^[\w:/.,@%+=-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
