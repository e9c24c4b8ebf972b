import { type Change, type Member, portion, type Records } from '../store/draft.ts';

/** Something that Redis is asked. */
export type Question =
  | { readonly about: 'record'; readonly name: string }
  | { readonly about: 'set'; readonly name: string }
  | { readonly about: 'score'; readonly name: string; readonly member: string }
  | { readonly about: 'run'; readonly name: RunPart };

/** Sections of Redis' `INFO` that tell its runs apart. */
type RunPart = (typeof runParts)[number];
const runParts = ['server', 'replication'] as const;

/** A record, with the version that changes with each write; `null`: there is none. */
interface Loaded {
  readonly version: string | null;
  readonly value: object | null;
}

interface LoadedSet {
  readonly members: readonly Member[];
  /** There are no other members. */
  readonly isWhole: boolean;
}

/** What Redis answered, and the changes of the steps on top. */
class Layer<Value> {
  readonly read = new Map<string, Value>();
  changed = new Map<string, Value>();

  get(name: string): Value | undefined {
    return this.changed.get(name) ?? this.read.get(name);
  }
}

/**
 * The records that some steps read, and the changes of these steps on top. What was not read yet is noted as wanted and counts as
 * absent: then the result of the steps is void.
 */
export class RedisRecords implements Records {
  readonly load = { leases: 0, bytes: 0, callers: 0 };
  readonly #records = new Layer<Loaded>();
  readonly #sets = new Layer<LoadedSet>();
  readonly #scores = new Layer<{ readonly score: number | null }>();
  readonly #run = new Map<RunPart, string>();
  #wanted = new Map<string, Question>();
  /** Records that the steps depend on. Some were read because others were not there yet. */
  #used = new Set<string>();

  /** Forgets all changes: the steps are decided again. */
  restart(): void {
    for (const layer of [this.#records, this.#sets, this.#scores]) layer.changed = new Map();
    this.#wanted = new Map();
    this.#used = new Set();
  }

  /** Empty: everything was there. */
  get wanted(): readonly Question[] {
    return [...this.#wanted.values()];
  }

  /** What the steps were decided upon. */
  get read(): { readonly run: string | null; readonly versions: ReadonlyMap<string, string | null> } {
    const read = [...this.#records.read].filter(([name]) => this.#used.has(name));
    const versions = new Map(read.map(([name, { version }]) => [name, version]));
    return { run: this.#run.size === 0 ? null : this.run, versions };
  }

  loadRecord(name: string, text: string | null): void {
    const space = text?.indexOf(' ') ?? 0;
    const version = text?.slice(0, space + 1) ?? null;
    this.#records.read.set(name, { version, value: text === null ? null : JSON.parse(text.slice(space)) });
  }

  loadSet(set: string, members: readonly Member[]): void {
    this.#sets.read.set(set, { members, isWhole: members.length < portion });
  }

  loadScore(set: string, member: string, score: number | null): void {
    this.#scores.read.set(toScoreName(set, member), { score });
  }

  loadRun(part: RunPart, id: string): void {
    this.#run.set(part, id);
  }

  get run(): string {
    if (this.#run.size === 0) for (const name of runParts) this.#wanted.set(name, { about: 'run', name });
    return runParts.map((part) => this.#run.get(part)).join(':');
  }

  get(name: string): object | null {
    const record = this.#records.get(name);
    this.#used.add(name);
    if (!record) this.#wanted.set(name, { about: 'record', name });
    return record?.value ?? null;
  }

  first(set: string, untilMs = Number.POSITIVE_INFINITY): readonly Member[] {
    const loaded = this.#sets.get(set);
    if (!loaded) this.#wanted.set(set, { about: 'set', name: set });
    return loaded?.members.slice(0, portion).filter(({ score }) => score <= untilMs) ?? [];
  }

  score(set: string, member: string): number | null {
    const id = toScoreName(set, member);
    const loaded = this.#scores.get(id);
    if (loaded) return loaded.score;
    const known = this.#sets.read.get(set);
    const score = known?.members.find((other) => other.member === member)?.score ?? null;
    if (score === null && !known?.isWhole) this.#wanted.set(id, { about: 'score', name: set, member });
    return score;
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if ('set' in change) this.#move(change.set, change.member, change.kind === 'add' ? change.score : null);
      else
        this.#records.changed.set(change.name, { version: null, value: change.kind === 'put' ? change.value : null });
    }
  }

  #move(set: string, member: string, score: number | null): void {
    this.#scores.changed.set(toScoreName(set, member), { score });
    const before = this.#sets.get(set);
    if (!before) return;
    const members = before.members.filter((other) => other.member !== member);
    const last = members.at(-1)?.score ?? Number.NEGATIVE_INFINITY;
    // Between the last known member and this one there may be others.
    if (score !== null && (before.isWhole || score <= last)) {
      members.push({ member, score });
      members.sort((one, other) => one.score - other.score);
    }
    this.#sets.changed.set(set, { members, isWhole: before.isWhole });
  }
}

function toScoreName(set: string, member: string): string {
  return `${set}\n${member}`;
}
