// The load: a fixed number of requests in flight or a steady rate, over kept connections, every answer checked.
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { type AnswerCheck, createAnswerCheck } from '../load/answer-check.ts';
import type { ClientOrder, ClientReport } from '../load/client-orders.ts';
import { type Launch, pace, post, saturate } from '../load/drive.ts';
import { createLatencyHistogram } from '../load/latency-histogram.ts';
import { createLedgerAnswers } from '../load/ledger-answers.ts';
import type { Work } from '../load/work.ts';
import { createWorks } from '../load/works.ts';

const works = createWorks(createLedgerAnswers(process.cwd()));
/** Who has not answered by then is not measured any further; in milliseconds. */
const patience = { headersTimeout: 30_000, bodyTimeout: 30_000 };
/** How often a paced slice looks whether it is over, in milliseconds. */
const lookMs = 20;

/** One contestant at one work, from slice to slice: no number comes twice, no answer is held against a forgotten one. */
interface Match {
  readonly work: Work;
  readonly pool: Pool;
  readonly check: AnswerCheck;
  nextSerial: number;
}
const pools = new Map<string, Pool>();
const matches = new Map<string, Match>();

function findMatch({ contestant, workId, url, concurrency, dialect }: ClientOrder): Match {
  const key = `${contestant} ${workId}`;
  const known = matches.get(key);
  if (known) return known;
  const work = works.find(({ id }) => id === workId);
  if (!work) throw new Error(`there is no work ${workId}`);
  const pool = pools.get(url) ?? new Pool(url, { connections: concurrency, ...patience });
  pools.set(url, pool);
  const match = { work, pool, check: createAnswerCheck(work, dialect), nextSerial: 0 };
  matches.set(key, match);
  return match;
}

async function run(order: ClientOrder): Promise<ClientReport> {
  const match = findMatch(order);
  const { work, pool, check } = match;
  const latencies = createLatencyHistogram();
  const startedAt = performance.now();
  let requests = 0;
  let bytes = 0;
  let fault: string | null = null;

  const launch: Launch = (dueAt, onEnd) => {
    const serial = match.nextSerial;
    match.nextSerial += 1;
    requests += 1;
    post(pool, work.request(order.dialect, serial), (status, chunks) => {
      latencies.add(performance.now() - dueAt);
      for (const chunk of chunks) bytes += chunk.length;
      fault ??= check.findFault(serial, status, chunks);
      onEnd();
    });
  };
  const isOver = () =>
    fault !== null || (requests >= order.atLeastRequests && performance.now() - startedAt >= order.atLeastMs);

  if (order.pacedAt === null) await saturate(order.concurrency, launch, isOver);
  else {
    const { stop } = pace(order.pacedAt, order.concurrency, launch);
    while (!isOver()) await pause(lookMs);
    await stop();
  }
  const elapsedMs = performance.now() - startedAt;
  return { requests, elapsedMs, bytes, p50Ms: latencies.quantile(0.5), p99Ms: latencies.quantile(0.99), fault };
}

process.on('message', (order: ClientOrder) => {
  void run(order).then((report) => process.send?.({ kind: 'report', report }));
});
process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => {});
process.send?.({ kind: 'ready', url: '' });
