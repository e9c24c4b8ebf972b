// Compiles src to dist, bundles the command line and the GraphiQL page, and copies what the compiler leaves out.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, rmSync, statSync } from 'node:fs';

const run = (program, ...args) =>
  execFileSync(`node_modules/.bin/${program}`, args, { stdio: ['ignore', 'ignore', 'inherit'] });

rmSync('dist', { recursive: true, force: true });
run('tsc', '-p', 'tsconfig.json');
run('rolldown', '-c');
chmodSync('dist/cli.js', 0o755);
// Redis runs the Lua scripts.
cpSync('src', 'dist', { recursive: true, filter: (path) => statSync(path).isDirectory() || path.endsWith('.lua') });
