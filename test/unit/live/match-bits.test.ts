import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MatchBits } from '../../../src/live/numbered-list.ts';

describe('a log of what matches', () => {
  it('finds and counts as a list would, whatever is added and dropped', () => {
    const steps = fc.array(
      fc.oneof(
        { weight: 5, arbitrary: fc.array(fc.boolean(), { maxLength: 80 }) },
        { weight: 1, arbitrary: fc.nat({ max: 120 }) },
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(fc.integer({ min: -1, max: 100 }), steps, (first, given) => {
        const log = new MatchBits(first);
        const all: boolean[] = [];
        let start = 0;
        for (const step of given) {
          if (typeof step === 'number') start = Math.min(start + step, all.length);
          else all.push(...step);
          if (typeof step === 'number') log.dropBefore(first + start);
          else for (const isMatch of step) log.add(isMatch);
          expect(log.end).toBe(first + all.length);
          expect(log.dropped).toBe(all.slice(0, start).filter(Boolean).length);
          const nexts = all.map((_, from) => all.findIndex((isMatch, at) => isMatch && at >= Math.max(from, start)));
          expect(all.map((_, from) => log.next(first + from))).toEqual(
            nexts.map((at) => first + (at < 0 ? all.length : at)),
          );
          for (const at of [start, start + 1, all.length]) {
            const before = all.slice(0, Math.max(at, start)).filter(Boolean).length;
            expect(log.countBefore(first + at)).toBe(before);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
