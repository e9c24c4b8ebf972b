import { type ChildProcess, spawn } from 'node:child_process';
import { builtProgram } from './built-program.ts';

const cli = builtProgram();

/** What the variables of whoever runs the tests are not to change. */
const bareEnvironment = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };
/** Nothing balances load here: a stop need not wait. */
const noWait = { DRAIN_MS: '0' };

export interface RunningCli {
  readonly child: ChildProcess;
  /** What it wrote so far. */
  readonly out: () => string;
  readonly error: () => string;
  /** Resolves with the match once standard output has it; rejects when the process ends before. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Starts the built command line in a process of its own. @param nodeOptions for Node itself */
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
