import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const app = mkdtempSync(join(tmpdir(), 'ledger-gateway-app-'));
const installed = join(app, 'node_modules', 'ledger-gateway');

afterAll(() => rmSync(app, { recursive: true, force: true }));

// `npm install` of the archive would ask the registry for versions; the lock file installs the same ones from npm's cache.
beforeAll(async () => {
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', app], { cwd: root });
  const archive = /"filename": ?"([^"]+)"/.exec(stdout)?.[1] ?? '';
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', join(app, archive), '--strip-components=1', '-C', installed]);
  cpSync(join(root, 'package-lock.json'), join(installed, 'package-lock.json'));
  const options = ['--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--engine-strict'];
  await run('npm', ['ci', ...options], { cwd: installed });
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
  writeFileSync(join(app, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(app, 'main.ts'), example);
  const options = ['--strict', '--target', 'es2023', '--module', 'nodenext', '--skipLibCheck', '--types', 'node'];
  const types = ['--typeRoots', join(root, 'node_modules', '@types')];
  const compiled = run(join(root, 'node_modules', '.bin', 'tsc'), [...options, ...types, 'main.ts'], { cwd: app });
  expect(await compiled.catch(({ stdout }: { stdout: string }) => stdout)).toEqual({ stdout: '', stderr: '' });
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
