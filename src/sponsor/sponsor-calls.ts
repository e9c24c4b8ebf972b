import { isHeaderValue } from '../config/header-value.ts';
import type { Secret } from '../config/secret.ts';
import { type ErrorFacts, gatewayError } from '../errors/gateway-error.ts';
import type { SponsorFacts } from '../telemetry/events.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import type { UpstreamCall, UpstreamResponse } from '../upstream/upstream-call.ts';
import { UpstreamCallError } from '../upstream/upstream-call-error.ts';
import { redact, withoutCredential } from './refusals/redact.ts';
import { type SponsorAnswer, toSponsorAnswer } from './refusals/sponsor-answer.ts';
import { type SponsorEndpoint, sponsorEndpoints } from './refusals/sponsor-endpoint.ts';
import { checkAfterMs, toLostAnswerError, toSponsorRefusal, UntellingAnswer } from './refusals/sponsor-refusal.ts';
import { readDeepHealth, readExecution, readReloadResult, readReservation } from './wire.ts';

/** Something the operator should see and the client must not, or does not. */
export interface SponsorObservation extends SponsorFacts {
  readonly endpoint: SponsorEndpoint;
  readonly what: 'unknown-text' | 'failed-health-check' | 'digest-mismatch' | 'unreadable-effects' | 'unheard-outcome';
}

/** One request to the sponsor. */
export interface SponsorCall {
  readonly endpoint: SponsorEndpoint;
  /** The whole header; `null` for none. */
  readonly authorization: Secret | null;
  /** Of the operation that asks. */
  readonly cancellation: Cancellation;
  /** Of an execution: told with every error, so that a transaction whose fate is unknown can be looked up. */
  readonly facts?: {
    readonly digest: string;
    /** As the caller knows it; nobody else is told. */
    readonly reservationId: string;
    /** As the sponsor knows it; told to the operator alone. */
    readonly rawReservationId: string;
  };
  /** JSON. */
  readonly body?: string;
  /**
   * Told how a call of a mutation ended that had gone on after its time was over. Must not throw.
   * @throws by what it is given: an error meant for the client where no answer came
   */
  readonly late?: (read: () => SponsorAnswer) => void;
}

export interface SponsorCallsOptions {
  readonly call: UpstreamCall;
  /** Path of the sponsor's address, with or without a slash at its end; `''` or `/` for none. */
  readonly basePath: string;
  readonly timeouts: { readonly queryMs: number; readonly mutationMs: number };
  /** Called for every text that is kept from the client. Must not throw. */
  readonly observe: (observation: SponsorObservation) => void;
}

/** Sends requests to the sponsor, and judges what comes back. */
export interface SponsorCalls {
  /** @throws an error meant for the client where no answer came */
  ask(asked: SponsorCall): Promise<SponsorAnswer>;
  /** Asks, and refuses an answer from which `toResult` reads nothing. */
  read<Result>(asked: SponsorCall, toResult: (answer: SponsorAnswer) => Result | null): Promise<Result>;
  /** Shows the operator an answer that the client does not see. */
  note(what: SponsorObservation['what'], asked: SponsorCall, answer: SponsorAnswer): void;
  /** @throws what an answer without a result means for the client */
  refuse(asked: SponsorCall, answer: SponsorAnswer): never;
}

const maxShownLength = 500;
const maxObservedLength = 2_000;

/**
 * Nothing is ever sent twice: a reservation made twice locks coins twice, and an execution is not idempotent. Health and
 * version are cut short when their operation ends. What may move money is not begun after that, and once it was sent it runs
 * to its end: if nobody waits any more, the operator is told how it ended.
 */
