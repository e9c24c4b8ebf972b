/** Blocks the event loop of this process: no timer fires and no socket is read. */
export function holdLoop(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}
