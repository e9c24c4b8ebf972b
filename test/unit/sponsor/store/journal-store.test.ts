import { fork } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { SponsorshipStore } from '../../../../src/sponsor/store/decide.ts';
import { openJournalEnd } from '../../../../src/sponsor/store/journal-file.ts';
import { createJournalStore } from '../../../../src/sponsor/store/journal-store.ts';
import { createMemoryStore } from '../../../../src/sponsor/store/memory-store.ts';
import { dayMs, type StoreBounds, StoreUnavailableError } from '../../../../src/sponsor/store/sponsorship-store.ts';
import { runs, seed } from '../../../support/runs.ts';
import { allowanceOf, midnight, newFlow, noon, reserve } from '../../../support/sponsorship-flow.ts';
import { arbitrarySteps, newWorld, takeStep } from '../../../support/sponsorship-steps.ts';
import { describeSponsorshipStore } from '../../../support/sponsorship-store-suite.ts';
import { until } from '../../../support/until.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'journal-'));
  folders.push(folder);
  return folder;
}

interface About {
  readonly bounds?: StoreBounds;
  readonly openEnd?: typeof openJournalEnd;
  readonly time?: { nowMs: number };
  readonly told?: string[];
}

function open(folder: string, { time = { nowMs: noon }, told = [], ...about }: About = {}): SponsorshipStore {
  const events = { failed: (error: unknown) => told.push(String(error)), ready: () => told.push('ready') };
  return createJournalStore({ folder, now: () => time.nowMs, retryMs: 0, ...about }, events);
}

describeSponsorshipStore('in a journal', () => {
  const opened: SponsorshipStore[] = [];
  const ownFolders: string[] = [];
  return {
    open(bounds) {
      const folder = mkdtempSync(join(tmpdir(), 'journal-'));
      ownFolders.push(folder);
      const store = open(folder, bounds && { bounds });
      opened.push(store);
      return { one: store, other: store };
    },
    async close() {
      for (const store of opened) await store.close();
      for (const folder of ownFolders) rmSync(folder, { recursive: true });
    },
  };
});

const pathsIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => join(folder, name));

const gas = { key: 'gas', perDay: 1_000 };

test('a store that is opened again knows what it knew: leases, keys, budgets, executions under way', async () => {
  const folder = newFolder();
  const before = open(folder);
  const idempotency = { key: 'once', bodyHash: 'body-1' };
  const unspent = await reserve(before, { gas, idempotency: { key: 'mine', bodyHash: 'body' } });
  const executed = await reserve(before, { gas });
  await before.beginExecution(executed.execution({ idempotency }));
  await before.endExecution(executed.executionEnd({ kind: 'executed', gasUsed: 30 }, { answer: 'effects' }));
  const underWay = await reserve(before, { gas });
  await before.beginExecution(underWay.execution());
  await before.close();
  const after = open(folder);
  expect(await allowanceOf(after, gas, noon)).toMatchObject({ held: 200, settled: 30, free: 770 });
  expect(await after.beginExecution(executed.execution({ idempotency }))).toEqual({
    kind: 'replay',
    answer: 'effects',
  });
  expect(await after.beginExecution(underWay.execution())).toMatchObject({ kind: 'in-progress', digest: 'digest-1' });
  const again = unspent.reservation({ leaseId: 'another', idempotency: { key: 'mine', bodyHash: 'body' } });
  expect(await after.beginReservation(again)).toEqual({ kind: 'replay', answer: 'coins' });
  expect(await after.beginExecution(unspent.execution())).toEqual({ kind: 'begun' });
  expect(await after.claimOverdue({ most: 8, nowMs: noon + 30_000 })).toHaveLength(2);
  await after.close();
});

test('an account that was forgotten before it was used again has only its new holds, also after a restart', async () => {
  const folder = newFolder();
  const hold = { rule: 'openReservations.inAll', account: 'open:page', amount: 1, limit: 9, shareOf: null } as const;
  const begin = async (nowMs: number) => {
    await reserve(before, { nowMs, expiresAtMs: nowMs + 60_000, holds: [hold] });
  };
  const before = open(folder);
  // Others expire first, at different times: not all that has expired is dropped at once.
  for (let minute = 0; minute < 5; minute += 1)
    await reserve(before, { nowMs: noon, expiresAtMs: noon + minute * 120_000 + 1 });
  await begin(noon);
  await begin(noon);
  const later = noon + 30 * 3_600_000;
  await begin(later);
  expect(await before.gasAllowance({ bounds: [hold], nowMs: later })).toMatchObject({ held: 1 });
  await before.close();
  const after = open(folder);
  expect(await after.gasAllowance({ bounds: [hold], nowMs: later })).toMatchObject({ held: 1 });
  await after.close();
});

