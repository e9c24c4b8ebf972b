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
  readonly variants: number;
  readonly rateLimit: boolean;
  readonly logLevel: string;
  readonly naive: boolean;
  readonly peers: boolean;
  /** Where the results go as JSON; `null` = a dated file in bench-results. */
  readonly json: string | null;
}

export const loadHelp = `Usage: npm run bench:load -- [options]

  --only W1,W3          these works only (default: all of W1 to W7)
  --seconds N           length of one measured slice (default 3)
  --requests N          so many requests per slice instead
  --warm-up N           seconds of warm-up per contestant and work (default 2)
  --repeat N            measured slices per contestant and work (default 3)
  --concurrency N       requests in flight (default 32)
  --variants N          distinct requests of one work, at least twice as many as are in flight (default 256)
  --rate-limit on|off   whether the gateway counts its callers (default on, at a limit that is never reached)
  --log-level LEVEL     of the gateway; what it logs goes to /dev/null (default info, as shipped)
  --no-naive            without the naive stitching gateway
  --peers               also other gateways, where they are installed: npm ci --prefix test/bench/peers
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
      seconds: { type: 'string', default: '3' },
      requests: { type: 'string' },
      'warm-up': { type: 'string', default: '2' },
      repeat: { type: 'string', default: '3' },
      concurrency: { type: 'string', default: '32' },
      variants: { type: 'string', default: '256' },
      'rate-limit': { type: 'string', default: 'on' },
      'log-level': { type: 'string', default: 'info' },
      'no-naive': { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
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
  const concurrency = parseWhole('--concurrency', values.concurrency, 1);
  return {
    only,
    seconds: parseWhole('--seconds', values.seconds, 1),
    requests: values.requests === undefined ? null : parseWhole('--requests', values.requests, 1),
    warmUpSeconds: parseWhole('--warm-up', values['warm-up'], 0),
    repeat: parseWhole('--repeat', values.repeat, 1),
    concurrency,
    variants: parseWhole('--variants', values.variants, 2 * concurrency),
    rateLimit: rateLimit === 'on',
    logLevel: values['log-level'],
    naive: !values['no-naive'],
    peers: values.peers,
    json: values.json ?? null,
  };
}

function parseWhole(name: string, text: string, least: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= 1_000_000) return value;
  throw new Error(`${name} takes a whole number from ${least} to 1000000; got ${text}`);
}
