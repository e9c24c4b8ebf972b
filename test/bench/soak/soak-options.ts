import { parseArgs } from 'node:util';

export interface SoakOptions {
  readonly minutes: number;
  /** Part of what the machine can take, in percent. */
  readonly load: number;
  /** How often the upstream's schema changes in the meantime. */
  readonly generations: number;
  /** Do the upstreams fail in turns, with streams beside the requests? */
  readonly withFaults: boolean;
  /** How long the memory may take to settle before it is measured, in seconds. */
  readonly settleSeconds: number;
  readonly sampleSeconds: number;
  /** For how long the capacity is measured, in seconds. */
  readonly capacitySeconds: number;
  /** Where the samples go as JSON; `null` = a dated file in bench-results. */
  readonly json: string | null;
}

export const soakHelp = `Usage: npm run soak -- [options]

  --minutes N           length of the measured part (default 10)
  --load N              percent of the measured capacity (default 90; 40 with --faults, because
                        requests pile up while an upstream does not answer)
  --generations N       so many changes of the ledger's schema in the meantime (default 0)
  --faults              upstreams fail in turns, every 18 seconds for 8, with live streams
  --settle N            most seconds before it, until what is remembered is full and memory
                        has settled (default 720; 1200 with --faults)
  --sample N            seconds between two samples (default 5)
  --capacity N          seconds in which the capacity is measured (default 10)
  --json FILE           where the samples go (default bench-results/soak-<time>.json)
  --help
`;

/**
 * Reads the command line; `null` where help was asked for.
 * @throws Error that names the option and what it takes
 */
export function parseSoakOptions(args: readonly string[]): SoakOptions | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '10' },
      load: { type: 'string' },
      generations: { type: 'string', default: '0' },
      faults: { type: 'boolean', default: false },
      settle: { type: 'string' },
      sample: { type: 'string', default: '5' },
      capacity: { type: 'string', default: '10' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  return {
    minutes: parseNumber('--minutes', values.minutes, 0.05, 1_440),
    load: parseNumber('--load', values.load ?? (values.faults ? '40' : '90'), 1, 100),
    generations: parseWhole('--generations', values.generations, 0, 10_000),
    withFaults: values.faults,
    settleSeconds: parseNumber('--settle', values.settle ?? (values.faults ? '1200' : '720'), 0, 3_600),
    sampleSeconds: parseNumber('--sample', values.sample, 0.1, 60),
    capacitySeconds: parseNumber('--capacity', values.capacity, 0.5, 600),
    json: values.json ?? null,
  };
}

function parseNumber(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value >= least && value <= most) return value;
  throw new Error(`${name} takes a number from ${least} to ${most}; got ${text}`);
}

function parseWhole(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new Error(`${name} takes a whole number from ${least} to ${most}; got ${text}`);
}
