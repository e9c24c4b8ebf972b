import { parseArgs } from 'node:util';
import { type LiveScenario, liveScenarios } from './live-scenarios.ts';

export interface LiveOptions {
  readonly scenarios: readonly LiveScenario[];
  /** Subscribers of one filter. */
  readonly subscribers: number;
  /** Filters that differ, with one subscriber each. */
  readonly filters: number;
  /** Events that are measured. */
  readonly events: number;
  /** Milliseconds between two of them. */
  readonly everyMs: number;
  /** Where the results go as JSON; `null` = a dated file in bench-results. */
  readonly json: string | null;
}

export const liveHelp = `Usage: npm run bench:live -- [options]

  --only sockets,sse    these scenarios only (default: all): ${liveScenarios.map(({ id }) => id).join(', ')}
  --subscribers N       of one filter (default 10000; each WebSocket takes a file at both ends: see ulimit -n)
  --filters N           distinct filters, one subscriber each (default 1000)
  --events N            measured, one after the other (default 20)
  --every MS            between two of them (default 1000)
  --json FILE           where the results go (default bench-results/live-<time>.json)
  --help
`;

/**
 * Reads the command line; `null` where help was asked for.
 * @throws Error that names the option and what it takes
 */
export function parseLiveOptions(args: readonly string[]): LiveOptions | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: '' },
      subscribers: { type: 'string', default: '10000' },
      filters: { type: 'string', default: '1000' },
      events: { type: 'string', default: '20' },
      every: { type: 'string', default: '1000' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const count = (name: 'subscribers' | 'filters' | 'events' | 'every') => {
    const number = Number(values[name]);
    if (!Number.isSafeInteger(number) || number < 1) throw new Error(`--${name} takes a whole number from 1 on.`);
    return number;
  };
  const wanted = values.only.split(',').filter((id) => id !== '');
  const unknown = wanted.filter((id) => !liveScenarios.some((scenario) => scenario.id === id));
  if (unknown.length > 0) throw new Error(`--only: there is no scenario ${unknown.join(', ')}.`);
  return {
    scenarios: liveScenarios.filter(({ id }) => wanted.length === 0 || wanted.includes(id)),
    subscribers: count('subscribers'),
    filters: count('filters'),
    events: count('events'),
    everyMs: count('every'),
    json: values.json ?? null,
  };
}
