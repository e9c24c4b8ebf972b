import { hash } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { NetworkProfile } from '../config/network-profile.ts';
import { groups } from '../config/policy.ts';
import { isHeaderValue, Secret } from '../config/secret.ts';
import { retryAdviceFor } from '../errors/catalogue.ts';
import { type ErrorFacts, gatewayError } from '../errors/gateway-error.ts';
import type { SponsorFacts } from '../telemetry/events.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import type { Caller, Scope } from '../upstream/operation-context.ts';
import type { UpstreamCall, UpstreamResponse } from '../upstream/upstream-call.ts';
import { UpstreamCallError } from '../upstream/upstream-call-error.ts';
import type { ReservedCoins } from './reservations.ts';
import {
  checkAfterMs,
  DoubtfulRefusal,
  InconclusiveResponse,
  lookUpAdvice,
  ReservationKept,
  type SponsorRefusal,
  toLostAnswerError,
  toSponsorRefusal,
} from './sponsor-refusal.ts';
import {
  readDeepHealth,
  readEffects,
  readExecution,
  readHealth,
  readReloadResult,
  readReservation,
  readVersion,
  redact,
  type SponsorAnswer,
  type SponsorEffects,
  type SponsorEndpoint,
  sponsorEndpoints,
  toSponsorAnswer,
  withoutCredential,
} from './sponsor-response.ts';

/** Who asks, as the sponsor is told: headers by name. Left out: nothing. */
export type CallerHeaders = Readonly<Record<string, string>>;

export interface ExecuteTxInput {
  /** Decimal text of a u64, already checked, because it is written into the request unchanged. */
  readonly rawReservationId: string;
  /** The id that the client sent; included in every error. */
  readonly reservationId: string;
  /** The transaction as canonical base64. */
  readonly txBytes: string;
  readonly userSig: string;
  readonly requestType: 'waitForEffectsCert' | 'waitForLocalExecution';
  /** Digest of `txBytes`; the sponsor's response must be about this transaction. */
  readonly digest: string;
  readonly callerHeaders?: CallerHeaders | undefined;
}

export interface SponsorExecution extends SponsorEffects {
  readonly digest: string;
  /** `false`: the transaction ran and failed. It paid gas either way. */
  readonly succeeded: boolean;
}

type Send<Result> = (authorization: Secret | null, cancellation: Cancellation) => Promise<Result>;

/**
 * The sponsor's HTTP service. Each method takes the complete `Authorization` header, `null` for none, and the cancellation of
 * the operation. Each rejects with an error meant for the client.
 *
 * No request is repeated: a repeated reservation locks coins twice, and an execution is not idempotent. Cancellation stops
 * `health` and `version`. The other calls do not begin after a cancellation, and run to their end once sent.
 */
export interface SponsorClient {
  readonly health: Send<'OK'>;
  readonly version: Send<string>;
  /** Reserves coins and signs, so it is not a probe. */
  readonly debugHealthCheck: Send<{ readonly ok: boolean; readonly message: string }>;
  readonly reserveGas: (
    input: {
      readonly gasBudget: number;
      readonly reserveDurationSecs: number;
      readonly callerHeaders?: CallerHeaders | undefined;
    },
    ...rest: Parameters<Send<unknown>>
  ) => Promise<ReservedCoins>;
  /** @param late called with the result of a call that was rejected with a timeout and continued */
  readonly executeTx: (
    input: ExecuteTxInput,
    authorization: Secret | null,
    cancellation: Cancellation,
    late?: (ended: Promise<SponsorExecution>) => void,
  ) => Promise<SponsorExecution>;
  readonly reloadAccessController: Send<{ readonly result: string }>;
}

/** A response that operators should see and clients must not. */
export interface SponsorObservation extends SponsorFacts {
  readonly endpoint: SponsorEndpoint;
  readonly what: 'unknown-text' | 'failed-health-check' | 'digest-mismatch' | 'unreadable-effects' | 'unheard-outcome';
}

export interface SponsorClientOptions {
  readonly call: UpstreamCall;
  /** Path of the sponsor's address, with or without a trailing slash. */
  readonly path: string;
  readonly timeouts: { readonly queryMs: number; readonly mutationMs: number };
  /** Records a response for operators. Must not throw. */
  readonly observe: (observation: SponsorObservation) => void;
  /** Called when the sponsor begins to reject the gateway's token, and when it accepts the token again. Left out: not watched. */
  readonly tokenChanged?: ((isRejected: boolean) => void) | undefined;
  /** The network's name for the key that sets how long an execution waits. */
  readonly requestTypeKey: NetworkProfile['sponsor']['requestTypeKey'];
}

