import { expect, test } from 'vitest';
import { parseCpuMs } from '../../bench/load/process-usage.ts';
import { type Slice, summarise, toSpread } from '../../bench/load/summarise.ts';

const slice = (cpuMs: number, requests = 1_000, calls = requests): Slice => ({
  requests,
  elapsedMs: 500,
  cpuMs,
  bytes: requests * 31,
  upstreamCalls: { ledger: calls, sponsor: 0 },
  clientLoad: 0,
  upstreamLoad: 0,
});

test('a slice is held against the floor on both sides of it', () => {
  const { ratio } = summarise([slice(100), slice(300)], [slice(50), slice(150), slice(450)]);
  expect(ratio).toEqual({ median: 1, min: 1, max: 1 });
});

test('cost is per request, however many there were', () => {
  const floors = [slice(50), slice(100, 2_000)];
  const { cpuMicros, ratio } = summarise([slice(300, 3_000)], floors);
  expect(cpuMicros.median).toBe(100);
  expect(ratio.median).toBe(2);
});

test('calls, bytes and rate are those of all slices', () => {
  const summary = summarise([slice(1, 100, 1_000), slice(1, 300, 3_000)], [slice(1), slice(1), slice(1)]);
  expect(summary).toMatchObject({ ledgerCalls: 10, sponsorCalls: 0, answerBytes: 31, requests: 400 });
  expect(summary.requestsPerSecond).toEqual({ median: 400, min: 200, max: 600 });
});

test.each([
  [[3, 1, 2], { median: 2, min: 1, max: 3 }],
  [[4, 1, 2, 3], { median: 2.5, min: 1, max: 4 }],
  [[7], { median: 7, min: 7, max: 7 }],
])('the middle and the ends of %j', (values, spread) => {
  expect(toSpread(values)).toEqual(spread);
});

test('user and system time are found behind any process name', () => {
  const rest = 'S 1 2 3 0 -1 4194560 10 0 0 0 123 45 0 0 20 0 11 0';
  expect(parseCpuMs(`77 (node) ${rest}`)).toBe(1_680);
  expect(parseCpuMs(`77 (a) b (c) ${rest}`)).toBe(1_680);
});
