// The load of a soak: all works by turns, at a steady rate, every answer checked.
import { Pool } from 'undici';
import { createAnswerCheck } from '../load/answer-check.ts';
import { type Launch, type Pace, pace, post, saturate } from '../load/drive.ts';
import { createLatencyHistogram } from '../load/latency-histogram.ts';
import { createLedgerAnswers } from '../load/ledger-answers.ts';
import { createWorks } from '../load/works.ts';
import { createExplainer } from '../soak/explain-errors.ts';
import { soakWeights, toSchedule } from '../soak/soak-mix.ts';
import type { SoakOrder, SoakReport } from '../soak/soak-orders.ts';

/** So many requests in flight, each on a connection of its own; more wait for their turn. */
const connections = 64;
/** Who has not answered by then has failed; in milliseconds. */
const patience = { headersTimeout: 120_000, bodyTimeout: 120_000 };
const maxFaults = 200;

const [, , url = ''] = process.argv;
const pool = new Pool(url, { connections, ...patience });
const works = createWorks(createLedgerAnswers(process.cwd())).map((work) => ({
  ...work,
  check: createAnswerCheck(work, 'graphql'),
  nextSerial: 0,
}));
type Turn = (typeof works)[number];
const schedule = toSchedule(soakWeights).map((id) => works.find((work) => work.id === id) as Turn);

const latencies = createLatencyHistogram();
const faults: string[] = [];
let turn = 0;
let requests = 0;
let errors = 0;
let reportedAt = performance.now();
let paced: Pace | null = null;
let explained: Record<string, number> = {};
const explainer = createExplainer();

const launch: Launch = (dueAt, onEnd) => {
  const work = schedule[turn] as Turn;
  turn = (turn + 1) % schedule.length;
  const serial = work.nextSerial;
  work.nextSerial += 1;
  const before = work.before?.('graphql', serial);
  const startedAt = performance.now();
  if (!before) return ask(work, serial, { dueAt, startedAt }, onEnd);
  post(pool, before, (status, chunks) => {
    const code = explainer.explain(status, chunks, startedAt);
    const answer = parse(Buffer.concat(chunks).toString());
    const isFailed = code !== null || answer === null || (answer as { errors?: unknown }).errors !== undefined;
    if (!isFailed) return ask(work, serial, { dueAt, startedAt }, onEnd, answer);
    requests += 1;
    if (code !== null) countExplained(code);
    else noteError(`${work.id} at its first request`, `status ${status}`, chunks, startedAt);
    onEnd();
  });
};

interface Times {
  readonly dueAt: number;
  readonly startedAt: number;
}

function ask(work: Turn, serial: number, { dueAt, startedAt }: Times, onEnd: () => void, answer?: unknown): void {
  post(pool, work.request('graphql', serial, answer), (status, chunks) => {
    requests += 1;
    latencies.add(performance.now() - dueAt);
    const fault = work.check.findFault(serial, status, chunks);
    const code = fault === null ? null : explainer.explain(status, chunks, startedAt);
    if (code !== null) countExplained(code);
    else if (fault !== null) noteError(work.id, fault, chunks, startedAt);
    onEnd();
  });
}

function noteError(what: string, fault: string, chunks: readonly Buffer[], startedAt: number): void {
  errors += 1;
  if (faults.length >= maxFaults) return;
  const text = Buffer.concat(chunks).toString('utf8', 0, 20_000);
  const messages = text.slice(Math.max(0, text.indexOf('"errors":'))).slice(0, 500);
  const tookMs = (performance.now() - startedAt).toFixed(0);
  const at = new Date().toISOString();
  faults.push(`${at} ${what} after ${tookMs} ms, ${explainer.describe()}: ${fault.slice(0, 100)}: ${messages}`);
}

function countExplained(code: string): void {
  explained[code] = (explained[code] ?? 0) + 1;
}

/** @returns `null` for a text that is not JSON */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function report(): SoakReport {
  const now = performance.now();
  const elapsedMs = now - reportedAt;
  const p50Ms = latencies.quantile(0.5);
  const behind = paced?.behind() ?? 0;
  const report = { requests, elapsedMs, errors, explained, faults, p50Ms, p99Ms: latencies.quantile(0.99), behind };
  requests = 0;
  errors = 0;
  explained = {};
  reportedAt = now;
  latencies.clear();
  return report;
}

async function obey(order: SoakOrder): Promise<SoakReport> {
  if (order.kind === 'saturate') {
    report();
    const endsAt = performance.now() + order.atLeastMs;
    const isOver = () => performance.now() >= endsAt && requests >= order.atLeastRequests;
    await saturate(connections / 2, launch, isOver);
  }
  if (order.kind === 'report') explainer.failing(order.faulty);
  if (order.kind === 'pace') paced = pace(order.requestsPerSecond, connections, launch);
  if (order.kind === 'stop') await paced?.stop();
  return report();
}

process.on('message', (order: SoakOrder) => {
  void obey(order).then((report) => process.send?.(report));
});
process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => {});
process.send?.({ kind: 'ready', url: '' });
