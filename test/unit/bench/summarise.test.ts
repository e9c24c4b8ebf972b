import { describe, expect, it } from 'vitest';
import { bootstrapMedian, compare, type Rounds, type Slice, summarise } from '../../bench/load/summarise.ts';

/** Slices of 1,000 requests by their rounds, with so many microseconds of CPU time each. */
const toRounds = (...cpuMicros: readonly (number | null)[]): Rounds =>
  new Map(
    cpuMicros.flatMap((micros, round) =>
      micros === null ? [] : [[round, { requests: 1_000, cpuMs: micros } as Slice] as const],
    ),
  );

describe('compare', () => {
  it('divides what two cost in the same round', () => {
    const { ratio } = compare(toRounds(90, 110, 200), toRounds(100, 100, 100));
    expect(ratio.median).toBeCloseTo(1.1);
    expect(ratio.lower).toBeCloseTo(1);
    expect(ratio.upper).toBeCloseTo(1.55);
  });

  it('leaves out rounds in which only one took part', () => {
    expect(compare(toRounds(90, null, 80), toRounds(100, 100, null)).ratio.median).toBeCloseTo(0.9);
  });
});

describe('bootstrapMedian', () => {
  const ratios = [0.91, 0.93, 0.94, 0.95, 0.95, 0.96, 0.97, 0.98, 1.02];

  it('puts the median between two of the values', () => {
    const { lower, upper } = bootstrapMedian(ratios);
    expect(lower).toBeGreaterThanOrEqual(0.91);
    expect(lower).toBeLessThan(0.95);
    expect(upper).toBeGreaterThan(0.95);
    expect(upper).toBeLessThanOrEqual(1.02);
  });

  it('gives the same interval for the same values', () => {
    expect(bootstrapMedian(ratios)).toEqual(bootstrapMedian(ratios));
  });

  it('is narrow where all values are alike', () => {
    expect(bootstrapMedian([0.9, 0.9, 0.9])).toEqual({ lower: 0.9, upper: 0.9 });
  });
});

describe('summarise', () => {
  const slice = (process: string, requests: number, scavenges: number, cpuMs: number) =>
    ({
      process,
      requests,
      cpuMs,
      collected: { scavenges, markCompacts: 1 },
      upstreamCalls: { ledger: requests, sponsor: 0 },
    }) as Slice;
  const rounds: Rounds = new Map([
    [0, slice('a', 1_000, 4, 50)],
    [1, slice('b', 3_000, 20, 300)],
  ]);

  it('counts collections per 1,000 requests', () => {
    expect(summarise(rounds, rounds).collected).toEqual({ scavenges: 6, markCompacts: 0.5 });
  });

  it('shows each process by itself', () => {
    expect(summarise(rounds, rounds).processes).toEqual([
      { name: 'a', cpuMicros: 50, collected: { scavenges: 4, markCompacts: 1 } },
      { name: 'b', cpuMicros: 100, collected: { scavenges: 20 / 3, markCompacts: 1 / 3 } },
    ]);
  });

  it('counts none where a process does not tell', () => {
    const silent = { ...slice('c', 1_000, 0, 50), collected: null };
    expect(summarise(new Map([...rounds, [2, silent]]), rounds).collected).toBeNull();
  });
});
