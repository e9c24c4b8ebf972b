import { hash } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { MutationSponsorTransactionArgs } from '../generated/own.ts';
import type { GasPriceReader } from '../ledger/gas-price.ts';
import type { SimulatedCosts, TransactionSimulator } from '../ledger/simulate-transaction.ts';
import type { SponsorshipFacts } from '../telemetry/sponsorship-line.ts';
import { transactionDigest } from '../transactions/digest.ts';
import { toFullAddress } from '../transactions/ledger-bcs.ts';
import { outlineKind } from '../transactions/outline-transaction.ts';
import { type GasData, type TransactionForms, toTransactionBytes } from '../transactions/transaction-bcs.ts';
import type { Caller } from '../upstream/operation-context.ts';
import type { PolicyHook } from './policy-hook.ts';
import { checkKind, toRefusal, toSimulationError, toStorageDenial } from './preflight.ts';
import type { Reservation, ReservationOrder, Reservations } from './reservations.ts';
import {
  checkGasBudget,
  checkReserveDuration,
  parseAddressArgument,
  parseBase64Argument,
  parseIdempotencyKey,
  toUInt53,
} from './sponsor-fields.ts';
import { toAuditedReason } from './sponsor-policy.ts';

export interface SponsorTransactionOptions {
  readonly reservations: Reservations;
  readonly simulate: TransactionSimulator;
  readonly gasPrice: GasPriceReader;
  readonly hook: PolicyHook | null;
  readonly maxGasBudgetExclusive: Config['sponsorship']['maxGasBudgetExclusive'];
  readonly forms: TransactionForms;
  readonly audit: (event: SponsorshipFacts) => void;
  readonly now: () => number;
}

/** A transaction with its gas filled in, which its sender has not signed yet. */
export interface SponsoredTransaction {
  /** Base64 of the TransactionData. */
  readonly txBytes: string;
  readonly digest: string;
  readonly gasBudget: number;
  readonly gasPrice: number;
  readonly reservation: Reservation;
}

/** Time for a person to sign in a wallet. */
const usualReserveDurationSecs = 60;

/** Owns the gas in checks until the sponsor has told its address. */
const nobody = toFullAddress('0x0');

/**
 * Completes the kind of a transaction for its sender. Its rules are checked, and the ledger simulates it, before coins are
 * reserved. A repeat under an idempotency key gets the same bytes.
 */
