import { access, constants, readFile, stat } from 'node:fs/promises';
import { toErrorCode } from '../config/read-settings.ts';

/** What was seen of a file at one look. */
export interface FileSight {
  /** Changes whenever the file does: another one in its place, another size, another time of writing; `null` = there is none. */
  readonly mark: string | null;
  /** The system's code of why there is none, like `ENOENT`. */
  readonly reason: string | null;
}

/** What a look at a file led to. */
export type FileNews =
  | { readonly kind: 'text'; readonly text: string }
  /** It has been away for longer than it takes to be replaced. */
  | { readonly kind: 'away'; readonly reason: string };

/** Looks at a file again and again, and tells when it has become another one. */
export interface WatchedFile {
  /** One look; tells what has lasted since the look before. */
  look(): Promise<void>;
  /** Tells at once what the file is, changed or not. */
  readNow(): Promise<void>;
}

export interface WatchedFileOptions {
  readonly see: () => Promise<FileSight>;
  /** Rejects if it cannot be read. */
  readonly read: () => Promise<string>;
  /** Called once for each state of the file that has lasted. */
  readonly tell: (news: FileNews) => void;
}

/** Looks for which a file must be as it is: who writes in place is not read half-way. */
const lastingLooks = 2;
/** For which it must be gone: editors and configuration maps put another in its place, and there may be none in between. */
const lostLooks = 10;

const away = 'away';

/**
 * Judges by looking, not by being notified: a look finds every way of replacing a file, symbolic links on the way to it
 * included, on every file system. What the file is at the first look counts as news.
 */
export function createWatchedFile({ see, read, tell }: WatchedFileOptions): WatchedFile {
  let judged: string | null = null;
  let seen: string | null = null;
  let looks = 0;
  let isLooking = false;

  const judge = async ({ mark, reason }: FileSight): Promise<void> => {
    if (mark === null) return tell({ kind: 'away', reason: reason ?? 'unknown error' });
    const text = await read();
    // It was written to meanwhile: what was read may be half of it, and the looks to come will tell.
    if ((await see()).mark !== mark) judged = null;
    else tell({ kind: 'text', text });
  };

  const look = async (): Promise<void> => {
    const sight = await see();
    const state = sight.mark ?? away;
    if (state === judged) {
      seen = null;
      return;
    }
    looks = state === seen ? looks + 1 : 1;
    seen = state;
    if (looks < (sight.mark === null ? lostLooks : lastingLooks)) return;
    judged = state;
    seen = null;
    await judge(sight);
  };

  return {
    async look() {
      // A slow file system: the look before is not over.
      if (isLooking) return;
      isLooking = true;
      try {
        await look();
      } catch {
        // It went away between the look and the reading: the looks to come will tell.
        judged = null;
      } finally {
        isLooking = false;
      }
    },
    async readNow() {
      const sight = await see();
      judged = sight.mark ?? away;
      seen = null;
      if (sight.mark === null) return tell({ kind: 'away', reason: sight.reason ?? 'unknown error' });
      let text: string;
      try {
        text = await read();
      } catch (error) {
        judged = null;
        return tell({ kind: 'away', reason: toErrorCode(error) });
      }
      tell({ kind: 'text', text });
    },
  };
}

/** A larger file is no list of clients, and reading it would stop everything else. */
const maxBytes = 16 * 1024 * 1024;

/** The file at this path, through symbolic links. */
export function fileAt(path: string): Pick<WatchedFileOptions, 'see' | 'read'> {
  return {
    async see() {
      try {
        const entry = await stat(path, { bigint: true });
        const { dev, ino, size, mtimeNs, ctimeNs } = entry;
        await access(path, constants.R_OK);
        if (!entry.isFile()) return { mark: null, reason: 'EISDIR' };
        if (size > maxBytes) return { mark: null, reason: 'EFBIG' };
        return { mark: [dev, ino, size, mtimeNs, ctimeNs].join(' '), reason: null };
      } catch (error) {
        return { mark: null, reason: toErrorCode(error) };
      }
    },
    read: () => readFile(path, 'utf8'),
  };
}
