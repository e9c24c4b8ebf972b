import { decide, type SponsorshipStore, type StepKind, type StepOf, toStore } from './decide.ts';
import type { Change } from './draft.ts';
import { type FolderLock, lockFolder } from './folder-lock.ts';
import {
  deleteOldFiles,
  type JournalEnd,
  listJournal,
  nameNext,
  openJournalEnd,
  readJournalFile,
} from './journal-file.ts';
import { createMemoryRecords, type MemoryRecords } from './memory-records.ts';
import { defaultStoreBounds, type StoreBounds, StoreUnavailableError, toDay } from './sponsorship-store.ts';

export interface JournalStoreOptions {
  readonly folder: string;
  readonly now: () => number;
  readonly bounds?: StoreBounds;
  /** Opens the file to write to. */
  readonly openEnd?: typeof openJournalEnd;
  /** Milliseconds between two attempts to open the journal. */
  readonly retryMs?: number;
}

export interface JournalEvents {
  readonly failed: (error: unknown) => void;
  readonly ready: () => void;
}

interface Journal {
  readonly records: MemoryRecords;
  readonly lock: FolderLock;
  end: JournalEnd;
}

type Line = readonly [nowMs: number, changes: readonly Change[]];

/** Steps that are written together, as one line. */
interface Batch {
  /** When each step was decided, and what it changed. */
  readonly lines: Line[];
  /** Undo the changes, the last one first. */
  readonly undos: (() => void)[];
  readonly written: Promise<void>;
  readonly settle: (error: unknown) => void;
}

/**
 * A store in the memory of this process that survives its end: changes are on the disk before an answer leaves. While they cannot
 * be written, the store is unavailable.
 */
export function createJournalStore(options: JournalStoreOptions, events: JournalEvents): SponsorshipStore {
  const { folder, now, bounds = defaultStoreBounds, openEnd = openJournalEnd, retryMs = 1_000 } = options;
  let opening: Promise<Journal> | null = null;
  let hasFailed = false;
  let openedAtMs = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  /** The steps that the disk is writing, and those that wait for it. */
  let writing: Batch | null = null;
  let waiting: Batch | null = null;

  /** Replays the journal. After a failure, tries again from time to time. */
  function openOnce(): Promise<Journal> {
    const isDue = hasFailed && performance.now() - openedAtMs >= retryMs;
    if (opening && !isDue) return opening;
    openedAtMs = performance.now();
    hasFailed = false;
    opening = openJournal({ folder, now, openEnd }).then(
      (journal) => {
        events.ready();
        return journal;
      },
      (error: unknown) => {
        hasFailed = true;
        events.failed(error);
        throw new StoreUnavailableError(error, true);
      },
    );
    // Each step that waits for it reports the failure.
    opening.catch(() => {});
    return opening;
  }

  async function write(journal: Journal): Promise<void> {
    for (let batch = waiting; batch; batch = waiting) {
      writing = batch;
      waiting = null;
      try {
        journal.lock.check();
        await beginDay(journal);
        await journal.end.append(JSON.stringify(batch.lines));
        events.ready();
        batch.settle(null);
      } catch (error) {
        const isUndone = await journal.end.tryCut();
        events.failed(error);
        // What was decided meanwhile depends on what is undone here.
        for (const each of [waiting as Batch | null, batch]) {
          for (const undo of each?.undos.reverse() ?? []) undo();
          each?.settle(new StoreUnavailableError(error, isUndone));
        }
        waiting = null;
      }
      writing = null;
    }
  }

  async function beginDay(journal: Journal): Promise<void> {
    const day = toDay(now());
    const { end } = journal;
    if (end.file.day === day) return;
    journal.end = await openEnd(folder, nameNext(folder, end.file, day), 0);
    await end.close();
    deleteOldFiles(folder, day);
  }

  async function take(kind: StepKind, step: StepOf<StepKind>): Promise<unknown> {
    if (isClosed) throw new StoreUnavailableError(new Error('the store is closed'), true);
    const journal = await openOnce();
    const { records } = journal;
    records.sweep(step.nowMs);
    for (;;) {
      const { answer, changes, isPartial } = decide(records, kind, step, bounds);
      if (changes.length > 0) {
        const isFirst = !writing && !waiting;
        waiting ??= newBatch();
        waiting.undos.push(records.undoOf(changes));
        waiting.lines.push([step.nowMs, changes]);
        records.apply(changes);
        if (isFirst) void write(journal);
      }
      // An answer may depend on what is not written yet.
      if (!isPartial) return (waiting ?? writing)?.written.then(() => answer) ?? answer;
    }
  }

  void openOnce();
  return toStore(take, async () => {
    isClosed = true;
    const journal = await opening?.catch(() => null);
    await (waiting ?? writing)?.written.catch(() => {});
    journal?.lock.release();
    await journal?.end.close();
  });
}

function newBatch(): Batch {
  let settle: Batch['settle'] = () => {};
  const written = new Promise<void>((resolve, reject) => {
    settle = (error) => (error === null ? resolve() : reject(error));
  });
  written.catch(() => {});
  return { lines: [], undos: [], written, settle };
}

async function openJournal({
  folder,
  now,
  openEnd,
}: Required<Pick<JournalStoreOptions, 'folder' | 'now' | 'openEnd'>>): Promise<Journal> {
  const lock = await lockFolder(folder);
  try {
    const records = createMemoryRecords();
    const files = listJournal(folder);
    let length = 0;
    for (const { path } of files) {
      length = readJournalFile(path, (line) => {
        for (const [nowMs, changes] of line as readonly Line[]) {
          // As in the process that wrote it.
          records.sweep(nowMs);
          // Records that have expired leave with the sets that they count when they are read.
          for (const change of changes) if ('name' in change) records.get(change.name);
          records.apply(changes);
        }
      });
    }
    const last = files.at(-1);
    const day = toDay(now());
    const end = await openEnd(folder, last ?? nameNext(folder, undefined, day), length);
    deleteOldFiles(folder, day);
    return { records, lock, end };
  } catch (error) {
    lock.release();
    throw error;
  }
}
