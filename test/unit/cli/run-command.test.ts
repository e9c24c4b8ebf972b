import { describe, expect, test } from 'vitest';
import type { CliWorld, WorkersSettings } from '../../../src/cli/cli-world.ts';
import { parseArguments } from '../../../src/cli/parse-arguments.ts';
import { runCommand } from '../../../src/cli/run-command.ts';
import { hashApiKey } from '../../../src/config/client.ts';
import type { Config } from '../../../src/config/config.ts';
import { parseConfig } from '../../../src/config/parse-config.ts';
import { Secret } from '../../../src/config/secret.ts';
import type { DevnetOptions } from '../../../src/devnet/start-devnet.ts';
import type { StartOptions } from '../../../src/start/start.ts';
import { followPrimary } from '../../../src/start/workers/follow-primary.ts';
import type { FromWorker, ToWorker } from '../../../src/start/workers/worker-messages.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { toTestClient, toTestRules } from '../../support/test-policy.ts';
import { until } from '../../support/until.ts';

const never = new Promise<never>(() => {});

interface Overrides extends Partial<Omit<CliWorld, 'services'>> {
  readonly services?: Partial<CliWorld['services']>;
}

/** A world in which everything works, with what happened in it. */
function createWorld({ services, ...overrides }: Overrides = {}) {
  const seen = {
    out: '',
    error: '',
    log: [] as Record<string, unknown>[],
    configs: [] as Config[],
    devnets: [] as DevnetOptions[],
    closed: 0,
    workers: [] as WorkersSettings[],
    crash: (_error: unknown): void => {},
    askToReload: (): void => {},
    reloaded: 0,
  };
  const close = async () => {
    seen.closed += 1;
  };
  const reload = async () => {
    seen.reloaded += 1;
  };
  const world: CliWorld = {
    env: {},
    readFile: () => {
      throw new Error('no files here');
    },
    writeFile: () => {
      throw new Error('nothing is written here');
    },
    readInput: async () => {
      throw new Error('no input here');
    },
    readLines: () => {
      throw new Error('no lines here');
    },
    writeLine: async (line) => {
      seen.out += `${line}\n`;
      return true;
    },
    writeOut: (text) => {
      seen.out += text;
    },
    writeError: (text) => {
      seen.error += text;
    },
    isTerminal: false,
    onReloadRequest: (reload) => {
      seen.askToReload = reload;
    },
    stopRequested: Promise.resolve().then(() => new Promise((resolve) => setImmediate(resolve, 'SIGTERM'))),
    onCrash: (tell) => {
      seen.crash = tell;
    },
    createLogger: (level) =>
      createLogger({ level, destination: { write: (line) => void seen.log.push(JSON.parse(line)) } }),
    randomToken: () => new Secret('made-up'),
    randomBytes: (count) => new Uint8Array(count).fill(7),
    cores: 4,
    primary: null,
    version: '1.2.3',
    services: {
      startGateway: async ({ config }) => {
        seen.configs.push(config);
        return { url: 'http://127.0.0.1:4000', reload, close, assumedWrongNetwork: never };
      },
      startWorkers: async (settings) => {
        seen.workers.push(settings);
        return { url: 'http://127.0.0.1:4000', reload, close, failed: never };
      },
      followPrimary: async (primary) => followPrimary(primary),
      readSchema: async (scope, { profile, upstreams }) =>
        `type Query { ${scope}_${profile.name}_${upstreams.kind}: Int }\n`,
      explainManifest: async () => {
        throw new Error('nothing to explain here');
      },
      explainOperation: async () => {
        throw new Error('nothing to explain here');
      },
      startDevnet: async (settings) => {
        seen.devnets.push(settings);
        return {
          graphqlUrl: 'http://127.0.0.1:4100/graphql',
          sponsorUrl: 'http://127.0.0.1:4100/sponsor',
          rpcUrl: 'http://127.0.0.1:4100/rpc',
          rpcWsUrl: 'ws://127.0.0.1:4100/rpc',
          close,
        };
      },
      ...services,
    },
    ...overrides,
  };
  return { world, seen };
}

