/**
 * The entries of one query, shared by the processes of a fleet, and a lease: only its holder may write. Each call is atomic and
 * one round trip; all reject while the store is away.
 */
export interface LeasedLog {
  /**
   * @param after reads the entries behind this one; `null` reads the newest entry alone
   * @param renew extends the lease if this process holds it
   */
  read(after: string | null, renew: boolean): Promise<LogView>;
  /**
   * Takes the lease, or keeps it, and replaces all entries with one.
   * @returns the id of the entry; `null` if another process holds the lease
   */
  lead(opening: string): Promise<string | null>;
  /**
   * Adds an entry and drops the oldest beyond `maxEntries`.
   * @returns its id; `null` if this process does not hold the lease, or `after` is not the newest entry
   */
  append(after: string, entry: string, maxEntries: number): Promise<string | null>;
  /** Requests that the holder of the lease polls, and answers with an entry that contains this text. */
  ask(ask: string): Promise<void>;
  /** Releases the lease, and stops listening. */
  leave(): Promise<void>;
}

export interface LogView {
  readonly leader: 'me' | 'other' | 'nobody';
  /** Id of the newest entry; `null` = there is none. */
  readonly newest: string | null;
  /** Oldest first; a bounded number at once. */
  readonly entries: readonly LogEntry[];
}

export interface LogEntry {
  /** Unique, and greater than those of earlier entries. */
  readonly id: string;
  /** Id of the entry before it; `null` = it was the first. */
  readonly behind: string | null;
  readonly text: string;
}

/** @param ask empty unless a process asked for a poll */
export type OnLogChange = (ask: string) => void;

export interface LeasedLogs {
  /** @param onChange called when a process wrote an entry, released the lease, or requested a poll; may be missed */
  open(query: string, onChange: OnLogChange): LeasedLog;
  /** Waits until all leases are released. */
  close(): Promise<void>;
}
