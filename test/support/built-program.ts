import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The path of the built command line.
 * @throws if a source file is newer, because the tests would then run an old build
 */
export function builtProgram(): string {
  const program = join(root, 'dist/cli.js');
  const builtMs = statSync(program, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  for (const entry of readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && statSync(path).mtimeMs > builtMs)
      throw new Error(`dist is older than ${path}: npm run build`);
  }
  return program;
}