describe('serve', () => {
  test('starts with the configuration, logs its URL, and stops in order on request', async () => {
    const { world, seen } = createWorld({ env: { PORT: '0' } });
    expect(await runCommand(parseArguments([]), world)).toBe(0);
    expect(seen.configs.map(({ port }) => port)).toEqual([0]);
    expect(seen.closed).toBe(1);
    expect(seen.log.at(-1)).toMatchObject({ msg: 'stopped' });
    expect(seen.error).toBe('');
  });

  test.each([[{}], [{ WORKERS: '2', REDIS_URL: 'redis://localhost' }]])(
    'reloads on %j, but not before it serves',
    async (env) => {
      let stop = () => {};
      const stopRequested = new Promise<string>((resolve) => {
        stop = () => resolve('SIGTERM');
      });
      const { world, seen } = createWorld({ env, stopRequested });
      const running = runCommand(parseArguments([]), world);
      await until(() => seen.configs.length + seen.workers.length > 0, 'the start');
      seen.askToReload();
      await until(() => {
        seen.askToReload();
        return seen.reloaded > 0;
      }, 'what was asked for');
      stop();
      expect(await running).toBe(0);
    },
  );

  test('on a reload, logs changed settings that need a restart, and mistakes that would prevent it', async () => {
    const files: Record<string, string> = { config: 'CURSOR_KEYS_FILE: keys', keys: 'a'.repeat(32) };
    let stop = () => {};
    const stopRequested = new Promise<string>((resolve) => {
      stop = () => resolve('SIGTERM');
    });
    const readFile = (path: string) => files[path] ?? '';
    const { world, seen } = createWorld({ env: { CONFIG_FILE: 'config' }, readFile, stopRequested });
    const running = runCommand(parseArguments([]), world);
    const reload = async () => {
      const before = seen.reloaded;
      const { length } = seen.log;
      await until(() => {
        if (seen.reloaded === before) seen.askToReload();
        return seen.log.length > length;
      }, 'a log line');
      return seen.log.at(-1);
    };
    await until(() => seen.configs.length > 0, 'the start');
    files.config = 'CURSOR_KEYS_FILE: keys\nRATE_LIMIT_PER_MINUTE: 7\nLIMIT_MAX_PAGE_SIZE: 60';
    files.keys = 'b'.repeat(32);
    expect(await reload()).toMatchObject({
      level: 'warn',
      settings: ['RATE_LIMIT_PER_MINUTE', 'LIMIT_MAX_PAGE_SIZE', 'CURSOR_KEYS_FILE'],
    });
    files.config = 'RATE_LIMIT_PER_MINUTE: many';
    expect(await reload()).toMatchObject({ level: 'error', mistakes: [expect.stringMatching('RATE_LIMIT')] });
    stop();
    expect(await running).toBe(0);
  });

  test('prints one line at a terminal', async () => {
    const { world, seen } = createWorld({ isTerminal: true });
    await runCommand(parseArguments([]), world);
    expect(seen.error).toBe('ledger-gateway 1.2.3 listens at http://127.0.0.1:4000/graphql\n');
  });

  test('prints every configuration mistake, one per line, and starts nothing', async () => {
    const { world, seen } = createWorld({ env: { PORT: 'x', GRAPHIQL: 'maybe', SPONSOR_URL: 'http://s' } });
    expect(await runCommand(parseArguments([]), world)).toBe(2);
    expect(
      seen.error
        .trimEnd()
        .split('\n')
        .map((line) => line.split(':')[0]),
    ).toEqual(['PORT', 'GRAPHIQL', 'SPONSOR_URL']);
    expect(seen.configs).toEqual([]);
    expect(seen.log).toEqual([]);
  });

  test('exits with 1 if it cannot start, without showing credentials', async () => {
    const startGateway = async () => {
      throw new Error('connect http://me:hunter2@ledger.example/ failed');
    };
    const { world, seen } = createWorld({ services: { startGateway } });
    expect(await runCommand(parseArguments([]), world)).toBe(1);
    expect(seen.error).toBe('ledger-gateway: connect http://[redacted]@ledger.example/ failed\n');
    expect(JSON.stringify(seen.log)).not.toContain('hunter2');
    expect(seen.log.at(-1)).toMatchObject({ level: 'fatal' });
  });

  test('logs uncaught errors', async () => {
    const { world, seen } = createWorld();
    await runCommand(parseArguments([]), world);
    seen.crash(new Error('lost'));
    expect(seen.log.at(-1)).toMatchObject({ level: 'fatal', err: { message: 'lost' } });
  });

  test('starts again on the same port if it assumed the wrong network', async () => {
    let stop = () => {};
    const stopRequested = new Promise<string>((resolve) => {
      stop = () => resolve('SIGTERM');
    });
    const ports: number[] = [];
    let closed = 0;
    const startGateway = async ({ config }: StartOptions) => {
      ports.push(config.port);
      const gateway = { url: 'http://127.0.0.1:4321', reload: async () => {}, assumedWrongNetwork: never };
      const close = async () => {
        closed += 1;
      };
      if (ports.length === 1) return { ...gateway, close, assumedWrongNetwork: Promise.resolve() };
      stop();
      return { ...gateway, close };
    };
    const { world, seen } = createWorld({ env: { PORT: '0' }, stopRequested, services: { startGateway } });
    expect(await runCommand(parseArguments([]), world)).toBe(0);
    expect({ ports, closed }).toEqual({ ports: [0, 4321], closed: 2 });
    expect(seen.log).toContainEqual(expect.objectContaining({ msg: 'restarting to serve the recognised network' }));
  });

  test('does not wait for a hanging start when it is asked to stop', async () => {
    const { world } = createWorld({ services: { startGateway: () => never } });
    expect(await runCommand(parseArguments([]), world)).toBe(0);
  });
});

