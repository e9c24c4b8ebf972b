import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Child, Children } from './child-processes.ts';
import type { LoadOptions } from './load-options.ts';
import type { Dialect } from './works.ts';

/** Somebody who is measured. */
export interface Contestant extends Child {
  readonly dialect: Dialect;
}

/** Other servers, in a package of their own so that their dependencies are none of ours. */
const peers = ['mercurius', 'apollo'] as const;

/** Starts everybody in front of the upstream, the floor first. */
export async function startContestants(
  children: Children,
  upstreamUrl: string,
  options: Pick<LoadOptions, 'rateLimit' | 'logLevel' | 'naive' | 'peers'>,
  say: (line: string) => void,
): Promise<readonly Contestant[]> {
  const ours = (name: string) =>
    children.fork(name, new URL(`../processes/${name}.js`, import.meta.url), [upstreamUrl]);
  const contestants: Contestant[] = [
    { ...(await ours('floor')), dialect: 'floor' },
    { ...(await startGateway(children, upstreamUrl, options)), dialect: 'graphql' },
  ];
  if (options.naive) contestants.push({ ...(await ours('naive')), dialect: 'graphql' });
  if (!options.peers) return contestants;

  const home = `${process.cwd()}/test/bench/peers`;
  if (!existsSync(`${home}/node_modules`)) {
    say('peers: skipped, they are not installed. To install them: npm ci --prefix test/bench/peers');
    return contestants;
  }
  for (const name of peers) {
    try {
      const child = await children.fork(name, pathToFileURL(`${home}/${name}.mjs`), [upstreamUrl]);
      contestants.push({ ...child, dialect: 'graphql' });
    } catch (error) {
      say(`${name}: skipped. ${error instanceof Error ? error.message : error}`);
    }
  }
  return contestants;
}

/** The built command line, told by the environment alone where its upstreams are; everything else is as shipped. */
function startGateway(
  children: Children,
  upstreamUrl: string,
  { rateLimit, logLevel }: Pick<LoadOptions, 'rateLimit' | 'logLevel'>,
): Promise<Child> {
  const toEnv = (port: number) => ({
    PATH: process.env.PATH,
    PORT: String(port),
    LEDGER_GRAPHQL_URL: `${upstreamUrl}/graphql`,
    SPONSOR_URL: upstreamUrl,
    SPONSOR_TOKEN: 'bench',
    SPONSOR_ALLOW_ANONYMOUS: 'true',
    CORS_ORIGINS: 'http://localhost:3000',
    RATE_LIMIT_PER_MINUTE: rateLimit ? '1000000000' : '0',
    LOG_LEVEL: logLevel,
    // Reading the whole schema again in the middle of a slice would be counted to its requests.
    SCHEMA_POLL_MS: '0',
  });
  return children.spawnServer('gateway', ['dist/cli.js', 'serve'], toEnv, '/health/ready');
}
