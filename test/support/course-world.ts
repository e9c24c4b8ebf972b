import { hash } from 'node:crypto';
import { gatewayError } from '../../src/errors/gateway-error.ts';
import type { FoundTransaction, PayingCoin } from '../../src/ledger/find-transaction.ts';
import type { SponsorVerdict } from '../../src/sponsor/execution/execution-order.ts';
import type { ReservedCoins } from '../../src/sponsor/reservations.ts';
import { DoubtfulRefusal, InconclusiveResponse } from '../../src/sponsor/sponsor-refusal.ts';
import type { Random } from './course-random.ts';

/** Milliseconds that a client waits for a mutation. */
export const mutationMs = 2_000;
/** A ledger node shows a transaction at the latest this long after it ran: sooner than a doubtful rejection is believed. */
const longestLagMs = 400;

interface Coin {
  version: number;
  reservedUntilMs: number;
}

export interface ChainEntry {
  readonly succeeded: boolean;
  readonly gasUsed: number;
  readonly shownFromMs: number;
}

export interface CourseTransaction {
  readonly digest: string;
  readonly coin: PayingCoin;
  /** The sponsor's number of the reservation. */
  readonly number: string;
}

export const executeManners = [
  ...['says it', 'says it', 'says it', 'says it late', 'loses the answer', 'loses the answer, runs later'],
  ...['loses the answer, never runs', 'refuses', 'refuses in doubt', 'refuses in doubt, ran', 'denies', 'denies, ran'],
  ...['cannot be reached', 'throws', 'throws, ran'],
] as const;
export type ExecuteManner = (typeof executeManners)[number];

export const ledgerManners = ['knows', 'knows', 'knows', 'fails', 'hangs', 'has no such field'] as const;

type Report = (verdict: SponsorVerdict) => void;