describe('serve in several processes', () => {
  const several = { REDIS_URL: 'redis://localhost' };
  const files = { '/gateway.yaml': 'PORT: 4001' };
  const readFile = (path: string) => files[path as keyof typeof files] ?? '';

  test('pass the parsed configuration to the workers, and serve nothing in the primary', async () => {
    const { world, seen } = createWorld({ env: { ...several, WORKERS: '3', CONFIG_FILE: '/gateway.yaml' }, readFile });
    expect(await runCommand(parseArguments([]), world)).toBe(0);
    expect(seen.workers).toMatchObject([{ count: 3, files, config: { port: 4001 } }]);
    expect(seen.configs).toEqual([]);
    expect(seen.closed).toBe(1);
  });

  const noSponsor = { LEDGER_GRAPHQL_URL: 'https://ledger.example' };
  test.each([
    [4, 'a Redis', several, 4],
    [1, 'a Redis', several, null],
    [4, 'no sponsor', noSponsor, 4],
    [4, 'the embedded sponsor alone', {}, null],
    [4, 'a sponsor alone', { ...noSponsor, SPONSOR_URL: 'https://sponsor.example' }, null],
  ])('auto on a machine of %s cores beside %s', async (cores, _, env, count) => {
    const { world, seen } = createWorld({ env: { ...env, WORKERS: 'auto' }, cores });
    await runCommand(parseArguments([]), world);
    expect(seen.workers.map((workers) => workers.count)).toEqual(count === null ? [] : [count]);
    expect(seen.configs).toHaveLength(count === null ? 1 : 0);
    const warned = seen.log.filter(({ msg }) => String(msg).includes('REDIS_URL'));
    expect(warned).toHaveLength(count === null && cores > 1 ? 1 : 0);
  });

  test('is rejected with a sponsor without a shared store', async () => {
    const { world, seen } = createWorld({ env: { WORKERS: '2' } });
    expect(await runCommand(parseArguments([]), world)).toBe(2);
    expect(seen.error).toMatch(/^REDIS_URL: [^\n]*WORKERS=2[^\n]*\n$/);
    expect([seen.workers, seen.configs]).toEqual([[], []]);
  });

  test('exits with 1 if workers keep failing', async () => {
    const failed = Promise.reject(new Error('the workers keep ending'));
    const startWorkers = async () => ({
      url: 'http://127.0.0.1:4000',
      reload: async () => {},
      close: async () => {},
      failed,
    });
    const { world, seen } = createWorld({
      env: { ...several, WORKERS: '2' },
      stopRequested: never,
      services: { startWorkers },
    });
    expect(await runCommand(parseArguments([]), world)).toBe(1);
    expect(seen.error).toBe('ledger-gateway: the workers keep ending\n');
  });
});

