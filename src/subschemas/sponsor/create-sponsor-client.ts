import { isHeaderValue } from '../../config/header-value.ts';
import type { NetworkProfile } from '../../config/network-profile.ts';
import type { Secret } from '../../config/secret.ts';
import { gatewayError } from '../../errors/gateway-error.ts';
import type { Cancellation } from '../../transport/cancellation.ts';
import type { UpstreamCall, UpstreamResponse } from '../../transport/upstream-call.ts';
import { UpstreamCallError } from '../../transport/upstream-call-error.ts';
import { checkAfterMs, toLostAnswerError } from './lost-answer.ts';
import { redact, withoutCredential } from './redact.ts';
import { type SponsorAnswer, toSponsorAnswer } from './sponsor-answer.ts';
import type { ExecuteTxInput, ReserveGasInput, SponsorClient } from './sponsor-client.ts';
import { type SponsorEndpoint, sponsorEndpoints } from './sponsor-endpoint.ts';
import { lookItUp, toSponsorRefusal } from './sponsor-refusal.ts';
import { toOutcomeText } from './to-outcome-text.ts';
import {
  readDeepHealth,
  readEffects,
  readExecution,
  readHealth,
  readReloadResult,
  readReservation,
  readVersion,
} from './wire.ts';

/** Something the operator should see and the client must not, or does not. */
export interface SponsorObservation {
  readonly endpoint: SponsorEndpoint;
  /** `null` where no answer came. */
  readonly status: number | null;
  readonly what: 'unknown-text' | 'failed-health-check' | 'digest-mismatch' | 'unreadable-effects' | 'unheard-outcome';
  /** Of an execution. */
  readonly digest?: string;
  readonly reservationId?: string;
  /** Secrets redacted, at most 2,000 characters. */
  readonly text: string;
}

export interface SponsorClientOptions {
  readonly call: UpstreamCall;
  /** Path of the sponsor's address, with or without a slash at its end; `''` or `/` for none. */
  readonly basePath: string;
  /** How the network spells the key that says what an execution waits for. */
  readonly requestTypeKey: NetworkProfile['sponsor']['requestTypeKey'];
  readonly timeouts: { readonly queryMs: number; readonly mutationMs: number };
  /** Called for every text that is kept from the client. Must not throw. */
  readonly observe: (observation: SponsorObservation) => void;
}

interface Call {
  readonly endpoint: SponsorEndpoint;
  readonly authorization: Secret | null;
  readonly cancellation: Cancellation;
  readonly facts?: { readonly digest: string; readonly reservationId: string };
  readonly body?: string;
}

const maxShownLength = 500;
const maxObservedLength = 2_000;

/**
 * Speaks to the sponsor's HTTP service. Nothing is ever retried: a reservation made twice locks coins twice, and an
 * execution is not idempotent. Health and version are cut short when their operation ends. What may move money is not begun
 * after that, and once it was sent it runs to its end: if nobody waits any more, the operator is told how it ended.
 */
