import { expect, test } from 'vitest';
import { hasSettled, judgeMemory, toWindowSeconds } from '../../bench/soak/judge-memory.ts';

test.each([
  ['grew by exactly a twentieth', [100, 100, 130, 105, 105], true],
  ['grew by more', [100, 100, 100, 105, 106], false],
  ['was high only in between', [100, 100, 200, 100, 100], true],
  ['shrank', [100, 100, 80, 60, 60], true],
])('whether memory is flat that %s', (_, samples, isFlat) => {
  expect(judgeMemory(samples, 2).isFlat).toBe(isFlat);
});

test('the means of both ends are told, and by how much they differ', () => {
  expect(judgeMemory([90, 110, 500, 150, 250], 2)).toEqual({
    firstMib: 100,
    lastMib: 200,
    growthPercent: 100,
    isFlat: false,
  });
});

test('memory has settled when two stretches in a row are as good as equal', () => {
  expect(hasSettled([100, 102, 101], 2)).toBe(false);
  expect(hasSettled([50, 100, 102, 101, 101], 2)).toBe(true);
  expect(hasSettled([100, 100, 110, 110], 2)).toBe(false);
  expect(hasSettled([110, 110, 100, 100], 2)).toBe(false);
});

test('a minute is compared with a minute, or quarters of what is shorter than four', () => {
  expect([600, 240, 120, 6].map(toWindowSeconds)).toEqual([60, 60, 30, 1.5]);
});
