import { setTimeout as delay } from 'node:timers/promises';
import { gatewayError } from '../../errors/gateway-error.ts';
import type { Cancellation } from '../../upstream/cancellation.ts';
import type { JoinAnswer } from './join-loader.ts';

/** Longest a join may wait for the ledger's indexer, in milliseconds. */
const maxWaitMs = 10_000;
const firstPauseMs = 50;
const longestPauseMs = 800;

/** @throws BAD_USER_INPUT for a time out of its range */
export function checkWaitMs(waitMs: unknown): number {
  const wait = typeof waitMs === 'number' ? waitMs : 0;
  if (wait >= 0 && wait <= maxWaitMs) return wait;
  throw gatewayError('BAD_USER_INPUT', `waitMs must be from 0 to ${maxWaitMs} milliseconds; got ${wait}.`, {
    argument: 'waitMs',
  });
}

/**
 * Asks until there is a value, an error, or no time left: the ledger indexes a transaction a moment after it
 * executed.
 * @param first the first answer, or a promise of it
 * @throws REQUEST_TIMEOUT when the operation ends before
 */
export async function awaitIndex(
  first: JoinAnswer | Error | Promise<JoinAnswer | Error>,
  again: () => Promise<JoinAnswer | Error>,
  waitMs: number,
  cancellation: Cancellation,
): Promise<JoinAnswer | Error> {
  const deadline = performance.now() + waitMs;
  let answer = await first;
  for (
    let pauseMs = firstPauseMs;
    !(answer instanceof Error) && answer.value === null && answer.errors.length === 0;
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
  ) {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) break;
    await delay(Math.min(pauseMs, leftMs), undefined, { signal: cancellation.signal }).catch(() => {
      throw gatewayError(
        'REQUEST_TIMEOUT',
        'The request ended while it waited for the ledger to index the transaction.',
        {
          upstream: 'ledger',
        },
      );
    });
    answer = await again();
  }
  return answer;
}
