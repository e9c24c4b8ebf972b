import type { Dispatcher, Pool } from 'undici';
import type { WorkRequest } from './work.ts';

/** How often a paced load looks what is due, in milliseconds. */
const tickMs = 1;

/** @param onEnd told the status, 0 where there was no answer, and the body, or what went wrong */
export function post(
  pool: Pool,
  { path, headers, body }: WorkRequest,
  onEnd: (status: number, chunks: readonly Buffer[]) => void,
): void {
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
  pool.dispatch({ method: body === null ? 'GET' : 'POST', path, headers, body }, handler);
}

/** Sends one request that was due at a moment of `performance.now()`, and calls back when its answer is there. */
export type Launch = (dueAt: number, onEnd: () => void) => void;

/** Keeps so many requests in flight until it is over; resolves when the last answer is in. */
export function saturate(concurrency: number, launch: Launch, isOver: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    let inFlight = 0;
    const next = () => {
      inFlight += 1;
      launch(performance.now(), () => {
        inFlight -= 1;
        if (!isOver()) next();
        else if (inFlight === 0) resolve();
      });
    };
    for (let index = 0; index < concurrency; index += 1) next();
  });
}

export interface Pace {
  /** Due by now and not sent yet. */
  behind(): number;
  /** No more requests; resolves when the last answer is in. */
  stop(): Promise<void>;
}

/** Sends requests at a steady rate, whether answers come or not; who is due while so many are in flight waits for his turn. */
export function pace(requestsPerSecond: number, mostInFlight: number, launch: Launch): Pace {
  const msPerRequest = 1_000 / requestsPerSecond;
  const startedAt = performance.now();
  let issued = 0;
  let inFlight = 0;
  let isStopped = false;
  let onIdle = () => {};
  const behind = () =>
    isStopped ? 0 : Math.max(0, Math.floor((performance.now() - startedAt) / msPerRequest) - issued);
  const issue = () => {
    for (let due = behind(); due > 0 && inFlight < mostInFlight; due -= 1) {
      inFlight += 1;
      launch(startedAt + issued * msPerRequest, onEnd);
      issued += 1;
    }
  };
  const onEnd = () => {
    inFlight -= 1;
    issue();
    if (isStopped && inFlight === 0) onIdle();
  };
  const timer = setInterval(issue, tickMs);
  return {
    behind,
    stop: () => {
      clearInterval(timer);
      isStopped = true;
      return new Promise((resolve) => {
        onIdle = resolve;
        if (inFlight === 0) resolve();
      });
    },
  };
}
