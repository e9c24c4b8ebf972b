import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createWatchedFile, type FileChange, fileAt, followFile } from '../../../src/start/watched-file.ts';

/** A file that is whatever the test says, with what was told of it. */
function start(first: string | null = 'one') {
  const disk = { mark: first, text: first ?? '', reads: 0, whileReading: () => {} };
  const told: FileChange[] = [];
  const file = createWatchedFile({
    see: async () => ({ mark: disk.mark, reason: disk.mark === null ? 'ENOENT' : null }),
    read: async () => {
      disk.reads += 1;
      const { text } = disk;
      disk.whileReading();
      return text;
    },
    report: (news) => told.push(news),
  });
  const write = (text: string, mark = text) => Object.assign(disk, { text, mark });
  const look = async (times = 1) => {
    for (let count = 0; count < times; count += 1) await file.look();
  };
  return { disk, told, file, write, look };
}

const text = (of: string): FileChange => ({ kind: 'text', text: of });
const away: FileChange = { kind: 'away', reason: 'ENOENT' };

describe('a watched file', () => {
  test('is read once it was unchanged for two checks, and not again', async () => {
    const { told, look, disk } = start();
    await look();
    expect(told).toEqual([]);
    await look(20);
    expect([told, disk.reads]).toEqual([[text('one')], 1]);
  });

  test('is not read while it is changing', async () => {
    const { told, look, write } = start();
    await look(2);
    for (const half of ['t', 'tw', 'two']) {
      write(half);
      await look();
    }
    expect(told).toEqual([text('one')]);
    await look();
    expect(told).toEqual([text('one'), text('two')]);
  });

  test('is not read when it returns to a state that did not last', async () => {
    const { told, look, write } = start();
    await look(2);
    for (const state of ['two', 'one', 'two']) {
      write(state);
      await look();
    }
    expect(told).toEqual([text('one')]);
  });

  test('may be missing for a moment', async () => {
    const { told, look, disk } = start();
    await look(2);
    disk.mark = null;
    await look(9);
    disk.mark = 'one';
    await look(20);
    expect(told).toEqual([text('one')]);
  });

  test('is reported as missing once, and read again when it is back', async () => {
    const { told, look, disk } = start();
    await look(2);
    disk.mark = null;
    await look(40);
    expect(told).toEqual([text('one'), away]);
    disk.mark = 'one';
    await look(2);
    expect(told).toEqual([text('one'), away, text('one')]);
  });

  test('that is written to while it is read is read again', async () => {
    const { told, look, disk, write } = start();
    disk.whileReading = () => {
      disk.whileReading = () => {};
      write('whole', 'later');
    };
    await look(2);
    expect(told).toEqual([]);
    await look(2);
    expect(told).toEqual([text('whole')]);
  });

  test('that disappears while it is read is still watched', async () => {
    const { told, look, disk } = start();
    disk.whileReading = () => {
      throw new Error('gone');
    };
    await look(2);
    disk.whileReading = () => {};
    await look(2);
    expect(told).toEqual([text('one')]);
  });

  test('is reported immediately on request, and then not by the next checks', async () => {
    const { told, look, write, file, disk } = start();
    await look(2);
    write('two');
    await file.readNow();
    await look(20);
    await file.readNow();
    disk.mark = null;
    await file.readNow();
    expect(told).toEqual([text('one'), text('two'), text('two'), away]);
  });
});

test('the last report is the file’s stable state, and no report comes twice in a row', () => {
  const step = fc.constantFrom<string | null>('one', 'two', 'three', null, 'look', 'look', 'look', 'look');
  return fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { told, look, write, disk } = start();
      for (const each of steps) {
        if (each === 'look') await look();
        else if (each === null) disk.mark = null;
        else write(each);
      }
      await look(10);
      expect(told.at(-1)).toEqual(disk.mark === null ? away : text(disk.mark));
      for (const [index, news] of told.entries())
        if (news.kind === 'away') expect(told[index + 1]?.kind).not.toBe('away');
    }),
    { numRuns: 60 },
  );
});

describe('on a disk', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'watched-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const markOf = async (path: string) => (await fileAt(path).see()).mark;

  test('a replaced file is noticed, as editors and configuration maps replace it', async () => {
    const path = join(folder, 'plain');
    const marks = new Set<string | null>();
    await writeFile(path, 'same');
    marks.add(await markOf(path));
    // By a new file that takes its name.
    await writeFile(`${path}~`, 'same');
    await rename(`${path}~`, path);
    marks.add(await markOf(path));
    // By a link far up that points elsewhere.
    for (const version of ['v1', 'v2']) {
      await mkdir(join(folder, version));
      await writeFile(join(folder, version, 'clients'), 'same');
    }
    await symlink('v1', join(folder, 'data'));
    await symlink(join('data', 'clients'), join(folder, 'linked'));
    marks.add(await markOf(join(folder, 'linked')));
    await symlink('v2', join(folder, 'data~'));
    await rename(join(folder, 'data~'), join(folder, 'data'));
    marks.add(await markOf(join(folder, 'linked')));
    expect([marks.size, marks.has(null)]).toEqual([4, false]);
    expect(await fileAt(join(folder, 'linked')).read()).toBe('same');
  });

  test('an unreadable file counts as missing', async () => {
    expect(await fileAt(join(folder, 'nothing')).see()).toEqual({ mark: null, reason: 'ENOENT' });
    expect(await fileAt(folder).see()).toEqual({ mark: null, reason: 'EISDIR' });
    await writeFile(join(folder, 'large'), Buffer.alloc(16 * 1024 * 1024 + 1));
    expect(await fileAt(join(folder, 'large')).see()).toEqual({ mark: null, reason: 'EFBIG' });
  });
});

test('a followed file is logged at a reload, at later checks only if it is new, and not checked once stopped', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  let content = 'one';
  const taken: string[] = [];
  let logged = 0;
  const see = async () => ({ mark: content, reason: null });
  const followed = followFile({ see, read: async () => content }, (news) => {
    taken.push(news.kind === 'text' ? news.text : news.kind);
    const accepted = () => {
      logged += 1;
    };
    return { isNew: false, accepted };
  });
  await followed.reload();
  expect([taken, logged]).toEqual([['one'], 1]);
  content = 'two';
  await vi.advanceTimersByTimeAsync(5_000);
  expect([taken, logged]).toEqual([['one', 'two'], 1]);
  followed.stop();
  expect(vi.getTimerCount()).toBe(0);
});
