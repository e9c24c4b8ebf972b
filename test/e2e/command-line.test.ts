import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSchema } from 'graphql';
import { afterEach, describe, expect, test } from 'vitest';
import { builtProgram } from '../support/built-program.ts';
import { type RunningCli, runCli } from '../support/run-cli.ts';
import { startScriptedLedger } from '../support/scripted-ledger.ts';
import { until } from '../support/until.ts';

const running: RunningCli[] = [];

afterEach(() => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
});

function start(args: readonly string[], env?: Readonly<Record<string, string>>): RunningCli {
  const cli = runCli(args, env);
  running.push(cli);
  return cli;
}

const ready = /"url":"(http:[^"]+)"[^\n]*"msg":"ready"/;

/** Sends one query to a gateway or a ledger. */
async function ask(
  url: string,
  query: string,
): Promise<{ readonly data?: Record<string, unknown>; readonly errors?: unknown }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query }),
  });
  return (await response.json()) as { data?: Record<string, unknown> };
}

describe('serve', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'without configuration, serves the simulated network until %s, then exits with 0; logs only JSON, and every request',
    async (signal) => {
      const cli = start([], { PORT: '0' });
      const [, url = ''] = await cli.waitFor(ready);
      const { data, errors } = await ask(
        url,
        '{ chainIdentifier sponsor { health } queryEvents(last: 1) { nodes { type } } }',
      );
      expect(errors).toBeUndefined();
      expect(data).toMatchObject({ chainIdentifier: expect.any(String), sponsor: { health: 'OK' } });
      for (let count = 0; count < 5; count += 1) await ask(url, '{ chainIdentifier }');
      cli.child.kill(signal);
      expect(await cli.ended).toBe(0);
      expect(cli.error()).toBe('');
      const lines = cli
        .out()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(lines.filter(({ level, msg }) => level === 'warn' && String(msg).includes('SIMULATED'))).toHaveLength(1);
      // The last requests were served just before the signal.
      expect(lines.filter(({ msg }) => msg === 'request')).toHaveLength(6);
    },
  );

  test('reports all mistakes of environment and file at once, exits with 2 and starts nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
    try {
      const file = join(folder, 'gateway.yaml');
      writeFileSync(file, 'PROT: 1\nGRAPHIQL: maybe\nSPONSOR_TOKEN: "hunter2 hunter2"\n');
      const cli = start([], { CONFIG_FILE: file, PORT: '65536', SPONSOR_URL: 'http://me:hunter2@sponsor' });
      expect(await cli.ended).toBe(2);
      expect(cli.out()).toBe('');
      expect(
        cli
          .error()
          .trimEnd()
          .split('\n')
          .map((line) => line.split(':')[0]),
      ).toEqual(['PROT', 'PORT', 'GRAPHIQL', 'SPONSOR_TOKEN', 'SPONSOR_URL']);
      expect(cli.error()).not.toContain('hunter2');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('starts again to serve the network of a ledger that it could not reach before', async () => {
    await using ledger = await startScriptedLedger(
      'scalar IotaAddress type Query { owner: IotaAddress transactionBlock(digest: String!): Block } type Block { digest: String }',
    );
    ledger.override = () => ({ status: 503, body: '' });
    const cli = start([], { PORT: '0', LEDGER_GRAPHQL_URL: ledger.url });
    const [, url = ''] = await cli.waitFor(/"url":"(http:[^"]+)"[^\n]*"msg":"listening without the ledger/);
    const network = async () => {
      // No process listens for a moment.
      const answer = await ask(url, '{ gateway { networkProfile } }').catch(() => null);
      return answer?.data?.gateway;
    };
    expect(await network()).toEqual({ networkProfile: 'ledger' });
    ledger.override = undefined;
    const isServed = async () => JSON.stringify(await network()) === '{"networkProfile":"iota"}';
    await until(isServed, () => `the network is served\n${cli.out()}`, 120_000);
    cli.child.kill('SIGTERM');
    expect(await cli.ended).toBe(0);
  });

  test('exits with 1 and one line if its port is in use', async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
    try {
      const address = blocker.address();
      const port = String(typeof address === 'object' ? address?.port : '');
      const cli = start([], { PORT: port, LEDGER_GRAPHQL_URL: 'http://127.0.0.1:1' });
      expect(await cli.ended).toBe(1);
      expect(cli.error()).toMatch(/^ledger-gateway: .*EADDRINUSE[^\n]*\n$/);
    } finally {
      blocker.close();
    }
  });
});

