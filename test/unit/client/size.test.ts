import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

/** A module as a page loads it. */
async function bundle(file: string) {
  const input = fileURLToPath(new URL(`../../../src/client/${file}`, import.meta.url));
  const build = await rolldown({ input, platform: 'browser' });
  const { output } = await build.generate({ format: 'es', minify: true });
  await build.close();
  return output;
}

test.each([
  ['client.ts', 3_072],
  ['build.ts', 1_536],
  ['schema.ts', 512],
])('%s is one module without imports, of at most %i bytes compressed', async (file, maxBytes) => {
  const [chunk, ...rest] = await bundle(file);
  expect(rest).toEqual([]);
  expect(chunk.imports).toEqual([]);
  expect(gzipSync(chunk.code, { level: 9 }).length).toBeLessThanOrEqual(maxBytes);
});
