import { configKeys } from '../config/keys.ts';
import { type NetworkProfileName, networkProfiles } from '../config/network-profile.ts';
import { bearerToken, integer, oneOf, textType } from '../config/value-types.ts';
import type { DevnetOptions } from '../devnet/start-devnet.ts';
import { toDialect } from '../start/open-network.ts';
import { type CliWorld, orExitCode, type RunningDevnet } from './cli-world.ts';
import { defineCommand, type GivenOptions } from './command.ts';

const fallbacks = {
  host: '127.0.0.1',
  port: 4100,
  checkpointMs: 500,
  /** Default `--start-time` with `--seed`: digests depend on the time, so only a fixed start makes them reproducible. */
  seededStart: '2026-01-01T00:00:00Z',
} as const;
const profileNames = Object.keys(networkProfiles) as NetworkProfileName[];

const devnetOptions = {
  port: {
    type: configKeys.PORT.type,
    shown: 'N',
    about: `port for all three interfaces; 0 = any free port (${fallbacks.port})`,
  },
  host: { type: configKeys.HOST.type, shown: 'ADDRESS', about: `address to listen on (${fallbacks.host})` },
  seed: {
    type: integer(0, 4_294_967_295),
    shown: 'N',
    about: 'seed of all keys, objects and simulated users; with a fixed start time, digests are reproducible',
  },
  'start-time': {
    type: textType('now, or an instant in UTC like 2026-01-31T12:00:00Z, from 1971 to 2199', parseStartTime),
    shown: 'TIME',
    about: `ledger time at the start, in UTC, or now (${fallbacks.seededStart} with --seed, else now)`,
  },
  profile: {
    type: oneOf(...profileNames),
    shown: 'NAME',
    about: `network profile, for header names and the form of time ranges: ${profileNames.join(', ')} (${networkProfiles.ledger.name})`,
  },
  'sponsor-token': {
    type: bearerToken,
    shown: 'TOKEN',
    about: 'bearer token that the sponsor accepts (random, printed)',
  },
  'checkpoint-ms': {
    type: integer(0, 3_600_000, 'milliseconds'),
    shown: 'N',
    about: `milliseconds between checkpoints; 0 = one per transaction (${fallbacks.checkpointMs})`,
  },
  'history-checkpoints': {
    type: integer(1, 1_000_000),
    shown: 'N',
    about: 'checkpoints kept in the history (7200)',
  },
  'available-checkpoints': {
    type: integer(0, 1_000_000),
    shown: 'N',
    about: 'checkpoints for which objects and balances can be read (300)',
  },
};

type Given = GivenOptions<typeof devnetOptions>;

export const devnetCommand = defineCommand({
  name: 'devnet',
  usage: [['[options]', 'run the simulated network alone']],
  options: devnetOptions,
  examples: ['ledger-gateway devnet --port 4100 --seed 7'],
  run: (given, world) => orExitCode(1, world, () => runDevnet(given, world)),
});

/** Runs the simulated network until a stop signal. Resolves with the exit code: 0 stopped, 1 could not start. */
async function runDevnet(given: Given, world: CliWorld): Promise<number> {
  const sponsorToken = given['sponsor-token'] ?? world.randomToken();
  const profile = given.profile ?? 'ledger';
  const started = world.services.startDevnet({
    ...toDevnetOptions(given),
    sponsorToken: sponsorToken.reveal(),
    dialect: toDialect(networkProfiles[profile]),
  });
  const devnet = await Promise.race([started, world.stopRequested]);
  if (typeof devnet === 'string') return 0;
  world.writeOut(describeDevnet(devnet, profile, sponsorToken.reveal()));
  await world.stopRequested;
  await devnet.close();
  return 0;
}

function toDevnetOptions(given: Given): Omit<DevnetOptions, 'sponsorToken' | 'dialect'> {
  const { seed, 'history-checkpoints': checkpoints, 'available-checkpoints': availableCheckpoints } = given;
  const startMs = given['start-time'] ?? (seed === null ? 'now' : Date.parse(fallbacks.seededStart));
  const checkpointIntervalMs = given['checkpoint-ms'] ?? fallbacks.checkpointMs;
  return {
    host: given.host ?? fallbacks.host,
    port: given.port ?? fallbacks.port,
    checkpointIntervalMs,
    checkpointPerTransaction: checkpointIntervalMs === 0,
    ...(seed !== null && { seed }),
    ...(startMs !== 'now' && { startMs }),
    ...(checkpoints !== null && { retention: { checkpoints } }),
    ...(availableCheckpoints !== null && { availableCheckpoints }),
  };
}

/** Instants that a ledger's whole milliseconds and RFC 3339 text can both express. */
function parseStartTime(text: string): number | 'now' | undefined {
  if (text === 'now') return text;
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/.test(text)) return undefined;
  const ms = Date.parse(text);
  const isOfCalendar = Number.isFinite(ms) && new Date(ms).toISOString().startsWith(text.slice(0, 19));
  const year = Number(text.slice(0, 4));
  return isOfCalendar && year >= 1971 && year <= 2199 ? ms : undefined;
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
