import { type ChildProcess, spawn } from 'node:child_process';
import { builtProgram } from './built-program.ts';

const cli = builtProgram();

/** Environment variables of the developer that must not affect tests. */
const bareEnvironment = { PATH: process.env.PATH ?? '' };
/** No load balancer is used, so stopping need not wait. */
const noWait = { DRAIN_MS: '0' };

export interface RunningCli {
  readonly child: ChildProcess;
  /** Output so far. */
  readonly out: () => string;
  readonly error: () => string;
  /** Resolves with the match in standard output; rejects if the process ends first. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  /** Exit code, or the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/**
 * Starts the built command line in its own process.
 * @param nodeOptions for Node itself
 */
export function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  nodeOptions: readonly string[] = [],
): RunningCli {
  const child = spawn(process.execPath, [...nodeOptions, cli, ...args], {
    env: { ...bareEnvironment, ...noWait, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { out: '', error: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text.out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text.error += chunk;
  });
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal ?? -1));
  });
  return { child, out: () => text.out, error: () => text.error, waitFor, ended };

  function waitFor(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(text.out);
        if (match) resolve(match);
      };
      child.stdout.on('data', look);
      child.on('close', () => reject(new Error(`ended without ${pattern}:\n${text.out}\n${text.error}`)));
      look();
    });
  }
}
