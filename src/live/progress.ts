import type { Clock } from './clock.ts';

/** A reader or a stream that makes no progress, and the reason. */
export interface Stall {
  readonly who: 'reader' | 'stream';
  readonly waitsFor: string;
  /** Milliseconds since it last made progress. */
  readonly forMs: number;
}

/** Records what a reader, or a stream that reads history, waits for. */
export class Progress {
  readonly #who: Stall['who'];
  readonly #now: () => number;
  #waitsFor: string | null = null;
  #sinceMs = 0;

  constructor(who: Stall['who'], { now }: Pick<Clock, 'now'>) {
    this.#who = who;
    this.#now = now;
  }

  /** `null` while it only waits for new items. */
  get stall(): Stall | null {
    if (this.#waitsFor === null) return null;
    return { who: this.#who, waitsFor: this.#waitsFor, forMs: Math.round(this.#now() - this.#sinceMs) };
  }

  waitFor(what: string): void {
    if (this.#waitsFor === null) this.#sinceMs = this.#now();
    this.#waitsFor = what;
  }

  advance(): void {
    this.#waitsFor = null;
  }
}

const everyMs = 1_000;
/** A stall is reported within 5 s. */
const stalledAfterMs = 4_000;
const reportEveryMs = 60_000;
const maxKinds = 64;

/** Limits reports to one a minute for each kind. */
export class OncePerMinute {
  readonly #now: () => number;
  readonly #atMs = new Map<string, number>();

  constructor({ now }: Pick<Clock, 'now'>) {
    this.#now = now;
  }

  isDue(kind: string): boolean {
    for (const [each, atMs] of this.#atMs) if (this.#now() - atMs >= reportEveryMs) this.#atMs.delete(each);
    if (this.#atMs.has(kind) || this.#atMs.size >= maxKinds) return false;
    this.#atMs.set(kind, this.#now());
    return true;
  }
}

/** Stalls of one kind, as they are reported. */
export interface StallReport extends Stall {
  /** Readers or streams that wait for the same. `forMs` is the longest of their times. */
  readonly count: number;
}

/** Reports each kind of stall that lasts 4 s, at most once a minute. @returns stops it */
export function watchStalls(
  clock: Clock,
  all: () => Iterable<Progress>,
  onStall: (report: StallReport) => void,
): () => void {
  const reports = new OncePerMinute(clock);
  const look = () => {
    stop = clock.after(everyMs, look);
    for (const report of countStalls(all())) if (reports.isDue(`${report.who} ${report.waitsFor}`)) onStall(report);
  };
  let stop = clock.after(everyMs, look);
  return () => stop();
}

function countStalls(all: Iterable<Progress>): Iterable<StallReport> {
  const kinds = new Map<string, StallReport>();
  for (const { stall } of all) {
    if (!stall || stall.forMs < stalledAfterMs) continue;
    const kind = `${stall.who} ${stall.waitsFor}`;
    const known = kinds.get(kind);
    if (!known && kinds.size >= maxKinds) continue;
    kinds.set(kind, { ...stall, count: (known?.count ?? 0) + 1, forMs: Math.max(known?.forMs ?? 0, stall.forMs) });
  }
  return kinds.values();
}