describe('a worker', () => {
  const shared = { workers: 2, network: null, secret: 's' };
  const files = { '/gateway.yaml': 'PORT: 4001\nRATE_LIMIT_PER_MINUTE: 7' };
  const beginning = { shared, port: 4002, cursorKeys: null, files, heartbeatMs: 60_000 };

  /** A primary that says all of this as soon as it is listened to, and keeps what it hears. */
  const primaryThatSays = (...messages: ToWorker[]) => {
    const heard: FromWorker[] = [];
    return {
      heard,
      primary: {
        send: async (message: FromWorker) => void heard.push(message),
        onMessage: (hear: (message: ToWorker) => void) => messages.forEach(hear),
      },
    };
  };

  test('serves its primary’s configuration on the given port, until it is stopped', async () => {
    const { primary, heard } = primaryThatSays({ kind: 'begin', beginning });
    const { world, seen } = createWorld({ primary, env: { CONFIG_FILE: '/gateway.yaml' } });
    expect(await runCommand(parseArguments(['worker']), world)).toBe(0);
    expect(heard).toEqual([{ kind: 'hello' }]);
    expect(seen.configs).toMatchObject([{ port: 4002, settings: { RATE_LIMIT_PER_MINUTE: 7 } }]);
    expect(seen.closed).toBe(1);
    expect(seen.log).toMatchObject([{ level: 'info', msg: 'worker stopped' }]);
  });

  test('ends if it assumed the wrong network, so that it is replaced', async () => {
    const { primary, heard } = primaryThatSays({ kind: 'begin', beginning: { ...beginning, files: {} } });
    let closed = 0;
    const startGateway = async () => ({
      url: 'http://127.0.0.1:4002',
      reload: async () => {},
      close: async () => {
        closed += 1;
      },
      assumedWrongNetwork: Promise.resolve(),
    });
    const { world } = createWorld({ primary, stopRequested: never, services: { startGateway } });
    expect(await runCommand(parseArguments(['worker']), world)).toBe(0);
    expect([closed, heard]).toEqual([1, [{ kind: 'hello' }]]);
  });

  test('exits before it has begun if it is stopped first', async () => {
    const { primary } = primaryThatSays({ kind: 'stop', drainMs: 0 });
    const { world, seen } = createWorld({ primary, stopRequested: never });
    expect(await runCommand(parseArguments(['worker']), world)).toBe(0);
    expect(seen.configs).toEqual([]);
  });

  test('lets its primary report why it cannot start', async () => {
    const startGateway = async () => {
      throw new Error('listen EADDRINUSE');
    };
    const { primary, heard } = primaryThatSays({ kind: 'begin', beginning: { ...beginning, files: {} } });
    const { world, seen } = createWorld({ primary, stopRequested: never, services: { startGateway } });
    expect(await runCommand(parseArguments(['worker']), world)).toBe(1);
    expect(heard.at(-1)).toEqual({ kind: 'failed', reason: 'listen EADDRINUSE', stack: expect.any(String) });
    expect([seen.error, seen.log]).toEqual(['', []]);
  });

  test('started by hand explains how workers start', async () => {
    const { world, seen } = createWorld();
    expect(await runCommand(parseArguments(['worker']), world)).toBe(2);
    expect(seen.error).toMatch(/^ledger-gateway: workers are started by serve[^\n]*\n$/);
  });
});

