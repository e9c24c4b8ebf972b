import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toPoints } from '../../../src/admission/to-points.ts';

const limits = { maxQueryNodes: 300, maxOutputNodes: 100_000 };

describe('an operation counts', () => {
  test.each([
    [{ inputNodes: 1, outputNodes: 1 }, 1],
    [{ inputNodes: 29, outputNodes: 0 }, 1],
    [{ inputNodes: 30, outputNodes: 0 }, 2],
    [{ inputNodes: 15, outputNodes: 5_000 }, 2],
    [{ inputNodes: 300, outputNodes: 0 }, 11],
    [{ inputNodes: 300, outputNodes: 100_000 }, 21],
    [{ inputNodes: 301, outputNodes: Number.MAX_SAFE_INTEGER }, 21],
  ])('by usage %j: %i', (usage, points) => {
    expect(toPoints(usage, 'usage', limits)).toBe(points);
  });

  test('1 by request, whatever its usage', () => {
    expect(toPoints({ inputNodes: 300, outputNodes: 100_000 }, 'request', limits)).toBe(1);
  });

  test('1 when it was refused unread', () => {
    expect(toPoints(null, 'usage', limits)).toBe(1);
  });

  test('a whole number from 1 to 21 that never falls as usage grows', () => {
    const nodes = fc.maxSafeNat();
    fc.assert(
      fc.property(nodes, nodes, nodes, (inputNodes, outputNodes, more) => {
        const points = toPoints({ inputNodes, outputNodes }, 'usage', limits);
        expect(Number.isInteger(points) && points >= 1 && points <= 21).toBe(true);
        expect(toPoints({ inputNodes: inputNodes + more, outputNodes }, 'usage', limits)).toBeGreaterThanOrEqual(
          points,
        );
      }),
    );
  });
});
