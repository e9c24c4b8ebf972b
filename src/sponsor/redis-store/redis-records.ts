import { type Change, type Member, portion, type Records } from '../store/draft.ts';

/** A record as it is in Redis. The version changes with each write. */
interface Loaded {
  readonly version: string;
  readonly value: object;
}

/** What is to be read from Redis. */
export interface Wanted {
  readonly names: ReadonlySet<string>;
  readonly sets: ReadonlySet<string>;
  readonly scores: ReadonlyMap<string, readonly [set: string, member: string]>;
  readonly isRunWanted: boolean;
}

interface LoadedSet {
  readonly members: readonly Member[];
  /** There are no other members. */
  readonly isWhole: boolean;
}

/**
 * The records that some steps read, and the changes of these steps on top. What was not read yet is noted as wanted and counts as
 * absent: then the result of the steps is void.
 */
export class RedisRecords implements Records {
  readonly #records = new Map<string, Loaded | null>();
  readonly #sets = new Map<string, LoadedSet>();
  readonly #scores = new Map<string, number | null>();
  #run: string | null = null;
  #changed = new Map<string, object | null>();
  #changedSets = new Map<string, LoadedSet>();
  #changedScores = new Map<string, number | null>();
  #names = new Set<string>();
  #wantedSets = new Set<string>();
  #wantedScores = new Map<string, readonly [set: string, member: string]>();
  #isRunWanted = false;

  /** Forgets all changes: the steps are decided again. */
  restart(): void {
    this.#changed = new Map();
    this.#changedSets = new Map();
    this.#changedScores = new Map();
    this.#names = new Set();
    this.#wantedSets = new Set();
    this.#wantedScores = new Map();
    this.#isRunWanted = false;
  }

  /** `null`: everything was there. */
  get wanted(): Wanted | null {
    const wanted = {
      names: this.#names,
      sets: this.#wantedSets,
      scores: this.#wantedScores,
      isRunWanted: this.#isRunWanted,
    };
    const size = this.#names.size + this.#wantedSets.size + this.#wantedScores.size;
    return size > 0 || this.#isRunWanted ? wanted : null;
  }

  /** What the steps were decided upon. */
  get read(): { readonly run: string | null; readonly versions: ReadonlyMap<string, string | null> } {
    const versions = new Map([...this.#records].map(([name, record]) => [name, record?.version ?? null]));
    return { run: this.#run, versions };
  }

  load(name: string, text: string | null): void {
    const space = text?.indexOf(' ') ?? 0;
    const record = text === null ? null : { version: text.slice(0, space + 1), value: JSON.parse(text.slice(space)) };
    this.#records.set(name, record);
  }

  loadSet(set: string, members: readonly Member[]): void {
    this.#sets.set(set, { members, isWhole: members.length < portion });
  }

  loadScore(set: string, member: string, score: number | null): void {
    this.#scores.set(toScoreName(set, member), score);
  }

  loadRun(run: string): void {
    this.#run = run;
  }

  get run(): string {
    if (this.#run === null) this.#isRunWanted = true;
    return this.#run ?? '';
  }

  get(name: string): object | null {
    const changed = this.#changed.get(name);
    if (changed !== undefined) return changed;
    const record = this.#records.get(name);
    if (record === undefined) this.#names.add(name);
    return record?.value ?? null;
  }

  first(set: string): readonly Member[] {
    const loaded = this.#changedSets.get(set) ?? this.#sets.get(set);
    if (!loaded) this.#wantedSets.add(set);
    return loaded?.members.slice(0, portion) ?? [];
  }

  score(set: string, member: string): number | null {
    const name = toScoreName(set, member);
    const changed = this.#changedScores.get(name);
    if (changed !== undefined) return changed;
    const loaded = this.#scores.get(name);
    if (loaded !== undefined) return loaded;
    const known = this.#sets.get(set);
    const score = known?.members.find((other) => other.member === member)?.score;
    if (score !== undefined) return score;
    if (!known?.isWhole) this.#wantedScores.set(name, [set, member]);
    return null;
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.kind === 'put') this.#changed.set(change.name, change.value);
      else if (change.kind === 'delete') this.#changed.set(change.name, null);
      else this.#move(change.set, change.member, change.kind === 'add' ? change.score : null);
    }
  }

  #move(set: string, member: string, score: number | null): void {
    this.#changedScores.set(toScoreName(set, member), score);
    const before = this.#changedSets.get(set) ?? this.#sets.get(set);
    if (!before) return;
    const members = before.members.filter((other) => other.member !== member);
    const last = members.at(-1)?.score ?? Number.NEGATIVE_INFINITY;
    // Between the last known member and this one there may be others.
    if (score !== null && (before.isWhole || score <= last)) {
      members.push({ member, score });
      members.sort((one, other) => one.score - other.score);
    }
    this.#changedSets.set(set, { members, isWhole: before.isWhole });
  }
}

function toScoreName(set: string, member: string): string {
  return `${set}\n${member}`;
}