describe('devnet', () => {
  test('prints an environment with which a gateway serves its ledger', async () => {
    const devnet = start(['devnet', '--port', '0', '--seed', '7']);
    await devnet.waitFor(/ledger-gateway serve\n/);
    const env = Object.fromEntries(
      [...devnet.out().matchAll(/^export (\w+)=(.*)$/gm)].map(([, key = '', value = '']) => [key, value]),
    );
    const gateway = start([], { ...env, PORT: '0' });
    const [, url = ''] = await gateway.waitFor(ready);
    const behind = await ask(url, '{ chainIdentifier sponsor { health } }');
    expect(behind).toEqual({ data: { chainIdentifier: expect.any(String), sponsor: { health: 'OK' } } });
    expect(await ask(env.LEDGER_GRAPHQL_URL ?? '', '{ chainIdentifier }')).toEqual({
      data: { chainIdentifier: behind.data?.chainIdentifier },
    });
    for (const { child } of [gateway, devnet]) child.kill('SIGTERM');
    expect(await Promise.all([gateway.ended, devnet.ended])).toEqual([0, 0]);
  });
});

describe('a simulated network with a seed', () => {
  const history = `{
    chainIdentifier
    first: checkpoint(id: { sequenceNumber: 0 }) { digest timestamp }
    last: checkpoint(id: { sequenceNumber: 319 }) { digest timestamp }
    later: checkpoint(id: { sequenceNumber: 412 }) { digest transactionBlocks { nodes { digest } } }
    events(first: 3) { nodes { bcs timestamp transactionBlock { digest } } }
    objects(filter: { type: "0x2::coin::CoinMetadata" }) { nodes { address digest } }
  }`;

  /** The state of a network with these options after 12 checkpoints. */
  const historyOf = async (...args: string[]) => {
    const devnet = start(['devnet', '--port', '0', '--checkpoint-ms', '20', ...args]);
    const [, url = ''] = await devnet.waitFor(/^export LEDGER_GRAPHQL_URL=(.*)$/m);
    const isOldEnough = async () => (await ask(url, history)).data?.later !== null;
    await until(isOldEnough, 'checkpoint 412');
    const { data } = await ask(url, history);
    devnet.child.kill('SIGTERM');
    await devnet.ended;
    return data;
  };

  test('has the same history in every process, and another one with another seed or start time', async () => {
    const [one, same, other, later] = await Promise.all([
      historyOf('--seed', '7'),
      historyOf('--seed', '7', '--start-time', '2026-01-01T00:00:00Z'),
      historyOf('--seed', '8'),
      historyOf('--seed', '7', '--start-time', '2026-01-01T00:00:01Z'),
    ]);
    expect(one?.last).toMatchObject({ timestamp: '2025-12-31T23:59:59Z' });
    expect(same).toEqual(one);
    for (const unlike of [other, later]) {
      expect(unlike?.chainIdentifier).not.toBe(one?.chainIdentifier);
      expect(unlike?.later).not.toEqual(one?.later);
    }
    expect(other?.objects).not.toEqual(one?.objects);
  });

  test('closes a checkpoint with each transaction, and none in between, if its interval is 0', async () => {
    const devnet = start(['devnet', '--port', '0', '--seed', '7', '--checkpoint-ms', '0', '--sponsor-token', 'token']);
    const [, url = ''] = await devnet.waitFor(/^export LEDGER_GRAPHQL_URL=(.*)$/m);
    const [, sponsor = ''] = await devnet.waitFor(/^export SPONSOR_URL=(.*)$/m);
    await devnet.waitFor(/ledger-gateway serve\n/);
    const send = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json', authorization: 'Bearer token' };
      const response = await fetch(`${sponsor}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return await response.json();
    };
    const newest = '{ checkpoint { sequenceNumber timestamp } }';
    const sponsored = async () => {
      const { result } = await send('/v1/reserve_gas', { gas_budget: 5_000_000, reserve_duration_secs: 60 });
      const coins = result.gas_coins.map(
        (coin: { objectId: string; version: number; digest: string }) =>
          `{ objectId: "${coin.objectId}", version: ${coin.version}, digest: "${coin.digest}" }`,
      );
      const sign = `{ devnetSignTransaction(sponsorAddress: "${result.sponsor_address}", gasBudget: 5000000, gasCoins: [${coins}]) { txBytes userSig } }`;
      // biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not programmed against
      const { txBytes, userSig } = ((await ask(url, sign)).data as any).devnetSignTransaction;
      return send('/v1/execute_tx', { reservation_id: result.reservation_id, tx_bytes: txBytes, user_sig: userSig });
    };
    expect((await sponsored()).effects.status).toEqual({ status: 'success' });
    expect(await ask(url, newest)).toEqual({
      data: { checkpoint: { sequenceNumber: 320, timestamp: '2026-01-01T00:00:00Z' } },
    });
    expect((await sponsored()).effects.status).toEqual({ status: 'success' });
    expect(await ask(url, newest)).toEqual({
      data: { checkpoint: { sequenceNumber: 321, timestamp: '2026-01-01T00:00:01Z' } },
    });
    devnet.child.kill('SIGTERM');
    await devnet.ended;
  });
});

describe('other commands', () => {
  test('schema print prints the committed graph', async () => {
    const cli = start(['schema', 'print']);
    expect(await cli.ended).toBe(0);
    expect(cli.out()).toBe(readFileSync(new URL('../../schema/public.graphql', import.meta.url), 'utf8'));
  });

  test('schema print writes everything before it exits, even to a slow pipe', () => {
    // The shell reads a pipe byte by byte.
    const pipeline = `"$0" "$1" schema print | while IFS= read -r line; do printf '%s\\n' "$line"; done`;
    const printed = execFileSync('bash', ['-c', pipeline, process.execPath, builtProgram()], { encoding: 'utf8' });
    expect(printed).toBe(readFileSync(new URL('../../schema/public.graphql', import.meta.url), 'utf8'));
  });

  test('schema check compares a ledger with the schema that schema pull saved', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'schema-'));
    const ledger = await startScriptedLedger('type Query { chainIdentifier: String! epochs: Int }');
    const run = async (...args: string[]) => {
      const cli = start(['schema', ...args], { LEDGER_GRAPHQL_URL: ledger.url });
      return { code: await cli.ended, out: cli.out(), error: cli.error() };
    };
    try {
      const file = join(folder, 'ledger.graphql');
      expect(await run('pull', '--out', file)).toEqual({ code: 0, out: '', error: '' });
      expect(readFileSync(file, 'utf8')).toBe('type Query {\n  chainIdentifier: String!\n  epochs: Int\n}\n');
      ledger.schema = buildSchema('type Query { chainIdentifier: String! epochs: Int! more: Int }');
      const safe = 'safe (2)\n  Query.epochs changed type from Int to Int!.\n  Query.more was added.\n';
      expect(await run('check', file)).toEqual({ code: 0, out: safe, error: '' });
      ledger.schema = buildSchema('type Query { chainIdentifier: String! }');
      const breaking = 'breaking (1)\n  Query.epochs was removed.\n';
      expect(await run('check', file)).toMatchObject({ code: 1, out: expect.stringContaining(breaking), error: '' });
      await ledger.close();
      expect(await run('check', file)).toMatchObject({ code: 2, out: '' });
    } finally {
      await ledger.close();
      rmSync(folder, { recursive: true });
    }
  });

  test('an unknown option prints one line and exits with 2', async () => {
    const cli = start(['--prot', '1']);
    expect(await cli.ended).toBe(2);
    expect(cli.error()).toBe("ledger-gateway: Unknown option '--prot'. Did you mean --port? (see --help)\n");
    expect(cli.out()).toBe('');
  });

  test('--help and --version need no configuration', async () => {
    const help = start(['--help'], { PORT: 'broken' });
    expect(await help.ended).toBe(0);
    expect(help.out()).toContain('Examples');
    const version = start(['--version'], { PORT: 'broken' });
    expect(await version.ended).toBe(0);
    expect(version.out()).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
  });
});

test('makes room for new objects in one step, once some survive', () => {
  const preload = `
    import { getHeapSpaceStatistics } from 'node:v8';
    const room = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size / 2 ** 20;
    process.on('exit', () => {
      const [rooms, kept] = [[room()], []];
      for (let count = 0; count < 200_000; count += 1) {
        kept.push({ count });
        if (room() !== rooms.at(-1)) rooms.push(room());
      }
      process.stdout.write(JSON.stringify(rooms));
    });`;
  const url = `data:text/javascript,${encodeURIComponent(preload)}`;
  const printed = execFileSync(process.execPath, ['--import', url, builtProgram(), '--version'], { encoding: 'utf8' });
  const rooms = JSON.parse(printed.slice(printed.indexOf('['))) as number[];
  const [, second = 0] = rooms;
  expect(second).toBeGreaterThanOrEqual(32);
});
