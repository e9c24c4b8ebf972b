import { access, constants, readFile, stat } from 'node:fs/promises';
import { toErrorCode } from '../config/read-settings.ts';

export interface FileState {
  /** Changes with the file's inode, size or modification time; `null` if the file cannot be read. */
  readonly mark: string | null;
  /** The system's error code if the file cannot be read, such as `ENOENT`. */
  readonly reason: string | null;
}

/** A state of a file that has lasted for several checks. */
export type FileChange =
  | { readonly kind: 'text'; readonly text: string }
  /** The file has been missing for longer than a replacement takes. */
  | { readonly kind: 'away'; readonly reason: string };

export interface FileReader {
  readonly see: () => Promise<FileState>;
  /** Rejects if the file cannot be read. */
  readonly read: () => Promise<string>;
}

export interface WatchedFileOptions extends FileReader {
  /** Called once for each lasting state of the file. */
  readonly report: (news: FileChange) => void;
}

/** The result of adopting a changed file, and how to log it. */
type Verdict = { readonly rejected: () => void } | { readonly isNew: boolean; readonly accepted: () => void };

export interface FollowedFile {
  /** Reads the file now, and logs the result even if nothing changed. */
  reload(): Promise<void>;
  stop(): void;
}

export function joinFiles(files: readonly FollowedFile[]): FollowedFile {
  return {
    async reload() {
      for (const file of files) await file.reload();
    },
    stop() {
      for (const file of files) file.stop();
    },
  };
}

/** Milliseconds between two checks of a file. */
const checkEveryMs = 500;

/**
 * Follows a file: `take` checks and adopts each of its states. Logs every rejection, and acceptance if the file changed, on a
 * reload, or after a rejection.
 */
export function followFile(file: FileReader, take: (news: FileChange) => Verdict): FollowedFile {
  let isRejected = false;
  let isReload = false;
  const report = (news: FileChange): void => {
    const verdict = take(news);
    if ('rejected' in verdict) verdict.rejected();
    else if (verdict.isNew || isRejected || isReload) verdict.accepted();
    isRejected = 'rejected' in verdict;
  };
  const watched = createWatchedFile({ ...file, report });
  const timer = setInterval(() => void watched.look(), checkEveryMs).unref();
  return {
    async reload() {
      isReload = true;
      try {
        await watched.readNow();
      } finally {
        isReload = false;
      }
    },
    stop: () => clearInterval(timer),
  };
}

/** A file must stay unchanged for this many checks, so that the gateway does not read a file that is still being written. */
const stableChecks = 2;
/**
 * A file must be missing for this many checks: editors and Kubernetes config maps may remove a file before they put a new one
 * in its place.
 */
const missingChecks = 10;

const missing = 'missing';

/**
 * Polls a file and reports changes. Polls instead of using notifications, because polling detects every kind of replacement on every file system, including
 * symbolic links in the path. The first state counts as a change.
 */
export function createWatchedFile({ see, read, report }: WatchedFileOptions) {
  let judged: string | null = null;
  let seen: string | null = null;
  let checks = 0;
  let isChecking = false;

  const judge = async ({ mark, reason }: FileState): Promise<void> => {
    if (mark === null) return report({ kind: 'away', reason: reason ?? 'unknown error' });
    const text = await read();
    // The file changed during the read and may be incomplete: later checks read it again.
    if ((await see()).mark !== mark) judged = null;
    else report({ kind: 'text', text });
  };

  const check = async (): Promise<void> => {
    const found = await see();
    const state = found.mark ?? missing;
    if (state === judged) {
      seen = null;
      return;
    }
    checks = state === seen ? checks + 1 : 1;
    seen = state;
    if (checks < (found.mark === null ? missingChecks : stableChecks)) return;
    judged = state;
    seen = null;
    await judge(found);
  };

  return {
    /** One check. Reports a change that has lasted since the previous check. */
    async look(): Promise<void> {
      // On a slow file system, the previous check may still be running.
      if (isChecking) return;
      isChecking = true;
      try {
        await check();
      } catch {
        // The file disappeared between the check and the read: later checks will notice.
        judged = null;
      } finally {
        isChecking = false;
      }
    },
    /** Reports the file immediately, changed or not. */
    async readNow(): Promise<void> {
      const state = await see();
      judged = state.mark ?? missing;
      seen = null;
      try {
        await judge(state);
      } catch (error) {
        judged = null;
        report({ kind: 'away', reason: toErrorCode(error) });
      }
    },
  };
}

/** A larger file cannot be a list of clients, and reading it would block the event loop. */
const maxBytes = 16 * 1024 * 1024;

/** Reads the file at this path. Follows symbolic links. */
export function fileAt(path: string): FileReader {
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
