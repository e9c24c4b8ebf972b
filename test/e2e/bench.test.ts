import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

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

test('the benchmark checks every response, and each request makes one call per upstream', () => {
  const json = join(directory, 'load.json');
  const tiny =
    '--requests 8 --warm-up 0 --repeat 2 --processes 2 --latency 1 --concurrency 4 --nginx --no-naive --json';
  const { status, output } = runBench('load', ...tiny.split(' '), json);
  expect(output).toContain(`written to ${json}`);
  // Without nginx, the output says so.
  expect(output).toMatch(/^nginx version|^nginx: skipped/m);
  expect(status).toBe(0);
  const { works } = JSON.parse(readFileSync(json, 'utf8')) as { works: { id: string; rows: Row[] }[] };
  const gateway = Object.fromEntries(
    works.map(({ id, rows }) => {
      const { fault, summary } = rows.find(({ name }) => name === 'gateway') as Row;
      // Concurrent reads of the sponsor may share one call, so there may be fewer calls than operations.
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
