// The load of a soak: all works by turns, at a steady rate, every answer checked.
import { type Dispatcher, Pool } from 'undici';
import { createAnswerCheck } from '../load/answer-check.ts';
import { createLedgerAnswers } from '../load/ledger-answers.ts';
import { createWorks, type WorkRequest } from '../load/works.ts';
import { createLatencyHistogram } from '../soak/latency-histogram.ts';
import { soakWeights, toSchedule } from '../soak/soak-mix.ts';
import type { SoakOrder, SoakReport } from '../soak/soak-orders.ts';

/** So many requests in flight, each on a connection of its own; more wait for their turn. */
const connections = 64;
/** Who has not answered by then has failed; in milliseconds. */
const patience = { headersTimeout: 30_000, bodyTimeout: 30_000 };
/** How often a paced load looks what is due, in milliseconds. */
const tickMs = 4;
const maxFaults = 10;

const [, , url = '', variantCount = ''] = process.argv;
const variants = Number(variantCount);
const pool = new Pool(url, { connections, ...patience });
const works = createWorks(createLedgerAnswers(process.cwd())).map((work) => ({
  id: work.id,
  check: createAnswerCheck(work, 'graphql'),
  requests: Array.from({ length: variants }, (_, variant) => work.request('graphql', variant)),
  nextVariant: 0,
}));
type Turn = (typeof works)[number];
const schedule = toSchedule(soakWeights).map((id) => works.find((work) => work.id === id) as Turn);

const latencies = createLatencyHistogram();
const faults: string[] = [];
let turn = 0;
let inFlight = 0;
let requests = 0;
let errors = 0;
let reportedAt = performance.now();
/** Called after each answer. */
let onAnswer = () => {};
let behind = () => 0;
let stopPacing = () => {};

function launch(dueAt: number): void {
  const work = schedule[turn] as Turn;
  turn = (turn + 1) % schedule.length;
  const variant = work.nextVariant;
  work.nextVariant = (variant + 1) % variants;
  inFlight += 1;
  post(work.requests[variant] as WorkRequest, (status, chunks) => {
    inFlight -= 1;
    requests += 1;
    latencies.add(performance.now() - dueAt);
    const fault = work.check.findFault(variant, status, chunks);
    if (fault !== null) {
      errors += 1;
      if (faults.length < maxFaults) faults.push(`${work.id}: ${fault}`);
    }
    onAnswer();
  });
}

function post(request: WorkRequest, onEnd: (status: number, chunks: readonly Buffer[]) => void): void {
  const chunks: Buffer[] = [];
  let status = 0;
  const handler: Dispatcher.DispatchHandler = {
    // By this one undici tells a handler of this form from the older one.
    onRequestStart: () => {},
    onResponseStart: (_controller, statusCode) => {
      status = statusCode;
    },
    onResponseData: (_controller, chunk) => {
      chunks.push(chunk);
    },
    onResponseEnd: () => onEnd(status, chunks),
    onResponseError: (_controller, error) => onEnd(0, [Buffer.from(String(error))]),
  };
  pool.dispatch({ ...request, method: 'POST' }, handler);
}

function saturate(atLeastMs: number, atLeastRequests: number): Promise<void> {
  return new Promise((resolve) => {
    const endsAt = performance.now() + atLeastMs;
    onAnswer = () => {
      const now = performance.now();
      if (now < endsAt || requests < atLeastRequests) launch(now);
      else if (inFlight === 0) resolve();
    };
    for (let index = 0; index < connections / 2; index += 1) launch(performance.now());
  });
}

function pace(requestsPerSecond: number): void {
  const msPerRequest = 1_000 / requestsPerSecond;
  const startedAt = performance.now();
  let issued = 0;
  behind = () => Math.max(0, Math.floor((performance.now() - startedAt) / msPerRequest) - issued);
  const issue = () => {
    for (let due = behind(); due > 0 && inFlight < connections; due -= 1) {
      launch(startedAt + issued * msPerRequest);
      issued += 1;
    }
  };
  onAnswer = issue;
  const timer = setInterval(issue, tickMs);
  stopPacing = () => {
    clearInterval(timer);
    behind = () => 0;
  };
}

function drained(): Promise<void> {
  stopPacing();
  return new Promise((resolve) => {
    onAnswer = () => inFlight === 0 && resolve();
    onAnswer();
  });
}

function report(): SoakReport {
  const now = performance.now();
  const elapsedMs = now - reportedAt;
  const p50Ms = latencies.quantile(0.5);
  const report = { requests, elapsedMs, errors, faults, p50Ms, p99Ms: latencies.quantile(0.99), behind: behind() };
  requests = 0;
  errors = 0;
  reportedAt = now;
  latencies.clear();
  return report;
}

async function obey(order: SoakOrder): Promise<SoakReport> {
  if (order.kind === 'saturate') {
    report();
    await saturate(order.atLeastMs, order.atLeastRequests);
  }
  if (order.kind === 'pace') pace(order.requestsPerSecond);
  if (order.kind === 'stop') await drained();
  return report();
}

process.on('message', (order: SoakOrder) => {
  void obey(order).then((report) => process.send?.(report));
});
process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => {});
process.send?.({ kind: 'ready', url: '' });
