// Loaded before a process's own modules: counts what the garbage collector does, and tells it on a signal. Not by messages,
// since a gateway that has a channel to its parent is a worker.
import { writeSync } from 'node:fs';
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { type Collections, collectionsFile, collectionsSignal, type Interval } from '../load/collections.ts';

let scavenges = 0;
let markCompacts = 0;
let pauses: Interval[] = [];
/** Nobody asks for so many. */
const mostPauses = 50_000;

function count(entries: readonly PerformanceEntry[]): void {
  for (const { startTime, duration, detail } of entries) {
    const { kind } = detail as { readonly kind: number };
    if (kind === constants.NODE_PERFORMANCE_GC_MINOR) scavenges += 1;
    else if (kind === constants.NODE_PERFORMANCE_GC_MAJOR) markCompacts += 1;
    else continue;
    const from = performance.timeOrigin + startTime;
    if (pauses.length < mostPauses) pauses.push([from, from + duration]);
  }
}

const observer = new PerformanceObserver((list) => count(list.getEntries()));
observer.observe({ entryTypes: ['gc'] });

process.on(collectionsSignal, () => {
  count(observer.takeRecords());
  const collections: Collections = { scavenges, markCompacts, pauses };
  [scavenges, markCompacts, pauses] = [0, 0, []];
  writeSync(collectionsFile, `${JSON.stringify(collections)}\n`);
});
