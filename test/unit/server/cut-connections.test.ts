import { expect, it } from 'vitest';
import { cutUnread } from '../../../src/server/cut-connections.ts';

type Part = readonly [address: string, bytes: number, memory?: object];

/** Cuts of connections with these unread parts, oldest first. @returns which of them are cut, by their places */
function cutOf(parts: readonly Part[], maxBytes: number): number[] {
  const cut: number[] = [];
  const connections = parts.map(([address, bytes, memory = null], index) => ({
    unread: bytes,
    unreadParts: () => [{ address, bytes, memory: memory as object | null }],
    cut: () => void cut.push(index),
  }));
  cutUnread(connections, maxBytes);
  return cut;
}

const shared = {};
const times = (count: number, part: Part): Part[] => Array.from({ length: count }, () => part);

it.each<[string, readonly Part[], number, number[]]>([
  ['nothing as long as there is room for all', times(2, ['a', 50]), 100, []],
  ['the oldest first, and no more than has to be', times(3, ['a', 40]), 100, [0]],
  ['as many as it takes', times(4, ['a', 50]), 60, [0, 1, 2]],
  [
    'nobody who leaves little, however old',
    [
      ['b', 1],
      ['a', 60],
      ['a', 60],
    ],
    100,
    [1],
  ],
  [
    'the many small ones of one address, not the large one of another',
    [['b', 40], ...times(70, ['a', 1])],
    100,
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  ],
  ['nothing if everybody reads the same memory', times(30, ['a', 50, shared]), 60, []],
  ['those with memory of their own', [...times(30, ['b', 50, shared]), ...times(3, ['a', 20])] as Part[], 100, [30]],
  [
    'one alone that is too much',
    [
      ['b', 0],
      ['a', 101],
    ],
    100,
    [1],
  ],
  ['nothing where nothing is unread', times(2, ['a', 0]), 0, []],
])('closes %s', (_, parts, maxBytes, cut) => {
  expect(cutOf(parts, maxBytes)).toEqual(cut);
});