export function createSponsorTransaction(options: SponsorTransactionOptions) {
  const { reservations, simulate, gasPrice, hook, maxGasBudgetExclusive, forms, audit, now } = options;
  /** As told with the last reservation. */
  let sponsor: string | null = null;

  return async (
    args: MutationSponsorTransactionArgs,
    asker: Pick<ReservationOrder, 'holder' | 'visitor' | 'cancellation' | 'send' | 'requestId'> & {
      readonly spender: Caller;
    },
  ): Promise<SponsoredTransaction> => {
    const { holder, visitor, spender: caller, cancellation, requestId } = asker;
    const idempotencyKey = parseIdempotencyKey(args.idempotencyKey);
    const { gasBudget: asked = null, reserveDurationSecs = null } = args;
    if (asked !== null) checkGasBudget(asked, maxGasBudgetExclusive);
    const durationSecs = reserveDurationSecs ?? usualReserveDurationSecs;
    checkReserveDuration(durationSecs);
    const sender = parseAddressArgument('sender', args.sender);
    const kind = parseBase64Argument('transactionKind', args.transactionKind);
    const outline = (gas: GasData) => outlineKind(kind, forms, { sender, gas });
    const check = (gas: GasData) => checkKind(outline(gas), sponsor, caller.policy, now());

    const { perTransaction = null } = caller.policy?.rules.gas ?? {};
    const most = asked ?? Math.min(maxGasBudgetExclusive - 1, perTransaction ?? Number.POSITIVE_INFINITY);
    const order: ReservationOrder = {
      ...asker,
      sender,
      gasBudget: most,
      reserveDurationSecs: durationSecs,
      asked: ['sponsorTransaction', hash('sha256', kind, 'base64url'), sender, asked, durationSecs],
      idempotencyKey,
    };
    const reservation = (await reservations.repeat(order)) ?? (await reserve());
    const gasPriceOfBytes = reservation.gasPrice ?? 0;
    const bytes = toTransactionBytes(kind, sender, toGasData(reservation, gasPriceOfBytes));
    const digest = transactionDigest(bytes);
    hook?.allow(caller, digest, reservation.expiresAtMs);
    const { gasBudget } = reservation;
    return { txBytes: bytes.toString('base64'), digest, gasBudget, gasPrice: gasPriceOfBytes, reservation };

    async function reserve(): Promise<Reservation> {
      const terms = await prepare().catch((error: unknown) => {
        const about = { caller: holder, leaseId: null, requestId, budget: asked, visitor, sender };
        audit({ event: 'declined', ...about, ...toAuditedReason(error) });
        throw error;
      });
      const reserved = await reservations.reserve({ ...order, ...terms });
      sponsor = toFullAddress(reserved.sponsorAddress);
      // Only now is it certain who pays, and with which coins.
      const finding = check(toGasData(reserved, terms.gasPrice));
      if (!finding) return reserved;
      const { argument, reason } = finding;
      const lost = `The reserved coins return to the sponsor when the reservation expires.`;
      throw gatewayError('BAD_USER_INPUT', `Argument "${argument}": ${reason}. ${lost}`, { argument });
    }

    async function prepare(): Promise<{ readonly gasBudget: number; readonly gasPrice: number }> {
      const free = { payment: [], price: 0n, budget: BigInt(most) };
      const finding = check({ ...free, owner: sponsor ?? nobody });
      if (finding) throw toRefusal(finding);
      const price = await gasPrice(cancellation);
      // Without payment, the ledger makes up a coin of the owner.
      const bytes = toTransactionBytes(kind, sender, { ...free, price, owner: sponsor ?? sender });
      const read = outline({ ...free, owner: sponsor ?? nobody });
      const subject = { caller, requestId, digest: null, gasBudget: asked };
      const [simulation, denial] = await Promise.all([
        simulate(bytes.toString('base64'), transactionDigest(bytes), cancellation),
        hook?.ask({ ...subject, outline: read.kind === 'known' ? read.outline : null }, 0),
      ]);
      const failure =
        toSimulationError('strict', simulation, 'transactionKind') ??
        toStorageDenial(caller.policy, simulation, 'transactionKind') ??
        denial;
      if (failure) throw failure;
      const costs = 'costs' in simulation ? simulation.costs : null;
      return { gasBudget: asked ?? toBudget(costs, price, most), gasPrice: toUInt53(String(price)) };
    }
  };
}

/**
 * The simulated computation and storage, a fifth more, and 1,000 units of gas, because shared objects change meanwhile. A rebate is
 * not deducted: some ledgers want the storage covered without it.
 */
function toBudget(costs: SimulatedCosts | null, price: bigint, most: number): number {
  if (costs === null) {
    const message =
      'The ledger did not tell the costs of its simulation. Nothing was sent to the sponsor: give a gasBudget.';
    throw gatewayError('UPSTREAM_BAD_RESPONSE', message, { upstream: 'ledger', argument: 'gasBudget' });
  }
  const needed = costs.computation + costs.storage;
  return Math.min(Number(needed + needed / 5n + 1_000n * price), most);
}

function toGasData({ sponsorAddress, gasCoins, gasBudget }: Reservation, gasPrice: number): GasData {
  const payment = gasCoins.map(({ objectId, version, digest }) => ({
    objectId: toFullAddress(objectId),
    version: toUInt53(version),
    digest,
  }));
  return { payment, owner: toFullAddress(sponsorAddress), price: BigInt(gasPrice), budget: BigInt(gasBudget) };
}
