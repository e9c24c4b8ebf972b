// The load: a fixed number of requests in flight or a steady rate, over kept connections, every answer checked.
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { type AnswerCheck, createAnswerCheck } from '../load/answer-check.ts';
import type { ClientOrder, ClientReport } from '../load/client-orders.ts';
import type { Interval } from '../load/collections.ts';
import { type Launch, pace, post, saturate } from '../load/drive.ts';
import { createLatencyHistogram } from '../load/latency-histogram.ts';
import { createLedgerAnswers } from '../load/ledger-answers.ts';
import { type Exchange, openTransport } from '../load/transports.ts';
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
  readonly exchange: Exchange;
  readonly check: AnswerCheck;
  nextSerial: number;
  /** Answers that go into requests to come. */
  readonly before: Map<number, unknown>;
}
const pools = new Map<string, Pool>();
const exchanges = new Map<string, Exchange>();
const matches = new Map<string, Match>();

async function findMatch({ workId, url, concurrency, dialect, transport }: ClientOrder): Promise<Match> {
  const key = `${url} ${workId}`;
  const known = matches.get(key);
  if (known) return known;
  const work = works.find(({ id }) => id === workId);
  if (!work) throw new Error(`there is no work ${workId}`);
  const pool = pools.get(url) ?? new Pool(url, { connections: concurrency, ...patience });
  pools.set(url, pool);
  const exchange = exchanges.get(url) ?? (await openTransport(pool, url, transport, concurrency));
  exchanges.set(url, exchange);
  const match = { work, pool, exchange, check: createAnswerCheck(work, dialect), nextSerial: 0, before: new Map() };
  matches.set(key, match);
  return match;
}

/** Asks what has to be asked before the requests of a slice. */
async function prepare(
  { dialect, concurrency, atLeastRequests, pacedAt }: ClientOrder,
  match: Match,
): Promise<ClientReport> {
  const { work, pool, before, nextSerial } = match;
  // Those in flight when the last one is due, and what a pace has due until that is noticed: a quarter of a second at most.
  const end = nextSerial + atLeastRequests + concurrency + Math.ceil((pacedAt ?? 0) / 4);
  let next = nextSerial;
  let fault: string | null = null;
  while (next < end && before.has(next)) next += 1;
  const launch: Launch = (_dueAt, onEnd) => {
    const serial = next;
    next += 1;
    const asked = work.before?.(dialect, serial) ?? null;
    if (asked === null) return onEnd();
    post(pool, asked, (status, chunks) => {
      const text = Buffer.concat(chunks).toString();
      if (status === 200 && !text.includes('"errors"')) before.set(serial, JSON.parse(text));
      else fault ??= `what was asked before: ${text.slice(0, 500)}`;
      onEnd();
    });
  };
  if (next < end && work.before?.(dialect, next))
    await saturate(concurrency, launch, () => fault !== null || next >= end);
  return { requests: next - nextSerial, elapsedMs: 0, bytes: 0, p50Ms: 0, p99Ms: 0, intervals: [], fault };
}

async function run(order: ClientOrder): Promise<ClientReport> {
  const match = await findMatch(order);
  if (order.isPreparing) return prepare(order, match);
  const { work, exchange, check } = match;
  const intervals: Interval[] = [];
  const latencies = createLatencyHistogram();
  const startedAt = performance.now();
  let requests = 0;
  let bytes = 0;
  let fault: string | null = null;

  const launch: Launch = (dueAt, onEnd) => {
    const serial = match.nextSerial;
    match.nextSerial += 1;
    requests += 1;
    const answer = match.before.get(serial);
    match.before.delete(serial);
    exchange(work.request(order.dialect, serial, answer), (status, chunks) => {
      const now = performance.now();
      latencies.add(now - dueAt);
      if (order.pacedAt !== null) intervals.push([performance.timeOrigin + dueAt, performance.timeOrigin + now]);
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
  const [p50Ms, p99Ms] = [latencies.quantile(0.5), latencies.quantile(0.99)];
  return { requests, elapsedMs, bytes, p50Ms, p99Ms, intervals, fault };
}

process.on('message', (order: ClientOrder) => {
  void run(order).then((report) => process.send?.({ kind: 'report', report }));
});
process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => {});
process.send?.({ kind: 'ready', url: '' });
