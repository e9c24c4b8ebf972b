/** Keeps this process from doing anything else: no timer fires and nothing is read meanwhile. */
export function holdLoop(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}