describe('devnet', () => {
  test('prints its URLs and an environment with which a gateway starts', async () => {
    const { world, seen } = createWorld();
    expect(await runCommand(parseArguments(['devnet', '--port', '4100', '--seed', '7']), world)).toBe(0);
    expect(seen.devnets).toEqual([
      {
        host: '127.0.0.1',
        port: 4100,
        seed: 7,
        startMs: Date.UTC(2026, 0, 1),
        sponsorToken: 'made-up',
        dialect: {
          schema: 'ledger',
          rpcPrefix: 'ledgerx',
          headers: {
            version: 'x-ledger-rpc-version',
            showUsage: 'x-ledger-rpc-show-usage',
            showUsageByPresence: false,
          },
          timeRange: { encoding: 'number', endExclusive: false },
        },
        ...everyHalfSecond,
      },
    ]);
    expect(seen.closed).toBe(1);
    const env = Object.fromEntries(
      [...seen.out.matchAll(/^export (\w+)=(.*)$/gm)].map(([, key, value]) => [key, value]),
    );
    const config = parseConfig({ env, readFile: world.readFile });
    expect(config.upstreams).toMatchObject({
      kind: 'remote',
      addresses: {
        LEDGER_GRAPHQL_URL: ['http://127.0.0.1:4100/graphql'],
        SPONSOR_URL: ['http://127.0.0.1:4100/sponsor'],
        LEDGER_RPC_URL: ['http://127.0.0.1:4100/rpc'],
      },
    });
    expect(config.sponsorship.token?.reveal()).toBe('made-up');
  });

  const everyHalfSecond = { checkpointIntervalMs: 500, checkpointPerTransaction: false };
  test.each([
    ['', { host: '127.0.0.1', port: 4100, ...everyHalfSecond }],
    ['--port 0 --seed=7 --host ::1', { port: 0, seed: 7, startMs: Date.UTC(2026, 0, 1), host: '::1' }],
    ['--seed 7 --start-time now', { seed: 7, startMs: undefined }],
    ['--start-time 2024-02-29T23:59:59.5Z', { startMs: Date.UTC(2024, 1, 29, 23, 59, 59, 500) }],
    ['--history-checkpoints 50 --available-checkpoints 0', { retention: { checkpoints: 50 }, availableCheckpoints: 0 }],
    ['--checkpoint-ms 0', { checkpointIntervalMs: 0, checkpointPerTransaction: true }],
    ['--checkpoint-ms 50', { checkpointIntervalMs: 50, checkpointPerTransaction: false }],
    ['--profile iota', { dialect: { schema: 'iota' } }],
    ['--sponsor-token hunter2', { sponsorToken: 'hunter2' }],
  ])('with %j', async (options, devnet) => {
    const { world, seen } = createWorld();
    await runCommand(parseArguments(['devnet', ...options.split(' ').filter(Boolean)]), world);
    expect({ startMs: undefined, ...seen.devnets[0] }).toMatchObject(devnet);
  });

  test('quotes a token with shell characters', async () => {
    const { world, seen } = createWorld();
    await runCommand(parseArguments(['devnet', '--sponsor-token', "a'b$c"]), world);
    expect(seen.out).toContain("export SPONSOR_TOKEN='a'\\''b$c'\n");
  });

  test('exits with 1 if its port is in use', async () => {
    const startDevnet = async () => {
      throw new Error('listen EADDRINUSE: address already in use 127.0.0.1:4100');
    };
    const { world, seen } = createWorld({ services: { startDevnet } });
    expect(await runCommand(parseArguments(['devnet']), world)).toBe(1);
    expect(seen.error).toContain('EADDRINUSE');
  });
});

describe('other commands', () => {
  test('help shows every command with examples; version only the version', async () => {
    const { world, seen } = createWorld();
    expect(await runCommand(parseArguments(['--help']), world)).toBe(0);
    for (const text of ['serve', 'devnet', 'schema print', 'schema pull', 'schema check', '--port', 'Examples'])
      expect(seen.out).toContain(text);
    const other = createWorld();
    expect(await runCommand(parseArguments(['--version']), other.world)).toBe(0);
    expect(other.seen.out).toBe('1.2.3\n');
  });

  test.each([
    ['serve', '--ledger-graphql-url', '--sponsor-token '],
    ['devnet', '--seed', '--scopes'],
    ['schema', '--federation', '--seed'],
    ['config', 'config check', '--seed'],
    ['explain', '--manifest', '--federation'],
    ['keys', '--scopes', '--seed'],
  ])('the help of %s has its own options only', async (command, own, others) => {
    const { world, seen } = createWorld();
    expect(await runCommand(parseArguments([command, '--help']), world)).toBe(0);
    expect(seen.out).toContain(own);
    expect(seen.out).not.toContain(others);
  });

  test('a usage error prints one line on standard error and exits with 2', async () => {
    const { world, seen } = createWorld();
    expect(await runCommand(parseArguments(['--prot']), world)).toBe(2);
    expect(seen.error).toBe("ledger-gateway: Unknown option '--prot'. Did you mean --port? (see --help)\n");
  });
});

