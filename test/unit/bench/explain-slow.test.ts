import { describe, expect, it } from 'vitest';
import { explainSlow } from '../../bench/load/explain-slow.ts';

const none = { server: [], upstream: [], client: [] };

describe('explainSlow', () => {
  it('tells which part of the slowest 1 % a process was collecting garbage in', () => {
    const quick = Array.from({ length: 99 }, (_, at) => [at, at + 1] as const);
    const { slowest, all } = explainSlow([...quick, [200, 210]], { ...none, server: [[195, 204]] });
    expect(slowest).toEqual({ requests: 1, server: 0.4, upstream: 0, client: 0 });
    expect(all.server).toBeCloseTo(4 / 109);
  });

  it('adds up pauses, and knows those of each process apart', () => {
    const pauses = {
      server: [
        [0, 1],
        [9, 20],
      ] as const,
      upstream: [[2, 4]] as const,
      client: [[50, 60]] as const,
    };
    expect(explainSlow([[0, 10]], pauses).slowest).toEqual({ requests: 1, server: 0.2, upstream: 0.2, client: 0 });
  });

  it('has nothing to say where nothing was asked', () => {
    expect(explainSlow([], none).all).toEqual({ requests: 0, server: 0, upstream: 0, client: 0 });
  });
});
