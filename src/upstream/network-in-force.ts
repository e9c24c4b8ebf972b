/** What an upstream says about its network. */
export interface NetworkReport {
  /** How new its data is: a number that grows, such as its last checkpoint; `null` if it does not say. */
  readonly newest: number | null;
  /** Identifies its network; `null` if it does not say. */
  readonly network: string | null;
}

/** A node may lag. A network that was reset begins again at its first checkpoint. */
const minResetBy = 1_000;

/** Is the newest data so much older than before that the network was reset? */
export function isReset(before: number | null, newest: number | null): boolean {
  return before !== null && newest !== null && before - newest > minResetBy && newest < before / 2;
}

/**
 * The network that an upstream serves. An era ends when another network, or the same one after a reset, takes its place: what
 * was read before is then of another network.
 */
export class NetworkInForce {
  #era = 0;
  #network: string | null = null;
  #newest: number | null = null;
  readonly #listeners: (() => void)[] = [];

  get era(): number {
    return this.#era;
  }

  /** Calls back at the beginning of each further era. */
  onNewEra(begun: () => void): void {
    this.#listeners.push(begun);
  }

  /** @returns the era of the report */
  report({ network, newest }: NetworkReport): number {
    const isOther = network !== null && this.#network !== null && network !== this.#network;
    const isNew = isOther || isReset(this.#newest, newest);
    this.#network = network ?? this.#network;
    this.#newest = newest ?? this.#newest;
    if (isNew) {
      this.#era += 1;
      for (const begun of this.#listeners) begun();
    }
    return this.#era;
  }
}
