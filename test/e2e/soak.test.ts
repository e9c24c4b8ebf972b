import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { SoakResult, SoakVerdict } from '../bench/soak/soak-report.ts';

const directory = mkdtempSync(join(tmpdir(), 'soak-'));
afterAll(() => rmSync(directory, { recursive: true }));

function runSoak(...args: string[]): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['test/bench/run.mjs', 'soak', ...args], {
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

test('a soak of seconds finds every answer right, through two changes of schema', () => {
  const json = join(directory, 'soak.json');
  const tiny = '--minutes 0.05 --sample 0.5 --capacity 0.5 --settle 0 --load 30 --generations 2 --json';
  const { status, output } = runSoak(...tiny.split(' '), json);
  expect(output).toContain(`written to ${json}`);
  const result = JSON.parse(readFileSync(json, 'utf8')) as SoakResult & { verdict: SoakVerdict };
  expect(result).toMatchObject({ errors: 0, faults: [] });
  expect(result.samples.at(-1)?.generation).toBe(2);
  expect(result.samples.every(({ requests, rssMib, openFiles }) => requests > 0 && rssMib > 0 && openFiles > 0)).toBe(
    true,
  );
  // Nothing has settled in so short a time, so memory may be found to grow: whether it does, the exit code says.
  expect(status).toBe(result.verdict.isSound ? 0 : 1);
  expect(result.verdict.complaints.filter((each) => !each.startsWith('memory grew'))).toEqual([]);
});

test('options that make no sense are refused before anything is started', () => {
  expect(runSoak('--minutes', 'many')).toEqual({
    status: 2,
    output: '--minutes takes a number from 0.05 to 1440; got many\n',
  });
});