export function createSponsorCalls({ call, basePath, timeouts, observe }: SponsorCallsOptions): SponsorCalls {
  const root = basePath.replace(/\/+$/, '');

  async function ask(asked: SponsorCall): Promise<SponsorAnswer> {
    const { endpoint, authorization, body, cancellation } = asked;
    if (authorization && !isHeaderValue(authorization.reveal())) {
      throw gatewayError('UNAUTHENTICATED', 'The credential cannot be sent to the sponsor.');
    }
    const isRead = endpoint === 'health' || endpoint === 'version';
    const noteUnheard = (outcome: UpstreamResponse | UpstreamCallError) => observe(toUnheardOutcome(asked, outcome));
    const noteIfLeft = (outcome: UpstreamResponse | UpstreamCallError) => {
      if (!isRead && cancellation.cause === 'aborted') noteUnheard(outcome);
    };
    const { method, path } = sponsorEndpoints[endpoint];
    const response = await call({
      method,
      path: root + path,
      headers: toHeaders(authorization, body !== undefined),
      body,
      timeoutMs: isRead ? timeouts.queryMs : timeouts.mutationMs,
      runOnMs: isRead ? undefined : timeouts.mutationMs,
      cancellation,
      late: (outcome) => {
        noteUnheard(outcome);
        asked.late?.(() => toAnswer(asked, outcome));
      },
    }).catch((error: unknown): never => {
      // After a timeout the call runs on, and `late` tells how it ended: told here, it would be told twice.
      if (error instanceof UpstreamCallError && error.mayHaveArrived && error.failure !== 'timeout') noteIfLeft(error);
      throw toLostAnswerError(endpoint, error, toldFacts(asked));
    });
    noteIfLeft(response);
    return toAnswer(asked, response);
  }

  const note: SponsorCalls['note'] = (what, { endpoint, authorization }, { status, text }) =>
    observe({ endpoint, status, what, text: redact(text, authorization, maxObservedLength) });

  function refuse(asked: SponsorCall, answer: SponsorAnswer): never {
    const { code, message, own, unknown, mayBeDone } = toSponsorRefusal(asked.endpoint, answer, asked.facts?.digest);
    if (unknown) note('unknown-text', asked, answer);
    throw gatewayError(
      code,
      own ? redact(message, asked.authorization, maxShownLength) : message,
      { ...toldFacts(asked), ...(code === 'EXECUTION_OUTCOME_UNKNOWN' ? { checkAfterMs } : {}) },
      mayBeDone ? { originalError: new UntellingAnswer(`HTTP ${answer.status}`) } : {},
    );
  }

  return {
    ask,
    note,
    refuse,
    read: async (asked, toResult) => {
      const answer = await ask(asked);
      return toResult(answer) ?? refuse(asked, answer);
    },
  };
}

/** @throws an error meant for the client where no answer came */
function toAnswer(asked: SponsorCall, outcome: UpstreamResponse | UpstreamCallError): SponsorAnswer {
  if (outcome instanceof UpstreamCallError) throw toLostAnswerError(asked.endpoint, outcome, toldFacts(asked));
  return withoutCredential(toSponsorAnswer(outcome), asked.authorization);
}

/** What the caller is told beside every error of a call. */
export function toldFacts({ facts }: SponsorCall): ErrorFacts {
  return { upstream: 'sponsor', ...(facts && { digest: facts.digest, reservationId: facts.reservationId }) };
}

/** How a call ended whose client had been answered already, or had gone. */
function toUnheardOutcome(
  { endpoint, authorization, facts }: SponsorCall,
  outcome: UpstreamResponse | UpstreamCallError,
): SponsorObservation {
  const isLost = outcome instanceof UpstreamCallError;
  const answer = isLost ? null : withoutCredential(toSponsorAnswer(outcome), authorization);
  const text = answer ? toOutcomeText(endpoint, answer, facts?.digest) : `No answer: ${(outcome as Error).message}.`;
  return {
    endpoint,
    status: answer?.status ?? null,
    what: 'unheard-outcome',
    ...(facts && { digest: facts.digest, reservationId: facts.rawReservationId }),
    text: redact(text, authorization, maxObservedLength),
  };
}

/**
 * What an answer says was done, in a line for the operator: of effects and coins no more than names them.
 * @param digest of the transaction that was to be executed
 */
function toOutcomeText(endpoint: SponsorEndpoint, answer: SponsorAnswer, digest: string | undefined): string {
  const reservation = endpoint === 'reserveGas' ? readReservation(answer) : null;
  if (reservation) return `Reserved: ${reservation.reservation_id}.`;
  const execution = endpoint === 'executeTx' ? readExecution(answer) : null;
  if (execution?.transactionDigest === digest && execution)
    return execution.succeeded ? 'Executed.' : 'Ran and failed.';
  if (endpoint === 'debugHealthCheck' && readDeepHealth(answer)) return 'Checked.';
  if (endpoint === 'reloadAccessController' && readReloadResult(answer)) return 'Read again.';
  const { code, message } = toSponsorRefusal(endpoint, answer, digest);
  return `${code}: ${message}`;
}

function toHeaders(authorization: Secret | null, hasBody: boolean): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json, text/plain' };
  if (hasBody) headers['content-type'] = 'application/json';
  if (authorization) headers.authorization = authorization.reveal();
  return headers;
}
