import { afterEach, expect, test } from 'vitest';
import { createWorkerProcesses, type WorkerEnd } from '../../../../src/start/workers/worker-processes.ts';

const { execPath } = process;

afterEach(() => {
  process.execPath = execPath;
});

test.each([
  ['later', '/nowhere/node'],
  ['at once', 'no\0path'],
])('a worker that the system cannot start, which it reports %s, counts as one that exited', async (_, refused) => {
  const startProcess = createWorkerProcesses('/nowhere.js', []);
  process.execPath = refused;
  const end = await new Promise<WorkerEnd>((resolve) => startProcess().onEnd(resolve));
  expect(end).toEqual({ exitCode: null, signal: null });
});