interface SponsorCall {
  readonly endpoint: SponsorEndpoint;
  readonly authorization: Secret | null;
  readonly cancellation: Cancellation;
  /** The id of an execution; included in every error. Only the operator sees the sponsor's own number. */
  readonly facts?: Pick<ExecuteTxInput, 'digest' | 'reservationId' | 'rawReservationId'>;
  readonly body?: string;
  readonly callerHeaders?: CallerHeaders | undefined;
  /**
   * Called after a timeout, when the call has ended. Reading throws an error meant for the client if there was no response.
   */
  readonly late?: (read: () => SponsorAnswer) => void;
}

type Outcome = UpstreamResponse | UpstreamCallError;

/** They need no token, and cancellation stops them. */
const reads: ReadonlySet<SponsorEndpoint> = new Set(['health', 'version']);
const maxShownLength = 500;
const maxObservedLength = 2_000;

export function createSponsorClient(options: SponsorClientOptions): SponsorClient {
  const { call, timeouts, observe, requestTypeKey, tokenChanged } = options;
  const root = options.path.replace(/\/+$/, '');
  let isTokenRejected = false;
  const noteToken = ({ endpoint }: SponsorCall, isRejected: boolean): void => {
    if (isRejected === isTokenRejected || reads.has(endpoint)) return;
    isTokenRejected = isRejected;
    tokenChanged?.(isRejected);
  };

  /** @throws an error meant for the client if there was no response */
  async function send(request: SponsorCall): Promise<SponsorAnswer> {
    const { endpoint, authorization, body, cancellation } = request;
    if (authorization && !isHeaderValue(authorization.reveal())) {
      throw gatewayError('UNAUTHENTICATED', 'The credential cannot be sent to the sponsor.');
    }
    const isRead = reads.has(endpoint);
    const observeIfLeft = (outcome: Outcome) => {
      if (!isRead && cancellation.cause === 'aborted') observe(toLateOutcome(request, outcome));
    };
    const { method, path } = sponsorEndpoints[endpoint];
    const response = await call({
      method,
      path: root + path,
      headers: {
        ...request.callerHeaders,
        accept: 'application/json, text/plain',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(authorization && { authorization: authorization.reveal() }),
      },
      body,
      timeoutMs: isRead ? timeouts.queryMs : timeouts.mutationMs,
      runOnMs: isRead ? undefined : timeouts.mutationMs,
      cancellation,
      late: (outcome) => {
        observe(toLateOutcome(request, outcome));
        request.late?.(() => toAnswer(request, outcome));
      },
    }).catch((error: unknown): never => {
      // After a timeout the call continues, and `late` reports its end.
      const isOver = error instanceof UpstreamCallError && error.mayHaveArrived && error.failure !== 'timeout';
      if (isOver) observeIfLeft(error);
      throw toLostAnswerError(endpoint, error, toClientFacts(request));
    });
    observeIfLeft(response);
    return toAnswer(request, response);
  }

  function note(
    what: SponsorObservation['what'],
    { endpoint, authorization }: SponsorCall,
    answer: SponsorAnswer,
  ): void {
    const text = redact(answer.text, authorization, maxObservedLength);
    observe({ endpoint, status: answer.status, what, text });
  }

  /** @throws the client's error for a response without a result */
  function refuse(request: SponsorCall, answer: SponsorAnswer): never {
    const refusal = toSponsorRefusal(request.endpoint, answer, request.facts);
    const { code, message, own, unknown } = refusal;
    if (unknown) note('unknown-text', request, answer);
    if (code === 'SPONSOR_UNAUTHORIZED') noteToken(request, true);
    throw gatewayError(
      code,
      own ? redact(message, request.authorization, maxShownLength) : message,
      {
        ...toClientFacts(request),
        ...(code === 'EXECUTION_OUTCOME_UNKNOWN' ? { checkAfterMs } : {}),
        // A rejection spends the reservation, so the same execution is rejected again.
        ...(request.endpoint === 'executeTx' && retryAdviceFor(code) === 'backoff' ? { retry: 'never' } : {}),
      },
      { originalError: toCause(refusal, answer.status) },
    );
  }

  async function read<Result>(
    request: SponsorCall,
    toResult: (answer: SponsorAnswer) => Result | null,
  ): Promise<Result> {
    const answer = await send(request);
    const result = toResult(answer) ?? refuse(request, answer);
    noteToken(request, false);
    return result;
  }

  const reading =
    <Result>(endpoint: SponsorEndpoint, toResult: (answer: SponsorAnswer) => Result | null): Send<Result> =>
    (authorization, cancellation) =>
      read({ endpoint, authorization, cancellation }, toResult);

  /** @throws an error meant for the client if the response does not report an execution */
  function toExecution(request: SponsorCall, answer: SponsorAnswer, digest: string): SponsorExecution {
    const execution = readExecution(answer) ?? refuse(request, answer);
    // Effects of another transaction say nothing about this one, so the client must not simply retry.
    if (execution.transactionDigest !== digest) {
      note('digest-mismatch', request, answer);
      const message = `The sponsor answered with the effects of another transaction. ${lookUpAdvice}`;
      throw gatewayError('EXECUTION_OUTCOME_UNKNOWN', message, { ...toClientFacts(request), checkAfterMs });
    }
    noteToken(request, false);
    const effects = readEffects(execution.raw);
    if (!effects) note('unreadable-effects', request, answer);
    return { digest, succeeded: execution.succeeded, effects, rawEffects: execution.raw };
  }

  return {
    health: reading('health', readHealth),

    version: reading('version', readVersion),

    async debugHealthCheck(authorization, cancellation) {
      const request = { endpoint: 'debugHealthCheck', authorization, cancellation } as const;
      const answer = await send(request);
      const health = readDeepHealth(answer);
      if (health !== 'ok' && health !== 'failed') return refuse(request, answer);
      noteToken(request, false);
      if (health === 'ok') return { ok: true, message: 'OK' };
      note('failed-health-check', request, answer);
      return { ok: false, message: 'The sponsor failed its own health check.' };
    },

    async reserveGas({ gasBudget, reserveDurationSecs, callerHeaders }, authorization, cancellation) {
      const body = JSON.stringify({ gas_budget: gasBudget, reserve_duration_secs: reserveDurationSecs });
      const request = { endpoint: 'reserveGas', authorization, cancellation, body, callerHeaders } as const;
      const wire = await read(request, readReservation);
      const { reservation_id: rawReservationId, sponsor_address: sponsorAddress, gas_coins: gasCoins } = wire;
      return { rawReservationId, sponsorAddress, gasCoins };
    },

    async executeTx(input, authorization, cancellation, late) {
      const { digest, reservationId, rawReservationId, txBytes, userSig, requestType } = input;
      const rest = JSON.stringify({ tx_bytes: txBytes, user_sig: userSig, [requestTypeKey]: requestType });
      const request: SponsorCall = {
        endpoint: 'executeTx',
        authorization,
        cancellation,
        facts: { digest, reservationId, rawReservationId },
        callerHeaders: input.callerHeaders,
        // Written digit by digit: a JavaScript number would round a u64.
        body: `{"reservation_id":${rawReservationId},${rest.slice(1)}`,
        late: (readAnswer) => late?.(new Promise((resolve) => resolve(toExecution(request, readAnswer(), digest)))),
      };
      return toExecution(request, await send(request), digest);
    },

    reloadAccessController: reading('reloadAccessController', readReloadResult),
  };
}

