import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { RateLimiterClusterMaster } from 'rate-limiter-flexible';
import { expect, test } from 'vitest';
import type { RateLimiter, RateQuota } from '../../src/callers/rate-limiter.ts';
import { builtProgram } from '../support/built-program.ts';
import { describeRateLimiter } from '../support/rate-limiter-suite.ts';

// The worker program.
builtProgram();

const channel = 'rate-limiter-bench';

interface Bench {
  limiterOf(worker: number, perMinute: number): Pick<RateLimiter, 'consume' | 'peek'>;
  /** Messages of the workers about their primary. */
  readonly away: string[];
  close(): Promise<void>;
}

/** Cluster workers whose primary is this process. */
async function startWorkers(count: number): Promise<Bench> {
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('../support/cluster-worker.mjs', import.meta.url)),
    execArgv: [],
  });
  new RateLimiterClusterMaster();
  const pending = new Map<number, (answer: RateQuota | null) => void>();
  const away: string[] = [];
  let lastId = 0;
  const workers = await Promise.all(
    Array.from({ length: count }, async () => {
      const worker = cluster.fork();
      const ready = new Promise<void>((resolve) => {
        worker.on('message', (message) => {
          if (message.channel !== channel) return;
          if (message.isReady) resolve();
          else if (message.away) away.push(message.away);
          else pending.get(message.id)?.(message.answer);
        });
      });
      await ready;
      return worker;
    }),
  );

  function ask<Answer>(worker: Worker, perMinute: number, method: string, args: unknown[]): Promise<Answer> {
    const id = ++lastId;
    worker.send({ channel, id, perMinute, method, args });
    return new Promise((resolve) => pending.set(id, (answer) => resolve(answer as Answer)));
  }

  return {
    away,
    limiterOf: (index, perMinute) => {
      const worker = workers[index % count]!;
      return {
        consume: (caller, points) => ask(worker, perMinute, 'consume', [caller, points]),
        peek: (caller) => ask(worker, perMinute, 'peek', [caller]),
      };
    },
    async close() {
      await Promise.all(
        workers.map(async (worker) => {
          const gone = once(worker, 'exit');
          worker.process.kill('SIGKILL');
          await gone;
        }),
      );
    },
  };
}

describeRateLimiter('in the primary of a cluster', async () => {
  const bench = await startWorkers(1);
  return { open: async (perMinute) => bench.limiterOf(0, perMinute), close: bench.close };
});

test('two workers together grant exactly the limit', async () => {
  const bench = await startWorkers(2);
  const caller = { rate: { key: 'crowd', perMinute: null } };
  const answers = await Promise.all(
    Array.from({ length: 400 }, (_, index) => bench.limiterOf(index, 77).consume(caller, 1)),
  );
  expect(answers.filter((answer) => answer?.isGranted)).toHaveLength(77);
  expect(bench.away).toEqual([]);
  await bench.close();
});