test('killed at any byte of any step, a store decides afterwards as one that lived', async () => {
  let names = 0;
  await fc.assert(
    fc.asyncProperty(arbitrarySteps, fc.nat(), fc.nat(), async (steps, killed, torn) => {
      const name = `${++names}`;
      const folder = newFolder();
      let store = open(folder);
      const [journal, alone] = [newWorld([store], name), newWorld([createMemoryStore()], name)];
      const killAt = killed % steps.length;
      for (const [index, step] of steps.entries()) {
        expect(await takeStep(journal, step, index)).toEqual(await takeStep(alone, step, index));
        if (index !== killAt) continue;
        const copy = newFolder();
        cpSync(folder, copy, { recursive: true, filter: (path) => !path.endsWith('lock') });
        const [path = ''] = pathsIn(folder);
        const { length } = readFileSync(path);
        // What the process wrote when it was killed, and told nobody.
        await reserve(store, { nowMs: journal.nowMs, expiresAtMs: journal.nowMs + 1 }, `somebody ${name}`);
        const unsaid = readFileSync(path).subarray(length);
        const end = unsaid.indexOf('\n');
        appendFileSync(pathsIn(copy)[0] ?? '', unsaid.subarray(0, torn % (end + 1)));
        await store.close();
        store = open(copy);
        Object.assign(journal, { stores: [store] });
      }
      await store.close();
      for (const each of folders.splice(0)) rmSync(each, { recursive: true, force: true });
    }),
    { numRuns: runs(60), seed },
  );
});

test('what is left of a long torn line does not damage the shorter lines that follow', async () => {
  const folder = newFolder();
  const store = open(folder);
  const { execution } = await reserve(store, { gas });
  await store.close();
  appendFileSync(pathsIn(folder)[0] ?? '', `[${'x'.repeat(20_000)}`);
  const second = open(folder);
  expect(await second.beginExecution(execution())).toEqual({ kind: 'begun' });
  await second.close();
  const third = open(folder);
  expect(await third.beginExecution(execution())).toMatchObject({ kind: 'in-progress' });
  await third.close();
});

test('a step whose line may be on a disk that fails is told to have happened perhaps', async () => {
  const folder = newFolder();
  let isFailing = false;
  const openEnd: typeof openJournalEnd = async (...args) => {
    const end = await openJournalEnd(...args);
    const [append, tryCut] = [end.append.bind(end), end.tryCut.bind(end)];
    end.append = async (line) => {
      await append(line);
      if (isFailing) throw new Error('EIO: i/o error, fdatasync');
    };
    end.tryCut = () => (isFailing ? Promise.resolve(false) : tryCut());
    return end;
  };
  const store = open(folder, { openEnd });
  const { execution } = await reserve(store, { gas });
  isFailing = true;
  await expect(store.beginExecution(execution())).rejects.toMatchObject({ isUntaken: false });
  await store.close();
});

test('a line that is damaged, and is not the last, keeps the store away: what follows may matter', async () => {
  const folder = newFolder();
  const store = open(folder);
  const { execution } = await reserve(store, { gas });
  await store.close();
  const [path = ''] = pathsIn(folder);
  const whole = readFileSync(path, 'utf8');
  writeFileSync(path, whole.replace('[', '?'));
  const told: string[] = [];
  const damaged = open(folder, { told });
  await expect(damaged.beginExecution(execution())).rejects.toMatchObject({ isUntaken: true });
  expect(told).toContainEqual(expect.stringMatching(/damaged at byte 0/));
  writeFileSync(path, whole);
  expect(await damaged.beginExecution(execution())).toEqual({ kind: 'begun' });
  await damaged.close();
});

/** A disk with so many bytes left. */
function fullDisk(left: { bytes: number }): typeof openJournalEnd {
  return async (...args) => {
    const end = await openJournalEnd(...args);
    const append = end.append.bind(end);
    end.append = async (line) => {
      if (line.length <= left.bytes) {
        left.bytes -= line.length;
        return append(line);
      }
      // A part of the line gets into the file.
      appendFileSync(end.file.path, line.slice(0, left.bytes));
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    };
    return end;
  };
}

