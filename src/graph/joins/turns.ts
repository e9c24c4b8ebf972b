import { setImmediate as nextTurn } from 'node:timers/promises';

/** So many join fields are put in place at once, which takes some milliseconds; then it is others' turn. */
const fieldsPerTurn = 500;

/** Spreads what is done for thousands of fields over several turns of the event loop, in their order. */
export class Turns {
  #fields = 0;
  #turn: Promise<unknown> | null = null;

  /** What the next field has to wait for; `null` = nothing. */
  next(): Promise<unknown> | null {
    this.#fields += 1;
    if (this.#fields % fieldsPerTurn === 0) this.#turn = this.#turn?.then(() => nextTurn()) ?? nextTurn();
    return this.#turn;
  }
}
