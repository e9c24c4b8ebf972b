import { expect, test } from 'vitest';
import { parseCpuMs, parseMachineCpuMs } from '../../bench/load/process-usage.ts';
import { type Slice, summarise, toSpread } from '../../bench/load/summarise.ts';

const slice = (cpuMs: number, requests = 1_000, calls = requests): Slice => ({
  requests,
  elapsedMs: 500,
  cpuMs,
  bytes: requests * 31,
  upstreamCalls: { ledger: calls, sponsor: 0 },
  p50Ms: 1,
  p99Ms: 2,
  clientLoad: 0,
  upstreamLoad: 0,
});
const rounds = (...slices: readonly Slice[]) => new Map(slices.entries());

test('a slice is held against the floor of its own round', () => {
  const floors = rounds(slice(50), slice(100), slice(200));
  expect(summarise(rounds(slice(100), slice(200), slice(400)), floors).ratio.median).toBe(2);
  expect(summarise(new Map([[2, slice(600)]]), floors).ratio).toEqual({ median: 3, lower: 3, upper: 3 });
});

test('cost is per request, however many there were', () => {
  const { cpuMicros, ratio } = summarise(rounds(slice(300, 3_000)), rounds(slice(100, 2_000)));
  expect(cpuMicros.median).toBe(100);
  expect(ratio.median).toBe(2);
});

test('calls, bytes and rate are those of all slices', () => {
  const summary = summarise(rounds(slice(1, 100, 1_000), slice(1, 300, 3_000)), rounds(slice(1), slice(1)));
  expect(summary).toMatchObject({ ledgerCalls: 10, sponsorCalls: 0, answerBytes: 31, requests: 400 });
  expect(summary.requestsPerSecond).toEqual({ median: 400, lower: 300, upper: 500 });
});

test.each([
  [[5, 3, 1, 2, 4], { median: 3, lower: 2, upper: 4 }],
  [[4, 1, 2, 3], { median: 2.5, lower: 1.75, upper: 3.25 }],
  [[7], { median: 7, lower: 7, upper: 7 }],
])('the middle and the quartiles of %j', (values, spread) => {
  expect(toSpread(values)).toEqual(spread);
});

test('time on a processor is read to the nanosecond', () => {
  expect(parseCpuMs('340107048 359946845 128\n')).toBe(340.107048);
});

test('the machine is busy with all but idling and waiting for disks', () => {
  expect(parseMachineCpuMs('cpu  10 20 30 9000 500 1 2 4 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n')).toBe(670);
});
