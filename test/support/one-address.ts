import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { toPostText } from './raw-client.ts';
import type { SpawnedGateway } from './spawn-gateway.ts';
import { until } from './until.ts';

/** Addresses of this machine that stand for clients elsewhere. */
export const [attacker, victim] = ['127.0.0.66', '127.0.0.7'];

/** A connection from an address of this machine; it reads nothing until it is resumed. */
export async function openFrom(localAddress: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.pause();
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      // It may be reset.
      socket.on('error', () => {});
      resolve(socket);
    });
  });
}

/** Everything that a connection receives until it closes. @param bytesPerMs how fast it is read at most */
export function readAll(
  socket: Socket,
  bytesPerMs = Number.POSITIVE_INFINITY,
): Promise<{ head: string; size: number }> {
  let [head, size, quota] = ['', 0, bytesPerMs];
  const timer = setInterval(() => {
    quota = bytesPerMs * 20;
    if (socket.isPaused()) socket.resume();
  }, 20);
  socket.on('data', (chunk: Buffer) => {
    if (size < 400) head += chunk.toString('latin1', 0, 400);
    size += chunk.length;
    quota -= chunk.length;
    if (quota < 0) socket.pause();
  });
  socket.resume();
  return new Promise((resolve) =>
    socket.once('close', () => {
      clearInterval(timer);
      resolve({ head, size });
    }),
  );
}

/** A client elsewhere that asks one small question after another, in a thread of its own. */
export function askOften({ port, pid }: SpawnedGateway) {
  const waits: number[] = [];
  const failures: string[] = [];
  const text = toPostText({ query: '{ __typename }' }, { connection: 'close' });
  const thread = new Worker(new URL('asking-thread.mjs', import.meta.url), {
    workerData: { port, pid, localAddress: victim, text },
  });
  thread.on('message', ({ received, cpuMs }: { received: string; cpuMs: number }) => {
    waits.push(cpuMs);
    if (!received.startsWith('HTTP/1.1 200 ')) failures.push(received);
  });
  const ended = once(thread, 'exit');
  return {
    asked: () => waits.length,
    /** Stops asking; safe to call twice. @returns CPU time of the gateway during a question, exceeded by one question of a hundred, in milliseconds */
    async end() {
      thread.postMessage('end');
      await ended;
      const sorted = waits.toSorted((one, other) => one - other);
      return { failures, p99Ms: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0 };
    },
  };
}

/** RSS of a process, now and at most, in MiB. */
export function memoryOf({ pid }: SpawnedGateway): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { now: read('VmRSS'), peak: read('VmHWM') };
}

/** Options of a spawned gateway that measures its turns. */
export const watchingTurns = [`--import=${new URL('turn-probe.mjs', import.meta.url).href}`];

/** The longest turn of such a gateway since the last call, in milliseconds. */
export async function longestTurnOf({ cli, logged }: SpawnedGateway): Promise<number> {
  const known = logged('longest turn').length;
  cli.child.kill('SIGUSR2');
  await until(() => logged('longest turn').length > known, 'the longest turn is logged');
  return logged('longest turn').at(-1)?.turnMs as number;
}
