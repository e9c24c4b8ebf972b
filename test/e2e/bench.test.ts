import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { SoakResult, SoakVerdict } from '../bench/soak/soak-report.ts';

// One file: all of them are compiled into one folder, which two at a time would take from each other.
const directory = mkdtempSync(join(tmpdir(), 'bench-'));
afterAll(() => rmSync(directory, { recursive: true }));

function runBench(...args: string[]): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['test/bench/run.mjs', ...args], { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

interface Row {
  readonly name: string;
  readonly fault: string | null;
  readonly summary: { readonly ledgerCalls: number; readonly sponsorCalls: number } | null;
}

test('the bench finds every answer right, and every work asks each upstream once', () => {
  const json = join(directory, 'load.json');
  const tiny =
    '--requests 8 --warm-up 0 --repeat 2 --processes 2 --latency 1 --concurrency 4 --nginx --no-naive --json';
  const { status, output } = runBench('load', ...tiny.split(' '), json);
  expect(output).toContain(`written to ${json}`);
  // Where there is no nginx, that is said.
  expect(output).toMatch(/^nginx version|^nginx: skipped/m);
  expect(status).toBe(0);
  const { works } = JSON.parse(readFileSync(json, 'utf8')) as { works: { id: string; rows: Row[] }[] };
  const gateway = Object.fromEntries(
    works.map(({ id, rows }) => {
      const { fault, summary } = rows.find(({ name }) => name === 'gateway') as Row;
      // Reads of the sponsor that are in flight together may be one call, so there may be fewer than one for each.
      return [id, fault ?? `${summary?.ledgerCalls} + ${Math.ceil(summary?.sponsorCalls ?? Number.NaN)}`];
    }),
  );
  expect(gateway).toEqual({
    W1: '1 + 0',
    W2: '1 + 0',
    W3: '1 + 0',
    W4: '0 + 1',
    W5: '1 + 1',
    W6: '1 + 0',
    W7: '1 + 1',
    W8: '1 + 0',
    W9: '0 + 1',
    'W1-new': '1 + 0',
    'W2-new': '1 + 0',
    'W6-new': '1 + 0',
  });
});

test('a work that there is not is refused before anything is started', () => {
  expect(runBench('load', '--only', 'W10')).toEqual({
    status: 2,
    output: '--only takes W1, W2, W3, W4, W5, W6, W7, W8, W9, W1-new, W2-new, W6-new; got W10\n',
  });
});

test('the single steps can be measured', () => {
  const { status, output } = runBench('micro', '--rounds', '1', '--round-ms', '1');
  expect(output).toMatch(/^price: 300 nodes +\d+ +\d+ +\d+$/m);
  expect(status).toBe(0);
});

test('a soak of seconds finds every answer right, through two changes of schema', () => {
  const json = join(directory, 'soak.json');
  const tiny = '--minutes 0.05 --sample 0.5 --capacity 0.5 --settle 0 --load 30 --generations 2 --json';
  const { status, output } = runBench('soak', ...tiny.split(' '), json);
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
  expect(runBench('soak', '--minutes', 'many')).toEqual({
    status: 2,
    output: '--minutes takes a number from 0.05 to 1440; got many\n',
  });
});
