import { expect, test } from 'vitest';
import { RecycledMemory } from '../../../src/upstream/recycled-memory.ts';

const kib = 1024;
const filled = (length: number, text: string) => Buffer.alloc(length, text);

test('a long copy has a block for itself, which is reused only after it was given back', () => {
  const memory = new RecycledMemory();
  const first = memory.copy(filled(20 * kib, 'a'));
  const second = memory.copy(filled(20 * kib, 'b'));
  expect(second.buffer).not.toBe(first.buffer);
  memory.giveBack([first]);
  const third = memory.copy(filled(17 * kib, 'c'));
  expect(third.buffer).toBe(first.buffer);
  expect(third.equals(filled(17 * kib, 'c'))).toBe(true);
  expect(memory.copy(filled(20 * kib, 'd')).buffer).not.toBe(first.buffer);
  expect(second.equals(filled(20 * kib, 'b'))).toBe(true);
});

test('a copy does not change with what was read', () => {
  const memory = new RecycledMemory();
  for (const length of [0, 1, 8 * kib - 1, 8 * kib, 8 * kib + 1, 256 * kib]) {
    const read = filled(length, 'r');
    const copy = memory.copy(read);
    read.fill('x');
    expect(copy.equals(filled(length, 'r'))).toBe(true);
  }
});

test('chunks in one block give it back once, and are read no more', () => {
  const memory = new RecycledMemory();
  const block = memory.copy(filled(32 * kib, 'a'));
  const chunks = [block.subarray(100, 9_000), block.subarray(9_010)];
  memory.giveBack(chunks);
  expect(chunks).toEqual([]);
  memory.giveBack([block]);
  expect(memory.copy(filled(32 * kib, 'b')).buffer).toBe(block.buffer);
  expect(memory.copy(filled(32 * kib, 'c')).buffer).not.toBe(block.buffer);
});

test('memory of others is never reused', () => {
  const memory = new RecycledMemory();
  const [short, other] = [memory.copy(filled(100, 'a')), filled(32 * kib, 'b')];
  memory.giveBack([short, other]);
  memory.copy(filled(8 * kib, 'c'));
  expect(memory.copy(filled(32 * kib, 'd')).buffer).not.toBe(other.buffer);
  expect(short.toString()).toBe('a'.repeat(100));
});

test('at most 8 MiB wait for reuse', () => {
  const memory = new RecycledMemory();
  const copies = Array.from({ length: 100 }, () => memory.copy(filled(256 * kib, 'a')));
  memory.giveBack([...copies]);
  const blocks = new Set(copies.map(({ buffer }) => buffer));
  const reused = copies.filter(() => blocks.has(memory.copy(filled(256 * kib, 'b')).buffer));
  expect(reused.length).toBeLessThanOrEqual(33);
});
