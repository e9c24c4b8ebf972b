import type { NetworkProfile } from '../config/network-profile.ts';
import type { Secret } from '../config/secret.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import type { SponsorAnswer } from './refusals/sponsor-answer.ts';
import { checkAfterMs, lookItUp } from './refusals/sponsor-refusal.ts';
import {
  createSponsorCalls,
  type SponsorCall,
  type SponsorCalls,
  type SponsorCallsOptions,
  toldFacts,
} from './sponsor-calls.ts';
import {
  readDeepHealth,
  readEffects,
  readExecution,
  readHealth,
  readReloadResult,
  readReservation,
  readVersion,
  type WireEffects,
  type WireObjectRef,
} from './wire.ts';

export interface ReserveGasInput {
  /** In the ledger's smallest unit, already checked. */
  readonly gasBudget: number;
  /** Already checked. */
  readonly reserveDurationSecs: number;
}

export interface SponsorReservation {
  /** The sponsor's own number, exact decimal text. */
  readonly rawReservationId: string;
  readonly sponsorAddress: string;
  /** `version` is exact decimal text. */
  readonly gasCoins: readonly WireObjectRef[];
}

export interface ExecuteTxInput {
  /** Decimal text of a u64, already checked: it is written into the request as it is. */
  readonly rawReservationId: string;
  /** What the caller knows it by, told with every error. */
  readonly reservationId: string;
  /** Canonical base64. */
  readonly txBytes: string;
  readonly userSig: string;
  readonly requestType: 'waitForEffectsCert' | 'waitForLocalExecution';
  /** Of `txBytes`; the sponsor's answer must be about this transaction. */
  readonly digest: string;
}

export interface SponsorExecution extends SponsorEffects {
  readonly digest: string;
  /** False when it ran and failed; gas was paid either way. */
  readonly succeeded: boolean;
}

export interface SponsorEffects {
  /** `null` when they are not of a form known here; the verdict above stands. */
  readonly effects: WireEffects | null;
  /** As sent; whole numbers beyond 2^53-1 as decimal text. */
  readonly rawEffects: unknown;
}

type Ask<Result> = (authorization: Secret | null, cancellation: Cancellation) => Promise<Result>;
type Send<Input, Result> = (input: Input, ...rest: Parameters<Ask<Result>>) => Promise<Result>;

/**
 * The sponsor as the gateway sees it. Every method takes the whole `Authorization` header to send, `null` for none, and the
 * operation's cancellation: a read is cut by it; what may move money is not begun after it, and runs on once it was sent.
 * Each rejects with an error that is meant for the client.
 */
export interface SponsorClient {
  readonly health: Ask<'OK'>;
  readonly version: Ask<string>;
  /** Reserves coins and signs: not a probe. */
  readonly debugHealthCheck: Ask<{ readonly ok: boolean; readonly message: string }>;
  readonly reserveGas: Send<ReserveGasInput, SponsorReservation>;
  /** @param late where it is rejected because time is up though it was sent: told how it ended after all */
  readonly executeTx: (
    input: ExecuteTxInput,
    authorization: Secret | null,
    cancellation: Cancellation,
    late?: (ended: Promise<SponsorExecution>) => void,
  ) => Promise<SponsorExecution>;
  readonly reloadAccessController: Ask<{ readonly result: string }>;
}

export interface SponsorClientOptions extends SponsorCallsOptions {
  /** How the network spells the key that says what an execution waits for. */
  readonly requestTypeKey: NetworkProfile['sponsor']['requestTypeKey'];
}

/** Speaks to the sponsor's HTTP service. */
export function createSponsorClient(options: SponsorClientOptions): SponsorClient {
  const calls = createSponsorCalls(options);
  const { ask, read, note, refuse } = calls;
  return {
    health: (authorization, cancellation) => read({ endpoint: 'health', authorization, cancellation }, readHealth),

    version: (authorization, cancellation) => read({ endpoint: 'version', authorization, cancellation }, readVersion),

    async debugHealthCheck(authorization, cancellation) {
      const asked = { endpoint: 'debugHealthCheck', authorization, cancellation } as const;
      const answer = await ask(asked);
      const health = readDeepHealth(answer);
      if (health === 'ok') return { ok: true, message: 'OK' };
      if (health !== 'failed') return refuse(asked, answer);
      note('failed-health-check', asked, answer);
      return { ok: false, message: 'The sponsor failed its own health check.' };
    },

    async reserveGas(input, authorization, cancellation) {
      const body = reserveGasBody(input);
      const wire = await read({ endpoint: 'reserveGas', authorization, cancellation, body }, readReservation);
      return {
        rawReservationId: wire.reservation_id,
        sponsorAddress: wire.sponsor_address,
        gasCoins: wire.gas_coins,
      };
    },

    async executeTx(input, authorization, cancellation, late) {
      const { digest, reservationId, rawReservationId } = input;
      const facts = { digest, reservationId, rawReservationId };
      const body = executeTxBody(input, options.requestTypeKey);
      const asked: SponsorCall = {
        endpoint: 'executeTx',
        authorization,
        cancellation,
        facts,
        body,
        late: (readAnswer) =>
          late?.(new Promise((resolve) => resolve(toExecution(calls, asked, readAnswer(), digest)))),
      };
      return toExecution(calls, asked, await ask(asked), digest);
    },

    async reloadAccessController(authorization, cancellation) {
      const asked = { endpoint: 'reloadAccessController', authorization, cancellation } as const;
      return { result: await read(asked, readReloadResult) };
    },
  };
}

/** @throws an error meant for the client where the answer does not tell that it ran */
function toExecution(
  { note, refuse }: SponsorCalls,
  asked: SponsorCall,
  answer: SponsorAnswer,
  digest: string,
): SponsorExecution {
  const execution = readExecution(answer) ?? refuse(asked, answer);
  // Effects of another transaction say nothing about this one, and "bad response, try again" would be the wrong advice.
  if (execution.transactionDigest !== digest) {
    note('digest-mismatch', asked, answer);
    const message = `The sponsor answered with the effects of another transaction. ${lookItUp}`;
    throw gatewayError('EXECUTION_OUTCOME_UNKNOWN', message, { ...toldFacts(asked), checkAfterMs });
  }
  const effects = readEffects(execution.raw);
  if (!effects) note('unreadable-effects', asked, answer);
  return { digest, succeeded: execution.succeeded, effects, rawEffects: execution.raw };
}

function reserveGasBody({ gasBudget, reserveDurationSecs }: ReserveGasInput): string {
  return JSON.stringify({ gas_budget: gasBudget, reserve_duration_secs: reserveDurationSecs });
}

/** The reservation id goes in digit by digit: it is a u64, and a JavaScript number would round it. */
function executeTxBody(input: ExecuteTxInput, requestTypeKey: string): string {
  const rest = JSON.stringify({
    tx_bytes: input.txBytes,
    user_sig: input.userSig,
    [requestTypeKey]: input.requestType,
  });
  return `{"reservation_id":${input.rawReservationId},${rest.slice(1)}`;
}
