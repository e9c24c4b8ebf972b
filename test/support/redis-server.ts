import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.ts';

const executable = ['/usr/bin/redis-server', '/usr/local/bin/redis-server', '/opt/homebrew/bin/redis-server'].find(
  (path) => existsSync(path),
);

/** Why tests with a real Redis cannot run here, or `null`. In CI, a missing Redis is a failure, never a skip. */
export const redisMissing: string | null =
  executable || process.env.CI ? null : 'Redis is not installed: apt-get install redis-server';

export interface RedisServer extends AsyncDisposable {
  readonly url: string;
  /** Freezes the process (SIGSTOP): it does not respond, and its connections stay open. */
  freeze(): void;
  thaw(): void;
  /** Kills the process. */
  kill(): Promise<void>;
  /** Starts it again on the same port, empty. */
  restart(): Promise<void>;
}

/** A Redis for this test only, on its own port, without persistence. */
export async function startRedis(options: readonly string[] = []): Promise<RedisServer> {
  if (!executable) throw new Error('Redis is not installed: apt-get install redis-server');
  const path = executable;
  let port = await freePort();
  // Another test may take the port before Redis listens.
  let child = await launch().catch(async () => {
    port = await freePort();
    return launch();
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    kill: () => end(child),
    async restart() {
      child = await launch();
    },
    [Symbol.asyncDispose]: () => end(child),
  };

  async function launch(): Promise<ChildProcess> {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...options];
    const started = spawn(path, args, { stdio: 'ignore' });
    while (!(await answers(port))) {
      if (started.exitCode !== null) throw new Error(`redis-server ended with ${started.exitCode}`);
      await pause(10);
    }
    return started;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** Does a Redis respond on the port, with any reply? */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    const settle = (isUp: boolean) => {
      socket.destroy();
      resolve(isUp);
    };
    socket.once('data', () => settle(true));
    socket.once('error', () => settle(false));
    socket.once('close', () => settle(false));
  });
}