test('while the disk is full the store is away, with nothing half done; afterwards it works as before', async () => {
  const folder = newFolder();
  const left = { bytes: 1e9 };
  const told: string[] = [];
  const store = open(folder, { openEnd: fullDisk(left), told });
  const { execution } = await reserve(store, { gas });
  left.bytes = 10;
  const steps = [execution(), execution({ bodyHash: 'body-2' })].map((begin) => store.beginExecution(begin));
  const reservation = store.beginReservation(newFlow().reservation({ gas }));
  for (const step of [...steps, reservation]) await expect(step).rejects.toMatchObject({ isUntaken: true });
  expect(told.slice(-1)).toEqual([expect.stringMatching('ENOSPC')]);
  expect(await allowanceOf(store, gas, noon)).toMatchObject({ held: 100 });
  left.bytes = 1e9;
  expect(await store.beginExecution(execution())).toEqual({ kind: 'begun' });
  expect(told.at(-1)).toBe('ready');
  await store.close();
  const after = open(folder);
  expect(await after.beginExecution(execution())).toMatchObject({ kind: 'in-progress' });
  expect(await allowanceOf(after, gas, noon)).toMatchObject({ held: 100 });
  await after.close();
});

test('steps that fail together are undone together, the last one first', async () => {
  const left = { bytes: Number.POSITIVE_INFINITY };
  const store = open(newFolder(), { openEnd: fullDisk(left) });
  expect(await allowanceOf(store, gas, noon)).toMatchObject({ held: 0 });
  left.bytes = 0;
  // The first one is written alone; the two of one account wait for it.
  const begun = [{}, { gas }, { gas }].map((each) => store.beginReservation(newFlow().reservation(each)));
  for (const { status } of await Promise.allSettled(begun)) expect(status).toBe('rejected');
  left.bytes = Number.POSITIVE_INFINITY;
  await until(() => allowanceOf(store, gas, noon).then(({ held }) => held === 0), 'nothing is held');
  await store.close();
});

