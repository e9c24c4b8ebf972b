import { Backlog } from './backlog.ts';

const bits = 32;

/**
 * Which of consecutive sequence numbers match: a bit each, because every filter that somebody follows has one of these over
 * all that its reader keeps.
 */
export class MatchLog {
  /** The first number that it speaks of. */
  readonly first: number;
  /** The first word begins with `first`. */
  readonly #words = new Backlog<number>();
  #start: number;
  #end: number;
  #dropped = 0;

  constructor(first: number) {
    this.first = first;
    this.#start = first;
    this.#end = first;
  }

  /** Behind the last number that is known. */
  get end(): number {
    return this.#end;
  }

  /** How many of the numbers that were dropped matched. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Adds what is true of the number at the end. */
  add(isMatch: boolean): void {
    const place = this.#end - this.first;
    if (place % bits === 0) this.#words.add(0);
    if (isMatch) {
      const word = Math.floor(place / bits);
      this.#words.set(word, (this.#words.at(word) ?? 0) | (1 << (place % bits)));
    }
    this.#end += 1;
  }

  /** Drops all numbers before this one. */
  dropBefore(sequence: number): void {
    for (const last = Math.min(sequence, this.#end); this.#start < last; this.#start += 1) {
      if (this.#has(this.#start)) this.#dropped += 1;
      if ((this.#start - this.first) % bits === bits - 1) this.#words.dropOldest();
    }
  }

  /** The first number from this one on that matches; the end if there is none. */
  next(from: number): number {
    let place = Math.max(from, this.#start) - this.first;
    const end = this.#end - this.first;
    while (place < end) {
      const rest = (this.#words.at(Math.floor(place / bits)) ?? 0) >>> (place % bits);
      // The number of zeros at the end of the rest.
      if (rest !== 0) return this.first + place + 31 - Math.clz32(rest & -rest);
      place += bits - (place % bits);
    }
    return this.#end;
  }

  /** How many match before this number, the dropped ones included. */
  countBefore(sequence: number): number {
    let count = this.#dropped;
    for (let at = this.next(this.#start); at < Math.min(sequence, this.#end); at = this.next(at + 1)) count += 1;
    return count;
  }

  #has(sequence: number): boolean {
    const place = sequence - this.first;
    return (((this.#words.at(Math.floor(place / bits)) ?? 0) >>> (place % bits)) & 1) === 1;
  }
}