describe('schema', () => {
  const LEDGER_GRAPHQL_URL = 'https://ledger.example';
  const run = async (argv: string, { env = {}, ...overrides }: Overrides = {}) => {
    const { world, seen } = createWorld({ env, ...overrides });
    const exitCode = await runCommand(parseArguments(['schema', ...argv.split(' ')]), world);
    return { exitCode, ...seen };
  };

  test.each([
    ['print', {}, 'graph_ledger_devnet'],
    ['print', { LEDGER_GRAPHQL_URL, NETWORK_PROFILE: 'iota' }, 'graph_ledger_devnet'],
    ['print --federation', { LEDGER_GRAPHQL_URL, NETWORK_PROFILE: 'iota' }, 'subgraph_iota_remote'],
    ['print --federation', { NETWORK_PROFILE: 'iota' }, 'subgraph_iota_devnet'],
    ['pull', { LEDGER_GRAPHQL_URL, NETWORK_PROFILE: 'iota' }, 'ledger_iota_remote'],
    ['pull --gateway', { LEDGER_GRAPHQL_URL }, 'graph_ledger_remote'],
  ])('%s with %j prints the right schema', async (argv, env, printed) => {
    expect(await run(argv, { env })).toMatchObject({ exitCode: 0, out: `type Query { ${printed}: Int }\n`, error: '' });
  });

  test('pull --out writes a file, and nothing to standard output', async () => {
    const written: (readonly [path: string, text: string])[] = [];
    const writeFile = (...file: [string, string]) => void written.push(file);
    const { exitCode, out } = await run('pull --out saved.graphql', { env: { LEDGER_GRAPHQL_URL }, writeFile });
    expect([exitCode, out]).toEqual([0, '']);
    expect(written).toEqual([['saved.graphql', 'type Query { ledger_ledger_remote: Int }\n']]);
  });

  /** Checks a ledger's schema against a saved one. */
  const check = (saved: string, current: string) =>
    run('check saved.graphql', {
      env: { LEDGER_GRAPHQL_URL },
      readFile: (path) => (path === 'saved.graphql' ? saved : ''),
      services: { readSchema: async () => current },
    });

  test('check lists all changes, and exits with 1 if one is breaking', async () => {
    const before = 'type Query { a: Int b: Int c(d: Int): Int }';
    expect(await check(before, 'type Query { a: Int b: Int! c(d: Int, e: Int): Int f: Int }')).toMatchObject({
      exitCode: 0,
      out: 'dangerous (1)\n  An optional arg e on Query.c was added.\n\nsafe (2)\n  Query.b changed type from Int to Int!.\n  Query.f was added.\n',
    });
    expect(await check(before, 'type Query { a: Int b: ID }')).toMatchObject({
      exitCode: 1,
      out: 'breaking (2)\n  Query.c was removed.\n  Query.b changed type from Int to ID.\n',
    });
    expect(await check(before, `"The root." ${before}`)).toMatchObject({
      exitCode: 0,
      out: 'no changes, apart from descriptions and order\n',
    });
  });

  test('check exits with 2 if it cannot compare', async () => {
    expect(await check('type Query {', 'type Query { a: Int }')).toMatchObject({
      exitCode: 2,
      out: '',
      error: 'ledger-gateway: saved.graphql is not a schema in SDL: Syntax Error: Expected Name, found <EOF>.\n',
    });
    const readSchema = async () => {
      throw new Error('the ledger\n  is down');
    };
    const overrides = { env: { LEDGER_GRAPHQL_URL }, readFile: () => '', services: { readSchema } };
    expect(await run('check saved.graphql', overrides)).toMatchObject({
      exitCode: 2,
      error: 'ledger-gateway: the ledger is down\n',
    });
    // Without a file.
    expect(await run('check other.graphql', { env: { LEDGER_GRAPHQL_URL } })).toMatchObject({ exitCode: 2, out: '' });
  });

  test('print and pull exit with 1 if the schema cannot be read', async () => {
    const readSchema = async () => {
      throw new Error('two names\n  collide');
    };
    for (const argv of ['print', 'print --federation', 'pull']) {
      const { exitCode, error } = await run(argv, { env: { LEDGER_GRAPHQL_URL }, services: { readSchema } });
      expect([exitCode, error]).toEqual([1, 'ledger-gateway: two names collide\n']);
    }
  });

  test.each(['pull', 'check saved.graphql'])('%s needs the address of a ledger', async (argv) => {
    expect(await run(argv, { readFile: () => '' })).toMatchObject({
      exitCode: 2,
      out: '',
      error: "LEDGER_GRAPHQL_URL: expected the ledger's address, got nothing\n",
    });
  });
});