export function createSponsorClient(options: SponsorClientOptions): SponsorClient {
  const { call, requestTypeKey, timeouts, observe } = options;
  const basePath = options.basePath.replace(/\/+$/, '');

  function ask(asked: Call): Promise<SponsorAnswer> {
    const { endpoint, authorization, facts, body, cancellation } = asked;
    const { method, path } = sponsorEndpoints[endpoint];
    if (authorization && !isHeaderValue(authorization.reveal())) {
      return Promise.reject(gatewayError('UNAUTHENTICATED', 'The credential cannot be sent to the sponsor.'));
    }
    const isRead = endpoint === 'health' || endpoint === 'version';
    const noteLeft = (outcome: UpstreamResponse | UpstreamCallError) => {
      if (!isRead && cancellation.cause === 'aborted') noteUnheard(asked, outcome);
    };
    return call({
      method,
      path: basePath + path,
      headers: toHeaders(authorization, body !== undefined),
      ...(body === undefined ? {} : { body }),
      timeoutMs: isRead ? timeouts.queryMs : timeouts.mutationMs,
      runOnMs: isRead ? undefined : timeouts.mutationMs,
      cancellation,
      late: (outcome) => noteUnheard(asked, outcome),
    }).then(
      (response) => {
        noteLeft(response);
        return withoutCredential(toSponsorAnswer(response), authorization);
      },
      (error: unknown) => {
        // One that is given up for its time runs on, and is noted at its end.
        if (error instanceof UpstreamCallError && error.mayHaveArrived && error.failure !== 'timeout') noteLeft(error);
        throw toLostAnswerError(endpoint, error, { upstream: 'sponsor', ...facts });
      },
    );
  }

  /** Those who asked are answered, or gone. */
  function noteUnheard({ endpoint, authorization, facts }: Call, outcome: UpstreamResponse | UpstreamCallError): void {
    const isLost = outcome instanceof UpstreamCallError;
    const answer = isLost ? null : withoutCredential(toSponsorAnswer(outcome), authorization);
    const text = answer ? toOutcomeText(endpoint, answer, facts?.digest) : `No answer: ${(outcome as Error).message}.`;
    observe({
      endpoint,
      status: answer?.status ?? null,
      what: 'unheard-outcome',
      ...facts,
      text: redact(text, authorization, maxObservedLength),
    });
  }

  function note(
    what: SponsorObservation['what'],
    { endpoint, authorization }: Pick<Call, 'endpoint' | 'authorization'>,
    { status, text }: SponsorAnswer,
  ): void {
    observe({ endpoint, status, what, text: redact(text, authorization, maxObservedLength) });
  }

  function refuse(asked: Call, answer: SponsorAnswer): never {
    const { code, message, own, unknown } = toSponsorRefusal(asked.endpoint, answer);
    if (unknown) note('unknown-text', asked, answer);
    throw gatewayError(code, own ? redact(message, asked.authorization, maxShownLength) : message, {
      upstream: 'sponsor',
      ...asked.facts,
      ...(code === 'EXECUTION_OUTCOME_UNKNOWN' ? { checkAfterMs } : {}),
    });
  }

  function read<Result>(asked: Call, toResult: (answer: SponsorAnswer) => Result | null): Promise<Result> {
    return ask(asked).then((answer) => toResult(answer) ?? refuse(asked, answer));
  }

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
        reservationId: wire.reservation_id,
        sponsorAddress: wire.sponsor_address,
        gasCoins: wire.gas_coins,
      };
    },

    async executeTx(input, authorization, cancellation) {
      const { digest, reservationId } = input;
      const asked: Call = {
        endpoint: 'executeTx',
        authorization,
        cancellation,
        facts: { digest, reservationId },
        body: executeTxBody(input, requestTypeKey),
      };
      const answer = await ask(asked);
      const execution = readExecution(answer) ?? refuse(asked, answer);
      // Effects of another transaction say nothing about this one, and "bad response, try again" would be the wrong advice.
      if (execution.transactionDigest !== digest) {
        note('digest-mismatch', asked, answer);
        const message = `The sponsor answered with the effects of another transaction. ${lookItUp}`;
        throw gatewayError('EXECUTION_OUTCOME_UNKNOWN', message, {
          upstream: 'sponsor',
          ...asked.facts,
          checkAfterMs,
        });
      }
      const effects = readEffects(execution.raw);
      if (!effects) note('unreadable-effects', asked, answer);
      return { digest, succeeded: execution.succeeded, effects, rawEffects: execution.raw };
    },

    async reloadAccessController(authorization, cancellation) {
      const asked = { endpoint: 'reloadAccessController', authorization, cancellation } as const;
      return { result: await read(asked, readReloadResult) };
    },
  };
}

function toHeaders(authorization: Secret | null, hasBody: boolean): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json, text/plain' };
  if (hasBody) headers['content-type'] = 'application/json';
  if (authorization) headers.authorization = authorization.reveal();
  return headers;
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
  return `{"reservation_id":${input.reservationId},${rest.slice(1)}`;
}
