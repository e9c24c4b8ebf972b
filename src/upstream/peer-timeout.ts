import { sharedTurns } from './fair-turns.ts';

/** Milliseconds by which a timer may be late although the event loop was not blocked. */
const usualDelayMs = 50;

/**
 * Calls `expired` if a peer has not answered within `ms`. Timers fire before sockets are read, so after a blocked event loop
 * an answer may have arrived unread. Therefore the peer gets as much more time as the timer was late, at most `ms`, and one
 * more turn of the event loop, which reads everything that has arrived. Thousands that end together expire in several turns.
 * @param expired a function of its own
 * @returns cancels the timeout; safe to call twice
 */
export function startPeerTimeout(ms: number, expired: () => void): () => void {
  const { deliveries } = sharedTurns;
  const dueMs = performance.now() + ms;
  let immediate: NodeJS.Immediate | undefined;
  const expireAfterReading = () => {
    immediate = setImmediate(() => deliveries.add(expired));
  };
  let timer = setTimeout(() => {
    const lateMs = performance.now() - dueMs;
    if (lateMs > usualDelayMs) timer = setTimeout(expireAfterReading, Math.min(lateMs, ms));
    else expireAfterReading();
  }, ms);
  return () => {
    clearTimeout(timer);
    if (!immediate) return;
    clearImmediate(immediate);
    deliveries.remove(expired);
  };
}
