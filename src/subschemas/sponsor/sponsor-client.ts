import type { Secret } from '../../config/secret.ts';
import type { Cancellation } from '../../transport/cancellation.ts';
import type { WireEffects, WireObjectRef } from './wire.ts';

export interface ReserveGasInput {
  /** In the ledger's smallest unit, already checked. */
  readonly gasBudget: number;
  /** Already checked. */
  readonly reserveDurationSecs: number;
}

export interface SponsorReservation {
  /** The sponsor's own number, exact decimal text. */
  readonly reservationId: string;
  readonly sponsorAddress: string;
  /** `version` is exact decimal text. */
  readonly gasCoins: readonly WireObjectRef[];
}

export interface ExecuteTxInput {
  /** Decimal text of a u64, already checked: it is written into the request as it is. */
  readonly reservationId: string;
  /** Canonical base64. */
  readonly txBytes: string;
  readonly userSig: string;
  readonly requestType: 'waitForEffectsCert' | 'waitForLocalExecution';
  /** Of `txBytes`; the sponsor's answer must be about this transaction. */
  readonly digest: string;
}

export interface SponsorExecution {
  readonly digest: string;
  /** False when it ran and failed; gas was paid either way. */
  readonly succeeded: boolean;
  /** `null` when they are not of a form known here; the verdict above stands. */
  readonly effects: WireEffects | null;
  /** As sent; whole numbers beyond 2^53-1 as decimal text. */
  readonly rawEffects: unknown;
}

/**
 * The sponsor as the gateway sees it. Every method takes the whole `Authorization` header to send, `null` for none, and the
 * operation's cancellation: a read is cut by it, anything else is not begun after it, and runs on once it was sent. It
 * rejects with an error that is meant for the client.
 */
export interface SponsorClient {
  health(authorization: Secret | null, cancellation: Cancellation): Promise<'OK'>;
  version(authorization: Secret | null, cancellation: Cancellation): Promise<string>;
  /** Reserves coins and signs: not a probe. */
  debugHealthCheck(
    authorization: Secret | null,
    cancellation: Cancellation,
  ): Promise<{ readonly ok: boolean; readonly message: string }>;
  reserveGas(
    input: ReserveGasInput,
    authorization: Secret | null,
    cancellation: Cancellation,
  ): Promise<SponsorReservation>;
  executeTx(input: ExecuteTxInput, authorization: Secret | null, cancellation: Cancellation): Promise<SponsorExecution>;
  reloadAccessController(
    authorization: Secret | null,
    cancellation: Cancellation,
  ): Promise<{ readonly result: string }>;
}