/** A sponsor and its ledger, in virtual time. A coin pays for one transaction at each of its versions. */
export class CourseLedger {
  nowMs = 0;
  manner: (typeof ledgerManners)[number] = 'knows';
  readonly chain = new Map<string, ChainEntry>();
  /** What the sponsor received, by its number. */
  readonly received = new Map<
    string,
    { readonly digest: string; readonly isUnsent: boolean; readonly atMs: number }[]
  >();
  readonly #coins = new Map<string, Coin>();
  readonly #spent = new Set<string>();
  readonly #later: { readonly atMs: number; readonly act: () => void }[] = [];
  readonly #random: Random;
  #numbers = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Reserves the coin whose last reservation expired first, at its present version. */
  reserve(seconds: number): ReservedCoins {
    const free = [...this.#coins].find(([, coin]) => coin.reservedUntilMs <= this.nowMs);
    const [objectId, coin] = free ?? [`0x${this.#coins.size + 1}`, { version: 1, reservedUntilMs: 0 }];
    coin.reservedUntilMs = this.nowMs + seconds * 1_000;
    this.#coins.set(objectId, coin);
    this.#numbers += 1;
    const gasCoins = [{ objectId, version: String(coin.version), digest: `coin-${coin.version}` }];
    return { rawReservationId: String(this.#numbers), sponsorAddress: `0x${'a'.repeat(64)}`, gasCoins };
  }

  /** Another transaction uses each coin: what has not run never will. */
  spendAllCoins(): void {
    for (const coin of this.#coins.values()) coin.version += 1;
  }

  /** @returns what the sponsor says at once, if anything */
  execute(sent: CourseTransaction, manner: ExecuteManner, gasUsed: number, report: Report): void {
    const { digest, number } = sent;
    const note = { digest, isUnsent: manner === 'cannot be reached', atMs: this.nowMs };
    this.received.set(number, [...(this.received.get(number) ?? []), note]);
    const lost = (isOver = true): SponsorVerdict => ({
      event: 'lost',
      error: saidError('EXECUTION_OUTCOME_UNKNOWN'),
      isOver,
    });
    const succeeded = this.#random.chance(0.8);
    const run = () => this.#run(sent, succeeded, gasUsed);
    const told = (): SponsorVerdict => {
      const ran = run();
      if (!ran) return { event: 'refused', error: saidError('SPONSOR_REJECTED') };
      return { event: 'executed', succeeded, gasUsed, effects: { effects: null, rawEffects: { digest } } };
    };
    const soon = (act: () => void, withinMs = 1_500) =>
      this.#later.push({ atMs: this.nowMs + this.#random.below(withinMs), act });
    // Each number is accepted once.
    if (this.#spent.has(number) && manner !== 'cannot be reached') {
      soon(() => report({ event: 'refused', error: saidError('RESERVATION_NOT_FOUND') }));
      return;
    }
    if (manner !== 'cannot be reached') this.#spent.add(number);
    switch (manner) {
      case 'says it':
        return void soon(() => report(told()));
      case 'says it late':
        this.#later.push({ atMs: this.nowMs + mutationMs, act: () => report(lost(false)) });
        return void this.#later.push({
          atMs: this.nowMs + mutationMs + this.#random.below(mutationMs),
          act: () => {
            const isTold = this.#random.chance(0.5);
            run();
            report(isTold ? told() : lost());
          },
        });
      case 'loses the answer':
        return void soon(() => {
          run();
          report(lost());
        });
      case 'loses the answer, runs later':
        this.#later.push({ atMs: this.nowMs + this.#random.below(90_000), act: run });
        return void soon(() => report(lost()));
      case 'loses the answer, never runs':
        return void soon(() => report(lost()));
      case 'refuses':
        return void soon(() => report({ event: 'refused', error: saidError('SPONSOR_REJECTED') }));
      case 'refuses in doubt':
      case 'refuses in doubt, ran': {
        if (manner === 'refuses in doubt, ran') run();
        const options = { originalError: new DoubtfulRefusal() };
        return void soon(() =>
          report({ event: 'refused', error: gatewayError('SPONSOR_REJECTED', 'stale', {}, options) }),
        );
      }
      case 'denies':
      case 'denies, ran':
        if (manner === 'denies, ran') run();
        return void soon(() => report({ event: 'refused', error: saidError('RESERVATION_NOT_FOUND') }));
      case 'cannot be reached':
        return void soon(() => report({ event: 'unsent', error: saidError('UPSTREAM_UNAVAILABLE') }));
      case 'throws, ran':
        run();
        throw new TypeError('a fault of the gateway');
      case 'throws':
        throw new TypeError('a fault of the gateway');
    }
  }

  /** Lets what is due happen. */
  advance(ms: number): void {
    this.nowMs += ms;
    for (const due of this.#later.filter(({ atMs }) => atMs <= this.nowMs)) {
      this.#later.splice(this.#later.indexOf(due), 1);
      due.act();
    }
  }

  get isBusy(): boolean {
    return this.#later.length > 0;
  }

  canFind = (): boolean => this.manner !== 'has no such field';

  find = async (digest: string): Promise<FoundTransaction | null> => {
    await this.#answer();
    const entry = this.chain.get(digest);
    return entry && entry.shownFromMs <= this.nowMs ? { gasUsed: entry.gasUsed } : null;
  };

  isDead = async (digest: string, { objectId, version }: PayingCoin): Promise<boolean> => {
    await this.#answer();
    return !this.chain.has(digest) && (this.#coins.get(objectId)?.version ?? 0) > Number(version);
  };

  async #answer(): Promise<void> {
    if (this.manner === 'knows') return;
    if (this.manner === 'hangs')
      await new Promise<void>((resolve) => this.#later.push({ atMs: this.nowMs + 1_000, act: resolve }));
    throw new Error('the ledger is away');
  }

  #run({ digest, coin: { objectId, version } }: CourseTransaction, succeeded: boolean, gasUsed: number): boolean {
    const coin = this.#coins.get(objectId);
    if (!coin || String(coin.version) !== version) return this.chain.has(digest);
    coin.version += 1;
    this.chain.set(digest, { succeeded, gasUsed, shownFromMs: this.nowMs + this.#random.below(longestLagMs) });
    return true;
  }
}

export type SaidCode =
  | 'SPONSOR_REJECTED'
  | 'RESERVATION_NOT_FOUND'
  | 'EXECUTION_OUTCOME_UNKNOWN'
  | 'UPSTREAM_UNAVAILABLE'
  | 'SPONSOR_EXHAUSTED';

export function saidError(code: SaidCode, mayHaveRun = false) {
  const options = mayHaveRun ? { originalError: new InconclusiveResponse() } : {};
  return gatewayError(code, `the sponsor said ${code}`, {}, options);
}

export function toBodyHash(...parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
