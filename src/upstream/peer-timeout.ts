/** Milliseconds that a timer may be late without the event loop having been held up. */
const usualDelayMs = 50;

/**
 * Calls `expired` when a peer has not answered within `ms`. A timer that fires after this process was busy says nothing about
 * the peer: timers fire before sockets are read, so the answer may have arrived and be unread. Hence one more turn of the
 * event loop, in which everything that has arrived is read, and as much more time as the timer was late, at most `ms`.
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