describe('keys new', () => {
  test('prints a key once, and its entry for CLIENTS_FILE', async () => {
    const { world, seen } = createWorld();
    const argv = ['keys', 'new', '--id', 'web', '--scopes', 'sponsor, read', '--per-minute', '9'];
    argv.push('--gas-per-day', '5000000000', '--move-calls', '0x2::coin, 0xA');
    expect(await runCommand(parseArguments(argv), world)).toBe(0);
    const { key } = JSON.parse(seen.out);
    expect(key).toBe(`lgk_web_${Buffer.alloc(32, 7).toString('base64url')}`);
    expect(seen.error).toContain('shown this once');
    expect(seen.error).not.toContain(key);

    const line = seen.error.split('\n').find((each) => each.startsWith('- ')) ?? '';
    const files = { readFile: () => line };
    expect(parseConfig({ env: { CLIENTS_FILE: '/clients' }, ...files }).clients?.clients).toEqual([
      toTestClient({
        hash: hashApiKey(key),
        scopes: ['read', 'sponsor'],
        rate: { perMinute: 9, perVisitorPerMinute: null },
        policy: toTestRules({
          gas: { perDay: 5_000_000_000 },
          moveCalls: [`0x${'2'.padStart(64, '0')}::coin`, `0x${'a'.padStart(64, '0')}`],
        }),
      }),
    ]);
  });

  test('prints only the requested options', async () => {
    const { world, seen } = createWorld();
    await runCommand(parseArguments(['keys', 'new', '--id', 'a', '--origins', 'https://a.example']), world);
    expect(JSON.parse(seen.out).client).toEqual({
      id: 'a',
      hash: expect.any(String),
      scopes: ['read'],
      origins: ['https://a.example'],
    });
  });
});

describe('config check', () => {
  test('prints the values in force and starts nothing', async () => {
    const { world, seen } = createWorld({ env: { PORT: '8080' } });
    expect(await runCommand(parseArguments(['config', 'check']), world)).toBe(0);
    expect(seen.out).toMatch(/^PORT +environment +8080$/m);
    expect(seen.out).toMatch(/^HOST +default +127\.0\.0\.1$/m);
    expect(seen.error).toBe('ledger-gateway: the configuration has no mistakes\n');
    expect(seen.configs).toEqual([]);
  });

  test('prints every mistake', async () => {
    const { world, seen } = createWorld({ env: { PORT: 'x', LEDGER_GRAPHQL_ULR: 'http://ledger' } });
    expect(await runCommand(parseArguments(['config', 'check']), world)).toBe(2);
    expect(seen.out).toBe('');
    expect(seen.error.split('\n').map((line) => line.split(':')[0])).toEqual(['LEDGER_GRAPHQL_ULR', 'PORT', '']);
  });
});

test('config schema prints the JSON Schema of the file', async () => {
  const { world, seen } = createWorld();
  expect(await runCommand(parseArguments(['config', 'schema']), world)).toBe(0);
  expect(JSON.parse(seen.out)).toMatchObject({ type: 'object', properties: { PORT: { default: 4000 } } });
});
