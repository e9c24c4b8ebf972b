import { expect, it } from 'vitest';
import { cutUnread } from '../../../src/server/connections.ts';

/** Cuts of connections that have so many bytes unread, oldest first. @returns which of them are cut, by their places */
function cutOf(unread: readonly number[], maxBytes: number): number[] {
  const cut: number[] = [];
  const connections = unread.map((bytes, index) => ({
    unread: bytes,
    cut: () => void cut.push(index),
  }));
  cutUnread(connections, maxBytes);
  return cut;
}

it.each([
  ['nothing as long as there is room for all', [50, 50], 100, []],
  ['the oldest first, and no more than has to be', [40, 40, 40], 100, [0]],
  ['nobody who leaves little, however old', [1, 0, 60, 60], 100, [2]],
  ['as many as it takes', [50, 50, 50, 50], 60, [0, 1, 2]],
  ['one alone that is too much', [0, 101], 100, [1]],
  ['nothing where nothing is unread', [0, 0], 0, []],
])('closes %s', (_, unread, maxBytes, cut) => {
  expect(cutOf(unread, maxBytes)).toEqual(cut);
});