/** @throws an error meant for the client if there was no response */
function toAnswer(request: SponsorCall, outcome: Outcome): SponsorAnswer {
  if (outcome instanceof UpstreamCallError) throw toLostAnswerError(request.endpoint, outcome, toClientFacts(request));
  return withoutCredential(toSponsorAnswer(outcome), request.authorization);
}

/** What the gateway itself has to know of a rejection. */
function toCause({ mayHaveRun, isReservationKept, needsLookUp }: SponsorRefusal, status: number): Error | undefined {
  const text = `HTTP ${status}`;
  if (mayHaveRun) return new InconclusiveResponse(text);
  if (isReservationKept) return new ReservationKept(text);
  return needsLookUp ? new DoubtfulRefusal(text) : undefined;
}

function toClientFacts({ facts }: SponsorCall): ErrorFacts {
  return { upstream: 'sponsor', ...(facts && { digest: facts.digest, reservationId: facts.reservationId }) };
}

/** The outcome of a call whose client had already been answered, or had hung up. */
function toLateOutcome({ endpoint, authorization, facts }: SponsorCall, outcome: Outcome): SponsorObservation {
  const isLost = outcome instanceof UpstreamCallError;
  const answer = isLost ? null : withoutCredential(toSponsorAnswer(outcome), authorization);
  const text = answer ? toOutcomeText(endpoint, answer, facts) : `No answer: ${(outcome as Error).message}.`;
  return {
    endpoint,
    status: answer?.status ?? null,
    what: 'unheard-outcome',
    ...(facts && { digest: facts.digest, reservationId: facts.rawReservationId }),
    text: redact(text, authorization, maxObservedLength),
  };
}

