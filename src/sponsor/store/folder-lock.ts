import { once } from 'node:events';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

/** A folder that one process uses at a time, also in another container. */
export interface FolderLock {
  /** @throws if another process has taken the folder since */
  readonly check: () => void;
  readonly release: () => void;
}

/**
 * Locks a folder with a socket in it: the system closes the socket of a process that dies, however it dies.
 * @throws if another process has it
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'lock');
  const server = createServer((socket) => socket.destroy());
  const listen = () => once(server.listen(path), 'listening');
  try {
    await listen();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    if (await isAnswered(path)) throw takenError(folder);
    rmSync(path, { force: true });
    await listen();
  }
  server.unref();
  const own = statSync(path).ino;
  // Two processes may have replaced the socket of a dead one at once.
  const isOwn = () => statSync(path, { throwIfNoEntry: false })?.ino === own;
  return {
    check() {
      if (!isOwn()) throw takenError(folder);
    },
    release() {
      // Closing removes the socket, whose ever it is.
      if (isOwn()) server.close();
    },
  };
}

function takenError(folder: string): Error {
  return new Error(`another process uses ${folder}`);
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (isAlive: boolean) => {
      socket.destroy();
      resolve(isAlive);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
