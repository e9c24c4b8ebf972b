// The load: a fixed number of requests in flight over kept connections, every answer checked.
import { type Dispatcher, Pool } from 'undici';
import { type AnswerCheck, createAnswerCheck } from '../load/answer-check.ts';
import type { ClientOrder, ClientReport } from '../load/client-orders.ts';
import { createLedgerAnswers } from '../load/ledger-answers.ts';
import { createWorks, type WorkRequest } from '../load/works.ts';

const works = createWorks(createLedgerAnswers(process.cwd()));
/** Who has not answered by then is not measured any further; in milliseconds. */
const patience = { headersTimeout: 30_000, bodyTimeout: 30_000 };
const pools = new Map<string, Pool>();
const checks = new Map<string, AnswerCheck>();
/** Goes on where the last slice of a work ended, so that variants keep rotating. */
const nextVariant = new Map<string, number>();

function kept<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}

function run(order: ClientOrder): Promise<ClientReport> {
  const work = works.find(({ id }) => id === order.workId);
  if (!work) throw new Error(`there is no work ${order.workId}`);
  const pool = kept(pools, order.url, () => new Pool(order.url, { connections: order.concurrency, ...patience }));
  const key = `${order.contestant} ${order.workId}`;
  const check = kept(checks, key, () => createAnswerCheck(work, order.dialect));
  const requests = Array.from({ length: order.variants }, (_, variant) => work.request(order.dialect, variant));
  const begin = nextVariant.get(key) ?? 0;

  return new Promise((resolve) => {
    const startedAt = performance.now();
    let issued = 0;
    let done = 0;
    let bytes = 0;
    let fault: string | null = null;

    const isOver = () =>
      fault !== null || (issued >= order.atLeastRequests && performance.now() - startedAt >= order.atLeastMs);
    const launch = () => {
      const variant = (begin + issued) % order.variants;
      issued += 1;
      send(pool, requests[variant] as WorkRequest, (status, chunks) => {
        done += 1;
        for (const chunk of chunks) bytes += chunk.length;
        fault ??= check.findFault(variant, status, chunks);
        if (!isOver()) launch();
        else if (done === issued) {
          nextVariant.set(key, (begin + issued) % order.variants);
          resolve({ requests: done, elapsedMs: performance.now() - startedAt, bytes, fault });
        }
      });
    };
    for (let index = 0; index < order.concurrency; index += 1) launch();
  });
}

type OnAnswer = (status: number, chunks: readonly Buffer[]) => void;

function send(pool: Pool, { path, headers, body }: WorkRequest, onAnswer: OnAnswer): void {
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
    onResponseEnd: () => onAnswer(status, chunks),
    onResponseError: (_controller, error) => onAnswer(0, [Buffer.from(String(error))]),
  };
  pool.dispatch({ method: 'POST', path, headers, body }, handler);
}

process.on('message', (order: ClientOrder) => {
  void run(order).then((report) => process.send?.({ kind: 'report', report }));
});
process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => {});
process.send?.({ kind: 'ready', url: '' });
