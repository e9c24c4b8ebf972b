import { type ChildProcess, fork, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { type Collections, collectionsFile, collectionsSignal } from './collections.ts';

export interface Child {
  readonly name: string;
  readonly pid: number;
  /** Scheme, host and port; empty for one that serves nothing. */
  readonly url: string;
  /** From spawn to ready. */
  readonly startMs: number;
  /** Sends a message and waits for the next one back. */
  ask(message: object): Promise<Record<string, unknown>>;
  /** Since the last call; `null` for one that does not count them. */
  collections(): Promise<Collections | null>;
  kill(): void;
}

/** How a process of Node is started. */
export interface NodeProgram {
  /** The binary. */
  readonly path: string;
  readonly countsCollections: boolean;
}

export interface Command {
  /** A program, by its name or path. */
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly countsCollections?: boolean;
}

/** The processes of one run; none of them outlives it. */
export interface Children {
  /** A module of ours that says when it is ready. */
  fork(name: string, module: URL, args: readonly string[], program?: NodeProgram): Promise<Child>;
  /**
   * A server that knows nothing of benches, on a free port; ready when it answers 200 at the path. `null`: whoever connects to it
   * waits for it.
   */
  spawnServer(name: string, toCommand: (port: number) => Command, readyPath: string | null): Promise<Child>;
  killAll(): void;
}

const startTimeoutMs = 60_000;

export function createChildren(): Children {
  const alive = new Set<ChildProcess>();

  const adopt = (child: ChildProcess) => {
    alive.add(child);
    child.once('exit', () => alive.delete(child));
    return child;
  };

  return {
    async fork(name, module, args, program) {
      const startedAt = performance.now();
      const { path: execPath = process.execPath, countsCollections = false } = program ?? {};
      const execArgv = countsCollections ? countingFlags : [];
      const stdio = ['ignore' as const, 'ignore' as const, 'pipe' as const, 'ipc' as const, 'pipe' as const];
      const child = adopt(
        fork(module, args, { stdio: countsCollections ? stdio : stdio.slice(0, 4), execPath, execArgv }),
      );
      const stderr = keepTail(child);
      const { url } = await orDie(child, name, stderr, nextMessage(child));
      return {
        name,
        pid: child.pid ?? 0,
        url: String(url),
        startMs: performance.now() - startedAt,
        ask: (message) => {
          const answer = nextMessage(child);
          child.send(message);
          return orDie(child, name, stderr, answer, 0);
        },
        collections: toCollections(child, countsCollections),
        kill: () => void child.kill('SIGKILL'),
      };
    },

    async spawnServer(name, toCommand, readyPath) {
      const port = await findFreePort();
      const startedAt = performance.now();
      const { file, args, env, countsCollections = false } = toCommand(port);
      const stdio = ['ignore' as const, 'ignore' as const, 'pipe' as const, 'ignore' as const, 'pipe' as const];
      const child = adopt(spawn(file, args, { env, stdio: countsCollections ? stdio : stdio.slice(0, 3) }));
      const stderr = keepTail(child);
      const url = `http://127.0.0.1:${port}`;
      if (readyPath !== null) await orDie(child, name, stderr, answers(`${url}${readyPath}`));
      const startMs = performance.now() - startedAt;
      return {
        name,
        pid: child.pid ?? 0,
        url,
        startMs,
        ask: () => Promise.reject(new Error(`${name} takes no orders`)),
        collections: toCollections(child, countsCollections),
        kill: () => void child.kill('SIGKILL'),
      };
    },

    killAll() {
      for (const child of alive) child.kill('SIGKILL');
    },
  };
}

/** What makes a process of Node count its collections. */
export const countingFlags = ['--import', new URL('../processes/count-collections.js', import.meta.url).href];

function toCollections(child: ChildProcess, isCounted: boolean): Child['collections'] {
  const file = child.stdio[collectionsFile];
  if (!isCounted || !(file instanceof Readable)) return () => Promise.resolve(null);
  const lines = createInterface(file)[Symbol.asyncIterator]();
  return async () => {
    if (!child.kill(collectionsSignal)) return null;
    const { value } = await lines.next();
    return value === undefined ? null : JSON.parse(value);
  };
}

function nextMessage(child: ChildProcess): Promise<Record<string, unknown>> {
  return new Promise((resolve) => child.once('message', (message) => resolve(message as Record<string, unknown>)));
}

/** Waits for something of a child unless it dies before; for its start not for ever. */
function orDie<Value>(
  child: ChildProcess,
  name: string,
  stderr: () => string,
  value: Promise<Value>,
  timeoutMs = startTimeoutMs,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      child.off('exit', onExit);
    };
    const fail = (what: string) => {
      settle();
      reject(new Error(`${name} ${what}${stderr() && `:\n${stderr()}`}`));
    };
    const onExit = () => fail('ended by itself');
    const timer = timeoutMs > 0 ? setTimeout(() => fail(`was not ready within ${timeoutMs} ms`), timeoutMs) : undefined;
    child.once('exit', onExit);
    value.then(resolve, reject).finally(settle);
  });
}

function keepTail(child: ChildProcess): () => string {
  let tail = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-2_000);
  });
  return () => tail.trim();
}

async function answers(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(url).catch(() => null);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
