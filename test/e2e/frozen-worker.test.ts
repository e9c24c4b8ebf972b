import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startStaff } from '../../src/start/workers/staff.ts';
import { createWorkerProcesses } from '../../src/start/workers/worker-processes.ts';
import type { WorkerLoss } from '../../src/telemetry/events.ts';
import { until } from '../support/until.ts';

const program = fileURLToPath(new URL('../support/beating-worker.mjs', import.meta.url));

test('a worker that is stopped, and so neither ends nor answers, is killed and replaced; the other goes on', async () => {
  const losses: WorkerLoss[] = [];
  const serving: number[] = [];
  const staff = startStaff({
    count: 2,
    // Ten of these may be owed: time enough for a busy machine to give the other one its turn.
    beginning: () => ({ shared: { workers: 2, network: null, secret: 's' }, port: 1, files: {}, beatMs: 200 }),
    startProcess: createWorkerProcesses(program, []),
    now: () => performance.now(),
    endWithinMs: 10_000,
    events: {
      lost: (loss) => losses.push(loss),
      cut: (pids) => expect(pids).toEqual([]),
      serves: (pid) => serving.push(pid),
      schemaReplaced: () => {},
    },
  });
  try {
    await Promise.race([staff.complete, staff.failed]);
    const [frozen = 0, other = 0] = serving;
    process.kill(frozen, 'SIGSTOP');
    await until(() => losses.length > 0 && staff.serving().length === 2, 'another in its place');
    expect(losses).toMatchObject([{ worker: frozen, signal: 'SIGKILL' }]);
    expect(losses[0]?.reason).toMatch(/^it was killed: no sign of life for \d+ ms$/);
    const pids = staff.serving().map(({ pid }) => pid);
    expect(pids).toContain(other);
    expect(pids).not.toContain(frozen);
  } finally {
    await staff.stop();
  }
});
