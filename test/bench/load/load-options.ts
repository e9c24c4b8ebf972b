import { parseArgs } from 'node:util';

export interface LoadOptions {
  /** Ids of works; empty = all. */
  readonly only: readonly string[];
  /** Length of one measured slice: so many seconds, or so many requests. */
  readonly seconds: number;
  readonly requests: number | null;
  readonly warmUpSeconds: number;
  readonly repeat: number;
  readonly concurrency: number;
  /** Of the floor, and of the gateway. */
  readonly processes: number;
  /** How often floor and gateway are asked at a steady rate. */
  readonly latencyRounds: number;
  readonly rateLimit: boolean;
  readonly logLevel: string;
  /** A folder with another built gateway; `null` = none. */
  readonly against: string | null;
  /** The binary of Node by which everybody who is measured is started. */
  readonly node: string;
  /** The binary of another Node, on which floor and gateway also run; `null` = none. */
  readonly alsoNode: string | null;
  /** Are fresh processes measured, instead of warm ones? */
  readonly cold: boolean;
  readonly raw: boolean;
  /** Is the gateway also asked by GET and over WebSocket? */
  readonly transports: boolean;
  readonly nginx: boolean;
  readonly naive: boolean;
  readonly peers: boolean;
  /** Is the gateway also measured with a journal, and with Redis? */
  readonly stores: boolean;
  /** Where the results go as JSON; `null` = a dated file in bench-results. */
  readonly json: string | null;
}

/** There are so many sets of coins, and four times as many known texts: no two requests in flight ask the same. */
const mostInFlight = 64;
const mostProcesses = 20;

export const loadHelp = `Usage: npm run bench:load -- [options]

  --only W1,W3          these works only (default: all)
  --seconds N           length of one measured slice (default 1)
  --requests N          so many requests per slice instead
  --warm-up N           seconds of warm-up per contestant and work, 0 for none at all (default 1)
  --repeat N            rounds of measured slices per work (default 9; whoever is slow takes part in every fourth)
  --latency N           rounds at a steady rate, half of what the slower of floor and gateway can take (default 3)
  --concurrency N       requests in flight, at most 64 (default 32)
  --processes N         of the floor and of the gateway each, which take part in turn (default 3)
  --rate-limit on|off   whether the gateway counts its callers (default on, at a limit that is never reached)
  --log-level LEVEL     of the gateway; what it logs goes to /dev/null (default info, as shipped)
  --against DIR         also the gateway that is built in another folder, in as many processes (DIR/dist/cli.js)
  --node PATH           the Node that runs the servers, but not client and upstream (default: the one that runs the bench)
  --also-node PATH      also floor and gateway on this Node, in the same rounds
  --cold                only floor and gateway: the first 2,000 requests of a fresh process, and those after 10,000
  --raw                 also the least that Node can do: node:http in, bare sockets out
  --transports          also the gateway by GET and over WebSocket, for W1 and W2
  --nginx               also nginx as a reverse proxy, where it is installed
  --no-naive            without the naive stitching gateway
  --peers               also other gateways, where they are installed: npm ci --prefix test/bench/peers
  --stores              also the gateway with a journal, and with Redis, for works of sponsorship
  --json FILE           where the results go (default bench-results/load-<time>.json)
  --help
`;

/**
 * Reads the command line; `null` where help was asked for.
 * @throws Error that names the option and what it takes
 */
export function parseLoadOptions(args: readonly string[], workIds: readonly string[]): LoadOptions | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: '' },
      seconds: { type: 'string', default: '1' },
      requests: { type: 'string' },
      'warm-up': { type: 'string', default: '1' },
      repeat: { type: 'string', default: '9' },
      latency: { type: 'string', default: '3' },
      concurrency: { type: 'string', default: '32' },
      processes: { type: 'string', default: '3' },
      'rate-limit': { type: 'string', default: 'on' },
      'log-level': { type: 'string', default: 'info' },
      against: { type: 'string' },
      node: { type: 'string', default: process.execPath },
      'also-node': { type: 'string' },
      cold: { type: 'boolean', default: false },
      raw: { type: 'boolean', default: false },
      transports: { type: 'boolean', default: false },
      nginx: { type: 'boolean', default: false },
      'no-naive': { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      stores: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const only = values.only.split(',').filter((id) => id !== '');
  const unknown = only.filter((id) => !workIds.includes(id));
  if (unknown.length > 0) throw new Error(`--only takes ${workIds.join(', ')}; got ${unknown.join(', ')}`);
  const rateLimit = values['rate-limit'];
  if (rateLimit !== 'on' && rateLimit !== 'off') throw new Error(`--rate-limit takes on or off; got ${rateLimit}`);
  return {
    only,
    seconds: parseWhole('--seconds', values.seconds, 1),
    requests: values.requests === undefined ? null : parseWhole('--requests', values.requests, 1),
    warmUpSeconds: parseWhole('--warm-up', values['warm-up'], 0),
    repeat: parseWhole('--repeat', values.repeat, 1),
    latencyRounds: parseWhole('--latency', values.latency, 0),
    concurrency: parseWhole('--concurrency', values.concurrency, 1, mostInFlight),
    processes: parseWhole('--processes', values.processes, 1, mostProcesses),
    rateLimit: rateLimit === 'on',
    logLevel: values['log-level'],
    against: values.against ?? null,
    node: values.node,
    alsoNode: values['also-node'] ?? null,
    cold: values.cold,
    raw: values.raw,
    transports: values.transports,
    nginx: values.nginx,
    naive: !values['no-naive'],
    peers: values.peers,
    stores: values.stores,
    json: values.json ?? null,
  };
}

function parseWhole(name: string, text: string, least: number, most = 1_000_000): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new Error(`${name} takes a whole number from ${least} to ${most}; got ${text}`);
}
