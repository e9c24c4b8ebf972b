/** What an upstream says about its network. */
export interface NetworkReport {
  /** How new its data is: a number that grows, such as its last checkpoint; `null` if it does not say. */
  readonly newest: number | null;
  /** Time of the newest data in milliseconds since the Unix epoch. Left out or `null`: it does not say. */
  readonly newestMs?: number | null;
  /** Identifies its network; `null` if it does not say. */
  readonly network: string | null;
}

type Height = Pick<NetworkReport, 'newest' | 'newestMs'>;

/** Without times: a node may lag, and a network that was reset begins again at its first checkpoint. */
const minResetBy = 1_000;

/**
 * Was the network reset between two reports? Numbers and times of a network grow together: a lower number at a later time is of
 * another history, and one at an earlier time is of a node that lags, however far.
 */
export function isReset(before: Height, after: Height): boolean {
  if (before.newest === null || after.newest === null) return false;
  const [beforeMs, afterMs] = [before.newestMs ?? null, after.newestMs ?? null];
  if (beforeMs !== null && afterMs !== null) return after.newest < before.newest && afterMs > beforeMs;
  return before.newest - after.newest > minResetBy && after.newest < before.newest / 2;
}

/**
 * The network that an upstream serves. An era ends when another network, or the same one after a reset, takes its place: what
 * was read before is then of another network.
 */
export class NetworkInForce {
  #era = 0;
  #network: string | null = null;
  #highest: Height = { newest: null };
  readonly #listeners: (() => void)[] = [];

  get era(): number {
    return this.#era;
  }

  /** Calls back at the beginning of each further era. */
  onNewEra(begun: () => void): void {
    this.#listeners.push(begun);
  }

  /** @returns the era of the report */
  report({ network, ...height }: NetworkReport): number {
    const isOther = network !== null && this.#network !== null && network !== this.#network;
    const isNew = isOther || isReset(this.#highest, height);
    this.#network = network ?? this.#network;
    // A node that lags does not make the network older.
    if (isNew || (height.newest ?? -1) >= (this.#highest.newest ?? -1)) this.#highest = height;
    if (isNew) {
      this.#era += 1;
      for (const begun of this.#listeners) begun();
    }
    return this.#era;
  }
}
