// Compiles the benches and runs one of them: node test/bench/run.mjs <load|live|micro|soak> [options]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const out = `${root}node_modules/.cache/bench`;
const [bench = 'load', ...options] = process.argv.slice(2);

process.chdir(root);
const compiler = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'test/bench'], {
  stdio: 'inherit',
});
if (compiler.status !== 0) process.exit(compiler.status ?? 1);
mkdirSync(out, { recursive: true });
// Compiled sources read these beside themselves, and the manifest says that they are ES modules.
for (const name of ['schema', 'package.json']) {
  if (!existsSync(`${out}/${name}`)) symlinkSync(`${root}${name}`, `${out}/${name}`);
}
const { main } = await import(pathToFileURL(`${out}/test/bench/${bench}.js`).href);
process.exitCode = await main(options);
