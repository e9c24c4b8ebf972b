import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { deleteOldFiles, JournalEnd } from '../../../../src/sponsor/store/journal-file.ts';

/** A disk that notes what it is told, and that may fail. */
function newDisk() {
  let bytes = Buffer.alloc(0);
  const disk = { did: [] as string[], failsAfter: Number.POSITIVE_INFINITY, text: () => bytes.toString('utf8') };
  const handle = {
    async write(from: Buffer, offset: number, length: number, at: number) {
      const taken = Math.min(length, disk.failsAfter);
      const part = from.subarray(offset, offset + taken);
      bytes = Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at + taken)]);
      disk.did.push('write');
      if (taken < length) throw new Error('the disk is full');
      return { bytesWritten: taken };
    },
    async truncate(length: number) {
      if (disk.failsAfter === 0) throw new Error('the disk is away');
      bytes = bytes.subarray(0, length);
      disk.did.push('truncate');
    },
    async datasync() {
      disk.did.push('sync');
    },
  };
  const file = { number: 1, day: '2026-01-02', path: 'journal' };
  return { disk, end: new JournalEnd(file, handle as unknown as FileHandle, 0) };
}

test('what a failed line left behind is cut off before the next line, also if it could not be cut off at once', async () => {
  const { disk, end } = newDisk();
  await end.append('first');
  disk.failsAfter = 7;
  await expect(end.append('a line of which only a part fits')).rejects.toThrow('full');
  disk.failsAfter = 0;
  expect(await end.tryCut()).toBe(false);
  disk.failsAfter = Number.POSITIVE_INFINITY;
  await end.append('2');
  expect(disk.text()).toBe('first\n2\n');
});

test('a line counts once the disk has it: the last thing before an append resolves is a sync', async () => {
  const { disk, end } = newDisk();
  await end.append('first');
  disk.did.length = 0;
  await end.append('second');
  expect(disk.did).toEqual(['write', 'sync']);
});

test('only files of more than two days are deleted, and never the newest three', () => {
  const folder = mkdtempSync(join(tmpdir(), 'journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const days = ['2026-01-01', '2026-01-03', '2026-01-04', '2026-01-05', '2026-01-05', '2026-01-05'];
  const names = days.map((day, index) => `0000000${index + 1}-${day}.jsonl`);
  for (const name of names) writeFileSync(join(folder, name), '');
  deleteOldFiles(folder, '2026-01-05');
  expect(readdirSync(folder).sort()).toEqual(names.slice(1));
  deleteOldFiles(folder, '2026-02-05');
  expect(readdirSync(folder).sort()).toEqual(names.slice(3));
});
