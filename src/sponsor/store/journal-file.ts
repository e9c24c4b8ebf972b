import { closeSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { dayMs, toDay } from './sponsorship-store.ts';

/** `<number>-<day>.jsonl`: in this order, whatever the clock said. */
const fileName = /^(\d{8})-(\d{4}-\d\d-\d\d)\.jsonl$/;
/** Records live for a day, so that yesterday's file is needed. */
const filesKept = 3;

export interface JournalFile {
  readonly number: number;
  readonly day: string;
  readonly path: string;
}

/** The files of a journal, oldest first. */
export function listJournal(folder: string): readonly JournalFile[] {
  const names = readdirSync(folder).sort();
  return names.flatMap((name) => {
    const [, number, day = ''] = fileName.exec(name) ?? [];
    return number === undefined ? [] : [{ number: Number(number), day, path: join(folder, name) }];
  });
}

export function nameNext(folder: string, before: JournalFile | undefined, day: string): JournalFile {
  const number = (before?.number ?? 0) + 1;
  return { number, day, path: join(folder, `${String(number).padStart(8, '0')}-${day}.jsonl`) };
}

/** Deletes files of more than two days, unless a clock that jumped has begun many files. */
export function deleteOldFiles(folder: string, day: string): void {
  const oldest = toDay(Date.parse(day) - 2 * dayMs);
  for (const file of listJournal(folder).slice(0, -filesKept))
    if (file.day < oldest) rmSync(file.path, { force: true });
}

/**
 * Reads a file line by line. The last line may be torn: it was not complete when the process died, so nobody was told of it.
 * @returns the bytes of all complete lines
 * @throws if another line is damaged
 */
export function readJournalFile(path: string, read: (line: unknown) => void): number {
  const descriptor = openSync(path, 'r');
  const chunk = Buffer.alloc(1024 * 1024);
  let rest = Buffer.alloc(0);
  let complete = 0;
  let damaged: number | null = null;
  try {
    for (let bytes = readSync(descriptor, chunk); bytes > 0; bytes = readSync(descriptor, chunk)) {
      rest = Buffer.concat([rest, chunk.subarray(0, bytes)]);
      for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
        if (damaged !== null) throw new Error(`${path} is damaged at byte ${damaged}`);
        const line = parse(rest.toString('utf8', 0, end));
        rest = rest.subarray(end + 1);
        if (line === undefined) damaged = complete;
        else {
          read(line);
          complete += end + 1;
        }
      }
    }
  } finally {
    closeSync(descriptor);
  }
  if (damaged !== null && rest.length > 0) throw new Error(`${path} is damaged at byte ${damaged}`);
  return complete;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The file that is written to. What a failed write left behind is cut off before the next one. */
export class JournalEnd {
  readonly file: JournalFile;
  readonly #handle: FileHandle;
  #length: number;
  #isCut = false;

  constructor(file: JournalFile, handle: FileHandle, length: number) {
    this.file = file;
    this.#handle = handle;
    this.#length = length;
  }

  /** Resolves when the line is on the disk. If it rejects, the line does not count. */
  async append(line: string): Promise<void> {
    const bytes = Buffer.from(`${line}\n`);
    if (!this.#isCut) await this.#cut();
    this.#isCut = false;
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(bytes, written, bytes.length - written, this.#length + written);
      written += bytesWritten;
    }
    await this.#handle.datasync();
    this.#length += bytes.length;
    this.#isCut = true;
  }

  /** @returns whether nothing is left of a line that failed */
  tryCut(): Promise<boolean> {
    return this.#cut().then(
      () => true,
      () => false,
    );
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #cut(): Promise<void> {
    await this.#handle.truncate(this.#length);
    await this.#handle.datasync();
    this.#isCut = true;
  }
}

/** @param length its complete lines */
export async function openJournalEnd(folder: string, file: JournalFile, length: number): Promise<JournalEnd> {
  const handle = await open(file.path, length === 0 ? 'a' : 'r+', 0o600);
  await handle.close();
  const end = new JournalEnd(file, await open(file.path, 'r+'), length);
  // A new file is in its folder after a crash only once the folder is written.
  const entry = await open(folder, 'r');
  await entry.sync().finally(() => entry.close());
  return end;
}
