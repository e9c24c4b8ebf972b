/** Of an answer that tells events as they happen. Whether its connection is kept is for the HTTP server to say. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream',
  // Nobody keeps it, and nobody between compresses it: what compresses collects first.
  'cache-control': 'private, no-store, no-transform',
  // Proxies that collect answers would hold back each event until others fill their buffer.
  'x-accel-buffering': 'no',
};
