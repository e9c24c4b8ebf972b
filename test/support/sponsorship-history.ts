import {
  type Paying,
  type SponsoredTransaction,
  toNewerForm,
  toSponsoredTransaction,
} from './sponsored-transaction.ts';
import type { Answered, CallerName, SponsorshipWorld } from './sponsorship-world.ts';

/** One `reserveGas` that was asked. */
export interface AskedReservation {
  readonly caller: CallerName;
  readonly budget: number;
  readonly key: string | null;
  /** `null`: nobody heard it. Absent: under way. */
  answer?: Answered | null;
}

export interface HeldLease extends Paying {
  readonly id: string;
  readonly owner: CallerName;
  readonly expiresAtMs: number;
}

/** One `executeTx` that was asked. */
export interface AskedExecution {
  readonly caller: CallerName;
  readonly lease: HeldLease;
  /** As it was written, which may be another's or made up. */
  readonly leaseText: string;
  readonly tx: SponsoredTransaction;
  readonly key: string | null;
  /** May it be sent, by the policy in force? */
  readonly isRight: boolean;
  readonly askedAtMs: number;
  answer?: Answered | null;
}

export const reserveMutation = `mutation Reserve($budget: UInt53!, $seconds: Int!, $key: String) {
  reserveGas(gasBudget: $budget, reserveDurationSecs: $seconds, idempotencyKey: $key) {
    reservationId sponsorAddress gasBudget gasCoins { objectId version digest } expiresAt state
  }
}`;
export const executeMutation = `mutation Execute($lease: ID!, $tx: Base64!, $sig: Base64!, $key: String) {
  executeTx(reservationId: $lease, txBytes: $tx, userSig: $sig, idempotencyKey: $key) { digest outcome }
}`;
export const reservationQuery =
  'query Look($lease: ID!) { reservation(reservationId: $lease) { reservationId state gasBudget } }';
export const allowanceQuery = '{ viewer { gas { limit remaining held } } }';

/** Everything that was asked in one run, and what came of it. */
export class SponsorshipHistory {
  readonly reservations: AskedReservation[] = [];
  readonly executions: AskedExecution[] = [];
  readonly leases: HeldLease[] = [];
  /** Did an instance end, or lose its store, at any time? */
  isDisturbed = false;
  /** Did any instance end that kept what it knew to itself? */
  hasForgotten = false;
  readonly #underWay = new Set<Promise<void>>();
  readonly #world: SponsorshipWorld;
  readonly #prefix: string;

  /** @param prefix makes its idempotency keys its own */
  constructor(world: SponsorshipWorld, prefix: string) {
    this.#world = world;
    this.#prefix = prefix;
  }

  /** Text of the key of this number. */
  keyOf(key: number | null): string | null {
    return key === null ? null : `${this.#prefix}-${key}`;
  }

  reserve(instance: number, caller: CallerName, budget: number, seconds: number, key: string | null): Promise<void> {
    const asked: AskedReservation = { caller, budget, key };
    this.reservations.push(asked);
    const variables = { budget, seconds, key };
    return this.#follow(this.#world.ask(instance, caller, reserveMutation, variables), (answer) => {
      asked.answer = answer;
      const given = answer?.data?.reserveGas as
        | (Paying & { reservationId: string; expiresAt: string })
        | null
        | undefined;
      if (!given || this.leases.some(({ id }) => id === given.reservationId)) return;
      const { reservationId: id, sponsorAddress, gasCoins, gasBudget, expiresAt } = given;
      this.leases.push({ id, owner: caller, sponsorAddress, gasCoins, gasBudget, expiresAtMs: Date.parse(expiresAt) });
    });
  }

  execute(instance: number, asked: Omit<AskedExecution, 'answer' | 'askedAtMs'>, leave?: AbortSignal): Promise<void> {
    const kept: AskedExecution = { ...asked, askedAtMs: this.#world.now() };
    this.executions.push(kept);
    const { leaseText: lease, tx, key, caller } = asked;
    const variables = { lease, tx: tx.txBytes, sig: tx.userSig, key };
    return this.#follow(this.#world.ask(instance, caller, executeMutation, variables, leave), (answer) => {
      kept.answer = answer;
    });
  }

  /** The same of all that was asked of `reserveGas`: a request for coins is not on its way for minutes. */
  async settleReservations(): Promise<void> {
    while (this.reservations.some(({ answer }) => answer === undefined)) await new Promise(setImmediate);
  }

  /** Resolves when everything that was asked is answered, or will never be. */
  async settle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #follow(answering: Promise<Answered | null>, hear: (answer: Answered | null) => void): Promise<void> {
    const following = answering.then(hear);
    this.#underWay.add(following);
    void following.finally(() => this.#underWay.delete(following));
    return following;
  }
}

/** Ways to ask for an execution: the first is the right one, the others pay with what the lease does not give, or may. */
export const wrongs = [
  'right',
  'another coin',
  'another owner',
  'over budget',
  'gives a gas coin away',
  'a form unknown here',
] as const;
export type Wrong = (typeof wrongs)[number];

/** Of these it cannot be told that they spend no more than is counted. */
export const uncounted: ReadonlySet<Wrong> = new Set(['over budget', 'gives a gas coin away', 'a form unknown here']);

/** @param number of the transaction among those of its lease */
export function toTransaction(lease: HeldLease, wrong: Wrong, number: number): SponsoredTransaction {
  const { gasCoins, sponsorAddress, gasBudget } = lease;
  const another = `0x${'c'.padStart(64, '0')}`;
  if (wrong === 'another coin')
    return toSponsoredTransaction(
      { ...lease, gasCoins: gasCoins.map((coin) => ({ ...coin, objectId: another })) },
      number,
    );
  if (wrong === 'another owner') return toSponsoredTransaction({ ...lease, sponsorAddress: another }, number);
  const over = wrong === 'over budget' ? gasBudget + 1 : gasBudget;
  const paying = { gasCoins, sponsorAddress, gasBudget: over };
  if (wrong === 'a form unknown here') return toNewerForm(toSponsoredTransaction(paying, number));
  return toSponsoredTransaction(paying, number, wrong === 'gives a gas coin away' ? gasCoins[0]?.objectId : undefined);
}
