import {
  type Paying,
  type SponsoredTransaction,
  toNewerForm,
  toSponsoredTransaction,
} from './sponsored-transaction.ts';
import type { Answered, CallerName, SponsorshipWorld } from './sponsorship-world.ts';

/** One `reserveGas` call. */
export interface AskedReservation {
  readonly caller: CallerName;
  readonly budget: number;
  readonly key: string | null;
  /** `null`: no response arrived. Absent: in flight. */
  answer?: Answered | null;
}

export interface HeldLease extends Paying {
  readonly id: string;
  readonly owner: CallerName;
  readonly expiresAtMs: number;
}

/** One `executeTx` call. */
export interface AskedExecution {
  readonly caller: CallerName;
  readonly lease: HeldLease;
  /** As sent: may be another caller's, or invented. */
  readonly leaseText: string;
  readonly tx: SponsoredTransaction;
  readonly key: string | null;
  /** Does the policy in force allow it to be sent? */
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

/** All calls of one run and their results. */
export class SponsorshipHistory {
  readonly reservations: AskedReservation[] = [];
  readonly executions: AskedExecution[] = [];
  readonly leases: HeldLease[] = [];
  /** Did an instance stop, or lose its store, at any time? */
  isDisturbed = false;
  /** Did an instance with a store of its own stop? */
  hasForgotten = false;
  readonly #underWay = new Set<Promise<void>>();
  readonly #world: SponsorshipWorld;
  readonly #prefix: string;

  /** @param prefix makes its idempotency keys unique */
  constructor(world: SponsorshipWorld, prefix: string) {
    this.#world = world;
    this.#prefix = prefix;
  }

  /** The idempotency key of this number. */
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

  /** The same for all `reserveGas` calls: they take no minutes. */
  async settleReservations(): Promise<void> {
    while (this.reservations.some(({ answer }) => answer === undefined)) await new Promise(setImmediate);
  }

  /** Resolves when every call has its response, or will never get one. */
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

/**
 * Ways to build a transaction: the first is correct, the others pay with something that the lease does not contain, or might
 * not.
 */
export const wrongs = [
  'right',
  'another coin',
  'another owner',
  'over budget',
  'gives a gas coin away',
  'a form unknown here',
] as const;
export type Wrong = (typeof wrongs)[number];

/** The preflight cannot prove that these spend no more than is counted. */
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
