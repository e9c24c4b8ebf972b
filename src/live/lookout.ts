import type { Watch } from './keep-watch.ts';
import type { LiveSource } from './live-source.ts';

/** Looks in a row that bring what nobody told of, before whoever should tell is doubted: he may be a little slower. */
const mostUntold = 2;

/** What a reader knows of those who would tell it that there is something to read. */
export class Lookout {
  readonly #source: LiveSource<unknown>;
  readonly #onHint: () => void;
  #watch: Watch | null = null;
  #isUp = false;
  #isHinted = false;
  #untold = 0;

  /** @param onHint called when it is worth looking; many times, perhaps */
  constructor(source: LiveSource<unknown>, onHint: () => void) {
    this.#source = source;
    this.#onHint = onHint;
  }

  /** Would somebody tell? */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Was something told since the last look began? */
  get isHinted(): boolean {
    return this.#isHinted;
  }

  start(): void {
    this.#watch ??=
      this.#source.watch?.({
        news: () => this.#hint(),
        isUp: (isUp) => {
          this.#isUp = isUp;
          // What happened while nobody listened is looked for at once; and once nobody does any more, looks are frequent again.
          this.#hint();
        },
      }) ?? null;
  }

  stop(): void {
    this.#watch?.stop();
    this.#watch = null;
    this.#isUp = false;
    this.#isHinted = false;
    this.#untold = 0;
  }

  /** A look begins: what is told from now on may not be in it. */
  beginLook(): void {
    if (this.#isHinted) this.#untold = 0;
    this.#isHinted = false;
  }

  /** A look has ended. */
  looked(isNews: boolean): void {
    if (!this.#isUp || !isNews) return;
    this.#untold += 1;
    if (this.#untold <= mostUntold) return;
    this.#untold = 0;
    this.#watch?.doubt();
  }

  #hint(): void {
    this.#isHinted = true;
    this.#onHint();
  }
}