/** The outcome in one line for the operator, without effects or coins. */
function toOutcomeText(endpoint: SponsorEndpoint, answer: SponsorAnswer, sent: SponsorCall['facts']): string {
  const reservation = endpoint === 'reserveGas' ? readReservation(answer) : null;
  if (reservation) return `Reserved: ${reservation.reservation_id}.`;
  const execution = endpoint === 'executeTx' ? readExecution(answer) : null;
  if (execution && execution.transactionDigest === sent?.digest)
    return execution.succeeded ? 'Executed.' : 'Ran and failed.';
  if (endpoint === 'debugHealthCheck' && readDeepHealth(answer)) return 'Checked.';
  if (endpoint === 'reloadAccessController' && readReloadResult(answer)) return 'Read again.';
  const { code, message } = toSponsorRefusal(endpoint, answer, sent);
  return `${code}: ${message}`;
}

/** The id of a caller for services of the operator. That of an anonymous caller is its address, which they do not get. */
export function toClientId({ id, kind }: Pick<Caller, 'id' | 'kind'>): string {
  return kind === 'ANONYMOUS' ? groups.anonymous : id;
}

/** Ids of JWT subjects may have any characters. */
export function toCallerHeaders(caller: Pick<Caller, 'id' | 'kind'>, requestId: string): CallerHeaders {
  const client = Buffer.from(toClientId(caller))
    .toString()
    .replaceAll(/[^\x21-\x7e]/gu, encodeURIComponent);
  return { 'x-request-id': requestId, 'x-ledger-gateway-client': client };
}

export type SponsorAuthorization = ReturnType<typeof createSponsorAuthorization>;

/**
 * Decides which calls a caller may make to the sponsor, and with which credential.
 * @param auth `forward`: the caller's own header goes to the sponsor, which decides. `token`: the gateway's token goes to the
 * sponsor, and the caller's scopes decide
 */
export function createSponsorAuthorization({ auth, token }: Pick<Config['sponsorship'], 'auth' | 'token'>) {
  const isForward = auth === 'forward';
  const toBearer = (next: Secret) => new Secret(`Bearer ${next.reveal()}`);
  let own = token && !isForward ? toBearer(token) : null;
  if (!isForward && !own) throw new Error('Sponsor authorization in token mode needs the token.');
  return {
    /** The gateway's own `Authorization` header; `null` in forward mode. */
    own: () => own,
    /** Sends this token from now on. */
    adopt(next: Secret): void {
      own = toBearer(next);
    },
    /** The `Authorization` header for the sponsor; `null` for none. */
    headerFor: (caller: Caller): Secret | null => (isForward ? caller.authorization : own),
    /** Identifies the holder of this caller's reservations: no other holder can use or see them. */
    holderOf: (caller: Caller): string => (isForward ? toCredentialName(caller) : toHolder(caller)),
    /** Identifies the visitor whose idempotency keys are its own. */
    visitorOf(caller: Caller): string {
      return isForward && caller.authorization ? `${toCredentialName(caller)} ${caller.visitor}` : caller.visitor;
    },
    /**
     * @param isOurs the sponsor is not called, so that it cannot decide
     * @throws `FORBIDDEN` naming the missing scope; `UNAUTHENTICATED` for a caller that sent no credential
     */
    demand(scope: Scope, caller: Caller, isOurs = false): void {
      const needed = `This needs the scope "${scope}"`;
      if (isForward && isOurs)
        throw gatewayError(
          'FORBIDDEN',
          `${needed}, which this gateway does not know of callers whose credentials the sponsor verifies.`,
        );
      if (isForward || caller.scopes.has(scope)) return;
      if (caller.kind !== 'ANONYMOUS') throw gatewayError('FORBIDDEN', `${needed}.`);
      throw gatewayError('UNAUTHENTICATED', `${needed}: send an API key or a token that has it.`);
    },
  };
}

/** The complete hash of the credential, so that two credentials never share a name. `id` has only its first half. */
function toCredentialName({ id, authorization }: Caller): string {
  return authorization ? `credential:${hash('sha256', authorization.reveal(), 'hex')}` : id;
}

/** An anonymous caller is its network, as for rate limits: many devices change their IPv6 address within a /64 every day. */
function toHolder({ id, kind, visitor }: Caller): string {
  return kind === 'ANONYMOUS' ? visitor : id;
}