test('a disk that fills up at any byte changes no decision: what was refused has not happened', async () => {
  let names = 0;
  let refused = 0;
  const sizes = fc.array(fc.nat(2_000), { minLength: 40, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(arbitrarySteps, sizes, async (steps, bytes) => {
      const name = `${++names}`;
      const folder = newFolder();
      const left = { bytes: 0 };
      let store = open(folder, { openEnd: fullDisk(left) });
      const alone = createMemoryStore();
      const [journal, memory] = [newWorld([store], name), newWorld([alone], name)];
      for (const [index, each] of steps.entries()) {
        // Of several at once, it is not known which one fails.
        const step = { ...each, copies: 1 };
        left.bytes = bytes[index] ?? 1e9;
        const [slots, holds] = [journal.slots.map((slot) => ({ ...slot })), [...journal.holds]];
        const states = holds.map(([, hold]) => ({ ...hold }));
        const taken = await takeStep(journal, step, index).catch((error: unknown) => {
          if (!(error instanceof StoreUnavailableError)) throw error;
          // Nothing has happened.
          refused += 1;
          journal.slots.splice(0, slots.length, ...slots);
          journal.holds.clear();
          for (const [at, [leaseId, hold]] of holds.entries())
            journal.holds.set(leaseId, Object.assign(hold, states[at]));
          return null;
        });
        if (taken) expect(taken).toEqual(await takeStep(memory, step, index));
        else memory.nowMs = journal.nowMs;
        if (index % 7 !== 6) continue;
        await store.close();
        store = open(folder, { openEnd: fullDisk(left) });
        Object.assign(journal, { stores: [store] });
      }
      await store.close();
      for (const each of folders.splice(0)) rmSync(each, { recursive: true, force: true });
    }),
    { numRuns: runs(40), seed },
  );
  expect(refused).toBeGreaterThan(10);
});

test('a folder that cannot be used keeps the store away, until it can', async () => {
  const folder = join(newFolder(), 'journal');
  writeFileSync(folder, '');
  const store = open(folder);
  await expect(allowanceOf(store, gas, noon)).rejects.toThrow(StoreUnavailableError);
  rmSync(folder);
  expect(await allowanceOf(store, gas, noon)).toMatchObject({ free: 1_000 });
  await store.close();
});

test('a path that is no folder keeps the store away', async () => {
  const told: string[] = [];
  const store = open('/dev/null/journal', { told });
  await expect(allowanceOf(store, gas, noon)).rejects.toThrow(StoreUnavailableError);
  expect(told).toContainEqual(expect.stringMatching('ENOTDIR'));
  await store.close();
});

test('of two stores in one folder the second is away, until the first ends, however it ends', async () => {
  const folder = newFolder();
  const holder = fork(
    '-e',
    [
      `require('node:net').createServer((socket) => socket.destroy()).listen(process.env.LOCK, () => process.send('held'))`,
    ],
    { env: { ...process.env, LOCK: join(folder, 'lock') } },
  );
  onTestFinished(() => void holder.kill('SIGKILL'));
  await new Promise((resolve) => holder.once('message', resolve));
  const told: string[] = [];
  const second = open(folder, { told });
  await expect(allowanceOf(second, gas, noon)).rejects.toMatchObject({ isUntaken: true });
  expect(told[0]).toMatch(`another process uses ${folder}`);
  holder.kill('SIGKILL');
  await new Promise((resolve) => holder.once('exit', resolve));
  expect(await allowanceOf(second, gas, noon)).toMatchObject({ free: 1_000 });
  await second.close();
});

test('a store whose folder was taken by another process decides nothing any more', async () => {
  const folder = newFolder();
  const store = open(folder);
  const { execution } = await reserve(store, { gas });
  rmSync(join(folder, 'lock'));
  const thief = open(folder);
  expect(await thief.beginExecution(execution())).toEqual({ kind: 'begun' });
  await expect(store.beginExecution(execution({ attempt: 'mine' }))).rejects.toThrow(StoreUnavailableError);
  await thief.close();
  await store.close();
});

test('each UTC day has a file, and files of more than two days are deleted', async () => {
  const folder = newFolder();
  const time = { nowMs: noon };
  const store = open(folder, { time });
  const days: string[][] = [];
  for (let day = 0; day < 5; day += 1) {
    time.nowMs = noon + day * dayMs;
    const flow = newFlow();
    await store.beginReservation(flow.reservation({ nowMs: time.nowMs, expiresAtMs: time.nowMs + 60_000 }));
    days.push(pathsIn(folder).map((path) => path.slice(-11, -6)));
  }
  expect(days).toEqual([
    ['05-05'],
    ['05-05', '05-06'],
    ['05-05', '05-06', '05-07'],
    ['05-06', '05-07', '05-08'],
    ['05-07', '05-08', '05-09'],
  ]);
  // A clock that was set back begins another file: the order of the files is that of their numbers.
  time.nowMs = noon;
  const { caller, leaseId, reservation } = newFlow();
  await store.beginReservation(reservation());
  await store.close();
  const after = open(folder, { time });
  await after.endReservation({ caller, leaseId, nowMs: noon, outcome: { kind: 'reserved', answer: 'coins' } });
  expect(await after.findReservation({ caller, leaseId, nowMs: noon })).toMatchObject({ answer: 'coins' });
  await after.close();
});

test('a lease that was fenced before midnight stays fenced after a restart the next day', async () => {
  const folder = newFolder();
  const time = { nowMs: midnight - 1_000 };
  const times = { nowMs: time.nowMs, expiresAtMs: midnight + 60_000 };
  const store = open(folder, { time });
  const { execution } = await reserve(store, { ...times, gas });
  await store.beginExecution(execution(times));
  await store.close();
  time.nowMs = midnight + 1_000;
  const after = open(folder, { time });
  await until(
    async () => (await after.beginExecution(execution({ ...times, nowMs: time.nowMs }))).kind === 'in-progress',
    'the fence',
  );
  await after.close();
});

test('what expired between two lines is gone in the replay too, so that a new account does not get the holds of the old', async () => {
  const folder = newFolder();
  const account = (held: number) => ({ held, settled: 0, count: 1, origin: 'o' });
  const put = (held: number, untilMs: number) => ({ kind: 'put', name: 'account:x', value: account(held), untilMs });
  const add = (member: string, score: number) => ({ kind: 'add', set: 'holds:x', member, score });
  const lines = [
    [[noon, [put(5, noon + 10), add('a:5', noon + 5)]]],
    [[noon + 180_000, [put(7, noon + dayMs), add('b:7', noon + dayMs)]]],
  ];
  const day = new Date(noon).toISOString().slice(0, 10);
  writeFileSync(join(folder, `00000001-${day}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const store = open(folder);
  const bound = { rule: 'gas.perDay', account: 'x', amount: 0, limit: 100, shareOf: null } as const;
  expect(await store.gasAllowance({ bounds: [bound], nowMs: noon + 181_000 })).toMatchObject({ held: 7, free: 93 });
  await store.close();
});
