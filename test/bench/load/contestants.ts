import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Child, Children, NodeProgram } from './child-processes.ts';
import { toGatewayCommand } from './gateway-command.ts';
import type { LoadOptions } from './load-options.ts';
import { writeNginxDirectory } from './nginx.ts';
import type { Dialect, Transport, Work } from './work.ts';

/** Somebody who is measured. */
export interface Contestant {
  readonly name: string;
  /** One after the other takes part, round by round. */
  readonly processes: readonly Child[];
  readonly dialect: Dialect;
  readonly transport: Transport;
  /** The contestant to which it is compared besides the floor; `null` = none. */
  readonly base: string | null;
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
/** The gateway of this folder. */
export const ownName = 'gateway';
/** The gateway of another folder. */
const otherName = 'other';
/** Besides POST; contestants have their names. */
export const transports = ['GET', 'WebSocket'] as const;

type ServerOptions = Pick<LoadOptions, 'rateLimit' | 'logLevel' | 'node'>;

/** Starts everybody in front of the upstream, the floor first and the gateway second. */
export async function startContestants(
  children: Children,
  upstreamUrl: string,
  options: ServerOptions &
    Pick<
      LoadOptions,
      'processes' | 'against' | 'alsoNode' | 'raw' | 'transports' | 'nginx' | 'naive' | 'peers' | 'stores'
    >,
  say: (line: string) => void,
): Promise<readonly Contestant[]> {
  const fork = (name: string, module: URL, on = options) => children.fork(name, module, [upstreamUrl], toProgram(on));
  const ours = (name: string, as = name, on = options) =>
    fork(as, new URL(`../processes/${name}.js`, import.meta.url), on);
  const gateway = (name: string, folder?: string, on = options) =>
    startGateway(name, children, upstreamUrl, on, {}, folder);
  const { against, alsoNode } = options;
  const isForwarded = (work: Work) => work.isForwarded;
  const planned: (Omit<Contestant, 'processes'> & { readonly start: (name: string) => Promise<Child> })[] = [];
  const plan = (
    name: string,
    start: (name: string) => Promise<Child>,
    rest: Partial<Pick<Contestant, 'dialect' | 'transport' | 'base' | 'can'>> = {},
  ) =>
    planned.push({ name, start, dialect: 'graphql', transport: 'POST', base: null, everyRounds: 1, can: all, ...rest });
  plan('floor', (name) => ours('floor', name), { dialect: 'floor' });
  plan(ownName, (name) => gateway(name), { base: against === null ? null : otherName });
  if (against !== null) plan(otherName, (name) => gateway(name, resolve(against)));
  if (alsoNode !== null) {
    const on = { ...options, node: alsoNode };
    const base = `floor on ${versionOf(alsoNode)}`;
    plan(base, (name) => ours('floor', name, on), { dialect: 'floor' });
    plan(`${ownName} on ${versionOf(alsoNode)}`, (name) => gateway(name, undefined, on), { base });
  }
  // Processes of their own: who serves several transports is compiled for all of them.
  for (const transport of options.transports ? transports : [])
    plan(transport, (name) => gateway(name), {
      transport,
      base: ownName,
      can: ({ overTransports }) => overTransports === true,
    });
  if (options.raw) plan('raw client', (name) => ours('raw-floor', name), { dialect: 'floor', can: isForwarded });
  const processes = new Map(planned.map(({ name }) => [name, [] as Child[]]));
  for (let count = 1; count <= options.processes; count += 1)
    for (const { name, start } of planned) processes.get(name)?.push(await start(`${name} ${count}`));
  const contestants: Contestant[] = planned.map(({ start: _, ...rest }) => ({
    ...rest,
    processes: processes.get(rest.name) ?? [],
  }));
  const add = async (
    started: () => Promise<Child>,
    rest: Pick<Contestant, 'dialect' | 'everyRounds' | 'can'>,
    name: string,
  ) => {
    try {
      contestants.push({ name, processes: [await started()], transport: 'POST', base: null, ...rest });
    } catch (error) {
      say(`${name}: skipped. ${error instanceof Error ? error.message : error}`);
    }
  };
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

/** Of a binary of Node. */
export function versionOf(node: string): string {
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim() || 'unknown';
}

function toProgram({ node }: Pick<LoadOptions, 'node'>): NodeProgram {
  return { path: node, countsCollections: true };
}

/** @param folder where it is built; left out: here */
export function startGateway(
  name: string,
  children: Children,
  upstreamUrl: string,
  options: ServerOptions,
  more: NodeJS.ProcessEnv = {},
  folder?: string,
): Promise<Child> {
  const env = {
    ...more,
    ...(options.rateLimit ? {} : { RATE_LIMIT_PER_MINUTE: '0' }),
    LOG_LEVEL: options.logLevel,
    // Reading the whole schema again in the middle of a slice would be counted to its requests.
    SCHEMA_POLL_MS: '0',
  };
  const toCommand = (port: number) => toGatewayCommand(port, upstreamUrl, env, folder, toProgram(options));
  return children.spawnServer(name, toCommand, '/health/ready');
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
