/** What a look at the board shows. */
export interface Sight {
  /** Who reads the query for all. */
  readonly leader: 'me' | 'other' | 'nobody';
  /** The newest entry; `null` = there is none. */
  readonly tail: string | null;
  /** How far the entries go: the name of the newest item, `null` = there is no item, `undefined` = that is not known yet. */
  readonly front: string | null | undefined;
  /** How often it was asked for a look at the upstream, and up to which of those the entries answer. */
  readonly asked: number;
  readonly caught: number;
  /** Those behind the entry that was asked for, oldest first. */
  readonly entries: readonly BoardEntry[];
}

export interface BoardEntry {
  /** Never given twice, and greater with each entry. */
  readonly id: string;
  /** The one before it; `null` = it was the first. */
  readonly behind: string | null;
  readonly text: string;
}

/** What a leader adds. */
export interface NewEntry {
  readonly text: string;
  /** How far the entries go with it, as in `Sight`. */
  readonly front: string | null | undefined;
}

/** A lead that was taken. Nobody who had it before can add anything from then on. */
export interface Lead {
  /** Greater than those before. */
  readonly token: string;
  /** Of the entry that it began with. */
  readonly id: string;
  readonly asked: number;
}

/** One query on the board, for one of those who follow it. Each step is one round trip and is taken whole or not at all. */
export interface BoardQuery {
  /**
   * Looks around.
   * @param behind entries from there; `null` = none are wanted
   * @param lead goes on for the time of a lease. `null` = this one does not lead, and keeps nobody from it that has a lease yet
   */
  look(behind: string | null, lead: Pick<Lead, 'token'> | null): Promise<Sight>;
  /** Takes the lead and begins with an entry. @returns `null` if another has it */
  lead(opening: NewEntry): Promise<Lead | null>;
  /**
   * Adds an entry, and drops the oldest ones beyond so many bytes.
   * @param behind the newest entry there is, as far as the leader knows
   * @returns its id; `null` if the lead is another's, or `behind` is not the newest
   */
  add(lead: Pick<Lead, 'token'>, behind: string, entry: NewEntry, mostBytes: number): Promise<string | null>;
  /** Asks the leader to look at the upstream. @returns which one of all such wishes it is */
  ask(): Promise<number>;
  /** Says that the entries have what a look brought that began after this wish. */
  answer(lead: Pick<Lead, 'token'>, asked: number): Promise<void>;
  /** Hears no more, and gives the lead back. */
  leave(): Promise<void>;
}

/** Where the processes of a fleet tell one another what they read. Steps reject while it is away. */
export interface Board {
  /** @param ring called when somebody told, asked or left something: it is worth a look */
  open(query: string, ring: (why: 'told' | 'asked' | 'left') => void): BoardQuery;
  /** Waits until what was given back is. */
  close(): Promise<void>;
}
