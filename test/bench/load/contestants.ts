import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Child, Children } from './child-processes.ts';
import { toGatewayCommand } from './gateway-command.ts';
import type { LoadOptions } from './load-options.ts';
import { writeNginxDirectory } from './nginx.ts';
import type { Dialect, Work } from './work.ts';

/** Somebody who is measured. */
export interface Contestant {
  readonly name: string;
  /** One after the other takes part, round by round. */
  readonly processes: readonly Child[];
  readonly dialect: Dialect;
  /** Takes part in every so many rounds: whose ratio is far from all others needs no narrow spread. */
  readonly everyRounds: number;
  readonly can: (work: Work) => boolean;
}

/** Other servers, in a package of their own so that their dependencies are none of ours. */
const peers = ['mercurius', 'apollo'] as const;
const fewRounds = 4;
/** Instances that share Redis share this key. */
const leaseKey = 'a-key-for-the-leases-of-the-load-bench-0123456789';
const all = () => true;
/** The gateway of another folder. */
export const otherName = 'other';

/** Starts everybody in front of the upstream, the floor first and the gateway second. */
export async function startContestants(
  children: Children,
  upstreamUrl: string,
  options: Pick<
    LoadOptions,
    'processes' | 'rateLimit' | 'logLevel' | 'against' | 'nginx' | 'naive' | 'peers' | 'stores'
  >,
  say: (line: string) => void,
): Promise<readonly Contestant[]> {
  const fork = (name: string, module: URL) => children.fork(name, module, [upstreamUrl]);
  const ours = (name: string, as = name) => fork(as, new URL(`../processes/${name}.js`, import.meta.url));
  const floors: Child[] = [];
  const gateways: Child[] = [];
  const others: Child[] = [];
  for (let count = 1; count <= options.processes; count += 1) {
    floors.push(await ours('floor', `floor ${count}`));
    gateways.push(await startGateway(`gateway ${count}`, children, upstreamUrl, options));
    if (options.against !== null)
      others.push(await startGateway(`other ${count}`, children, upstreamUrl, options, {}, resolve(options.against)));
  }
  const contestants: Contestant[] = [
    { name: 'floor', processes: floors, dialect: 'floor', everyRounds: 1, can: all },
    { name: 'gateway', processes: gateways, dialect: 'graphql', everyRounds: 1, can: all },
  ];
  if (others.length > 0)
    contestants.push({ name: otherName, processes: others, dialect: 'graphql', everyRounds: 1, can: all });
  const add = async (
    started: () => Promise<Child>,
    rest: Pick<Contestant, 'dialect' | 'everyRounds' | 'can'>,
    name: string,
  ) => {
    try {
      contestants.push({ name, processes: [await started()], ...rest });
    } catch (error) {
      say(`${name}: skipped. ${error instanceof Error ? error.message : error}`);
    }
  };
  const isForwarded = (work: Work) => work.isForwarded;
  if (options.nginx)
    await add(
      () => startNginx(children, upstreamUrl, say),
      { dialect: 'floor', everyRounds: 1, can: isForwarded },
      'nginx',
    );
  const isCommon = (work: Work) => !work.isForGatewayAlone;
  const slow = { dialect: 'graphql', everyRounds: fewRounds, can: isCommon } as const;
  if (options.naive) await add(() => ours('naive'), slow, 'naive');
  if (options.stores) {
    const can = ({ sliceRequests }: Work) => sliceRequests !== undefined;
    const rest = { dialect: 'graphql', everyRounds: 1, can } as const;
    const start = (name: string, env: NodeJS.ProcessEnv) => startGateway(name, children, upstreamUrl, options, env);
    const journal = { STATE_DIRECTORY: mkdtempSync(join(tmpdir(), 'bench-journal-')) };
    await add(() => start('journal', journal), rest, 'journal');
    await add(
      async () => start('Redis', { REDIS_URL: await startRedis(children), LEASE_KEYS: leaseKey }),
      rest,
      'Redis',
    );
  }
  const home = `${process.cwd()}/test/bench/peers`;
  if (options.peers && !existsSync(`${home}/node_modules`))
    say('peers: skipped, they are not installed. To install them: npm ci --prefix test/bench/peers');
  else if (options.peers)
    for (const name of peers) await add(() => fork(name, pathToFileURL(`${home}/${name}.mjs`)), slow, name);
  return contestants;
}

function startGateway(
  name: string,
  children: Children,
  upstreamUrl: string,
  { rateLimit, logLevel }: Pick<LoadOptions, 'rateLimit' | 'logLevel'>,
  more: NodeJS.ProcessEnv = {},
  folder?: string,
): Promise<Child> {
  const env = {
    ...more,
    ...(rateLimit ? {} : { RATE_LIMIT_PER_MINUTE: '0' }),
    LOG_LEVEL: logLevel,
    // Reading the whole schema again in the middle of a slice would be counted to its requests.
    SCHEMA_POLL_MS: '0',
  };
  return children.spawnServer(name, (port) => toGatewayCommand(port, upstreamUrl, env, folder), '/health/ready');
}

/** A Redis without persistence. @returns its address */
async function startRedis(children: Children): Promise<string> {
  const { status } = spawnSync('redis-server', ['--version']);
  if (status !== 0) throw new Error('It is not installed: there is no redis-server in PATH');
  const toArgs = (port: number) => ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const toCommand = (port: number) => ({ file: 'redis-server', args: toArgs(port), env: { PATH: process.env.PATH } });
  const { url } = await children.spawnServer('redis-server', toCommand, null);
  return url.replace('http:', 'redis:');
}

/** Not everybody has `/usr/sbin` in their path. */
const nginxPath = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;

async function startNginx(children: Children, upstreamUrl: string, say: (line: string) => void): Promise<Child> {
  const env = { PATH: nginxPath };
  const { status, stderr } = spawnSync('nginx', ['-v'], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error('It is not installed: there is no nginx in PATH, /usr/sbin or /usr/local/sbin');
  say(stderr.trim());
  const toArgs = (port: number) => ['-p', writeNginxDirectory(port, upstreamUrl), '-c', 'nginx.conf', '-e', 'stderr'];
  return children.spawnServer('nginx', (port) => ({ file: 'nginx', args: toArgs(port), env }), '/');
}
