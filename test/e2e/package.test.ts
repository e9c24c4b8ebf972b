import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtProgram } from '../support/built-program.ts';
import { eventIds, startLiveNetwork } from '../support/live-network.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const app = mkdtempSync(join(tmpdir(), 'ledger-gateway-app-'));
const archives = join(app, 'archives');
const installed = join(app, 'node_modules', 'ledger-gateway');

afterAll(() => rmSync(app, { recursive: true, force: true }));

// Offline and with an empty cache: nothing but the archives can be installed.
beforeAll(async () => {
  builtProgram();
  const { stdout } = await run(process.execPath, ['.ci/pack.mjs', archives], { cwd: root });
  writeFileSync(join(app, 'package.json'), '{ "type": "module" }');
  const options = ['--offline', '--engine-strict', '--no-audit', '--no-fund', '--cache', join(app, 'cache')];
  const { stderr } = await run('npm', ['install', ...options, ...stdout.trim().split('\n')], { cwd: app });
  expect(stderr).toBe('');
});

test('the archives install without any other package', () => {
  const names = readdirSync(join(app, 'node_modules')).filter((name) => !name.startsWith('.'));
  expect(names.sort()).toEqual(['ledger-gateway', 'ledger-gateway-client']);
  for (const name of names) expect(existsSync(join(app, 'node_modules', name, 'node_modules'))).toBe(false);
});

/** Compiles a module of the app, declarations of the packages included. */
async function compile(name: string, code: string): Promise<void> {
  writeFileSync(join(app, name), code);
  const options = ['--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node'];
  const types = ['--typeRoots', join(root, 'node_modules', '@types')];
  const compiled = run(join(root, 'node_modules', '.bin', 'tsc'), [...options, ...types, name], { cwd: app });
  expect(await compiled.catch(({ stdout }: { stdout: string }) => stdout)).toEqual({ stdout: '', stderr: '' });
}

test('the client has an archive of its own, with the same names', async () => {
  await compile(
    'client.ts',
    `import { createClient } from 'ledger-gateway-client';
import * as whole from 'ledger-gateway/client';
import * as alone from 'ledger-gateway-client';
import * as wholeBuild from 'ledger-gateway/client/build';
import * as aloneBuild from 'ledger-gateway-client/build';
const names = (module: object) => Object.keys(module).sort().join();
console.log(typeof createClient, names(whole) === names(alone), names(wholeBuild) === names(aloneBuild));
`,
  );
  const { stdout } = await run(process.execPath, ['client.js'], { cwd: app });
  expect(stdout).toBe('function true true\n');
});

test('the installed program prints its version and the help of a command', async () => {
  const ask = (...args: string[]) => run(process.execPath, [join(installed, 'dist', 'cli.js'), ...args], { cwd: app });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  expect((await ask('--version')).stdout).toBe(`${version}\n`);
  expect((await ask('serve', '--help')).stdout).toContain('--ledger-graphql-url');
});

test('the example of docs/library.md compiles under strict rules, serves, and stops', async () => {
  const page = readFileSync(join(installed, 'docs', 'library.md'), 'utf8');
  const example = /```ts\n(.*?)```/s.exec(page)?.[1] ?? '';
  expect(example).toContain('startGateway');
  await compile('main.ts', example);
  const program = spawn(process.execPath, ['main.js'], { cwd: app, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  program.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const ended = new Promise((resolve) => program.once('exit', (code, signal) => resolve(code ?? signal)));
  await until(() => /^http:\S+graphql\n/m.test(printed), 'the address');
  const [url = ''] = /^http:\S+/m.exec(printed) ?? [];
  const response = await fetch(`${url}?query={__typename}`, { headers: { accept: 'application/json' } });
  expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
  program.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('the example of a service counts each event once, also over kills', async () => {
  await using network = await startLiveNetwork();
  const folder = join(app, 'event-service');
  cpSync(join(installed, 'docs', 'examples', 'event-service'), folder, { recursive: true });
  const state = (): { last: string | null; counts: Record<string, number> } => {
    const path = join(folder, 'counts.json');
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { last: null, counts: {} };
  };
  const start = () => {
    const env = { ...process.env, GATEWAY: network.address };
    const service = spawn(process.execPath, ['index.js'], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = new Promise((resolve) => service.once('exit', (code, signal) => resolve(code ?? signal)));
    return { stop: (signal: NodeJS.Signals) => service.kill(signal) && ended };
  };
  // How many events happened before the first one that was counted: the same after each run.
  const skipped = new Set<number>();
  for (const signal of ['SIGKILL', 'SIGKILL', 'SIGTERM'] as const) {
    const { last: before } = state();
    const service = start();
    await until(() => {
      network.devnet.tick();
      return state().last !== before;
    }, 'an event');
    expect(await service.stop(signal)).toBe(signal === 'SIGTERM' ? 0 : signal);
    const { last, counts } = state();
    const counted = Object.values(counts).reduce((sum, count) => sum + count, 0);
    skipped.add(eventIds(network.devnet).indexOf(last ?? '') + 1 - counted);
    // This one happens while no service runs.
    network.devnet.tick();
  }
  expect(skipped.size).toBe(1);
});

test('all links between the installed pages lead to files', () => {
  const pages = ['README.md', 'SECURITY.md', 'CHANGELOG.md', 'CONTRIBUTING.md'].concat(
    readdirSync(join(installed, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join('docs', name)),
  );
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(installed, page), 'utf8').matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
      .map(([, link = '']) => join(dirname(page), link))
      .filter((target) => !existsSync(join(installed, target)))
      .map((target) => `${page}: ${target}`),
  );
  expect(pages.length).toBeGreaterThan(30);
  expect(broken).toEqual([]);
});
