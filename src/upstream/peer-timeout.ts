/** Milliseconds by which a timer may be late although the event loop was not blocked. */
const usualDelayMs = 50;

/**
 * Calls `expired` when a peer has not answered within `ms`. Timers fire before sockets are read, so after a blocked event loop
 * the answer may have arrived and be unread. Hence the peer gets as much more time as the timer was late, at most `ms`, and one
 * more turn of the event loop, in which everything that has arrived is read.
 * @returns stops waiting; safe to call twice
 */
export function startPeerTimeout(ms: number, expired: () => void): () => void {
  const dueMs = performance.now() + ms;
  let immediate: NodeJS.Immediate | undefined;
  const expireAfterReading = () => {
    immediate = setImmediate(expired);
  };
  let timer = setTimeout(() => {
    const lateMs = performance.now() - dueMs;
    if (lateMs > usualDelayMs) timer = setTimeout(expireAfterReading, Math.min(lateMs, ms));
    else expireAfterReading();
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}
