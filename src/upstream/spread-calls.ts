import type { Buffer } from 'node:buffer';
import type { CancelCause } from './cancellation.ts';
import {
  type AddressState,
  beginTrial,
  type CallOutcome,
  chooseAddress,
  countTokens,
  type Floor,
  type Floors,
  isFailureStatus,
  mayRetry,
  newestOf,
  pauseAddress,
  RetryTokens,
  recordLatency,
  recordOutcome,
  toOutcome,
  upperNewest,
} from './choose-address.ts';
import { type Freshness, refreshMs } from './freshness.ts';
import { startPeerTimeout } from './peer-timeout.ts';
import type { CallInFlight, RawCall, RawListener, RawRequest, RawResponse, RawSink } from './raw-call.ts';
import type { WriteCounter } from './run-on.ts';
import { toCancelledError, UpstreamCallError } from './upstream-call-error.ts';

/** One of several addresses of an upstream. */
export interface Address {
  readonly send: RawCall;
  /** Replaces the path of each request. */
  readonly path: string;
  readonly state: AddressState;
}

/** Receives events of the addresses, which are numbered from 0. */
export interface AddressWatch {
  retried(): void;
  ejected(index: number): void;
  refused(): void;
  /** The address is not used, because it serves another network. */
  otherNetwork(index: number, reported: string, expected: string): void;
}

export interface SpreadCallsOptions {
  readonly addresses: readonly Address[];
  readonly freshness: Freshness;
  readonly changes: WriteCounter;
  readonly watch: AddressWatch;
  /** Milliseconds after which a read without a response is sent to a second address. */
  readonly hedgeMs: number | null;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
  readonly random?: () => number;
}

interface Shared extends Required<SpreadCallsOptions> {
  readonly states: readonly AddressState[];
  readonly tokens: RetryTokens;
  /** Key of its floors. */
  readonly upstream: symbol;
}

/**
 * Sends each call to one of several addresses. A read is repeated once at another address if the first one fails; a mutation
 * only if it certainly did not arrive. An operation never reads older data than before, nor does a caller that has just written.
 */
export function spreadCalls(options: SpreadCallsOptions): RawCall {
  const shared: Shared = {
    clock: () => performance.now(),
    random: Math.random,
    ...options,
    states: options.addresses.map(({ state }) => state),
    tokens: new RetryTokens(),
    upstream: Symbol('upstream'),
  };
  return (request, listener) => {
    const call = new SpreadCall(shared, request, listener);
    if (!call.start('first')) call.refuse();
    return call;
  };
}

/** Milliseconds that a read waits for an address as new as its cursor. */
const maxWaitForNewerMs = 2_000;
const maxAttempts = 2;
/** Milliseconds after which an address is silent if it has not answered anything, since each is asked for its newest data. */
const silentMs = 1.5 * refreshMs;
/** Milliseconds that a trial call may take before a second address is asked: it probably fails. */
const trialMs = 250;

class SpreadCall implements CallInFlight {
  readonly shared: Shared;
  readonly request: RawRequest;
  readonly listener: RawListener;
  readonly beganMs: number;
  /** When the first address was asked; before that, when the call began. */
  #sentMs: number;
  readonly #isRead: boolean;
  /** What was shown to its operation, or to its caller since it wrote. */
  readonly #floors: Floors;
  /** The floor when the call began. */
  readonly #floor: Floor | undefined;
  /** The oldest data that the response may have; `null` = any. */
  #least: number | null;
  /** When it began to wait for newer data. */
  #waitedMs: number | null = null;
  readonly #running = new Set<Attempt>();
  #attempts = 0;
  #tried = 0;
  #isOver = false;
  /** The first address counts as failed if the second one answers. */
  #isFault = false;
  #stopTimer = () => {};

  constructor(shared: Shared, request: RawRequest, listener: RawListener) {
    this.shared = shared;
    this.request = request;
    this.listener = listener;
    this.beganMs = shared.clock();
    this.#sentMs = this.beganMs;
    this.#isRead = request.runOnMs === undefined;
    const { changes, freshness, states } = shared;
    const { operation } = request;
    this.#floors =
      changes.writers?.floorsOf(operation?.caller, this.beganMs) ?? (operation as Floors | undefined) ?? {};
    this.#floor = this.#floorNow;
    const named = this.#isRead ? freshness.leastOf(request) : null;
    const least = named === Number.POSITIVE_INFINITY ? newestOf(states, this.beganMs) : named;
    const shown = this.#floor?.newest ?? null;
    this.#least = shown === null ? least : Math.max(shown, least ?? -1);
  }

  get #floorNow(): Floor | undefined {
    const floor = this.#floors[this.shared.upstream];
    return floor?.era === this.shared.freshness.inForce.era ? floor : undefined;
  }

  get isSent(): boolean {
    for (const { call } of this.#running) if (call?.isSent) return true;
    return false;
  }

  /** Starts a second attempt after this time, or later if the address still answers other calls. */
  #watch(delayMs: number): void {
    this.#stopTimer = startPeerTimeout(Math.max(1, delayMs), () => {
      const { states, clock, hedgeMs } = this.shared;
      const [first] = this.#running;
      if (!first) return;
      const nowMs = clock();
      const waitedMs = nowMs - this.#sentMs;
      const quietMs = nowMs - Math.max(this.#sentMs, (states[first.index] as AddressState).heardAtMs);
      this.#isFault = first.isTrial || waitedMs >= this.#lateMs || quietMs >= silentMs;
      if (this.#isFault || waitedMs >= (hedgeMs ?? Number.POSITIVE_INFINITY)) this.#startSecond();
      else this.#watch(Math.min(this.#lateMs - waitedMs, silentMs - quietMs, (hedgeMs ?? this.#lateMs) - waitedMs));
    });
  }

  /** Milliseconds after which an address is too slow: half of those that it has. */
  get #lateMs(): number {
    return (this.request.timeoutMs - (this.#sentMs - this.beganMs)) / 2;
  }

  /** Tries a second address while the first one may still answer. */
  #startSecond(): void {
    const { tokens } = this.shared;
    if (this.#isOver || this.#attempts !== 1 || !mayRetry(tokens, this.request.operation?.caller)) return;
    if (this.start('hedge')) countTokens(tokens, true, this.request.operation?.caller);
  }

  /** @returns `false` if no address may be asked. It may wait for newer data first, except for a second address of its own accord */
  start(as: 'first' | 'retry' | 'hedge'): boolean {
    const { states, freshness, clock, random } = this.shared;
    const nowMs = clock();
    const choice = chooseAddress(states, {
      nowMs,
      random,
      maxBehind: freshness.maxBehind,
      least: this.#least,
      floor: this.#floor,
      tried: this.#tried,
      isRepeatable: this.#isRead && this.#attempts === 0,
    });
    if (typeof choice === 'object') this.#send(choice.index, choice.isTrial, nowMs);
    else if (choice === 'refused' || as === 'hedge') return false;
    else void this.#awaitNewer(as, nowMs);
    return true;
  }

  refuse(): void {
    this.shared.watch.refused();
    this.fail(new UpstreamCallError('refused', 'every address failed its last calls'));
  }

  async #awaitNewer(as: 'first' | 'retry', nowMs: number): Promise<void> {
    const { freshness, states } = this.shared;
    this.#waitedMs ??= nowMs;
    const restMs = this.request.timeoutMs - (this.#waitedMs - this.beganMs);
    // A mutation goes there if it can, and waits for nothing.
    const isPatient = this.#isRead && nowMs - this.#waitedMs < Math.min(maxWaitForNewerMs, restMs / 2);
    if (isPatient && freshness.mayReach(this.#least, states)) await freshness.refresh();
    else this.#least = null;
    if (!this.#isOver && !this.start(as)) this.refuse();
  }

  #send(index: number, isTrial: boolean, nowMs: number): void {
    const { addresses, watch, hedgeMs } = this.shared;
    const { send, path, state } = addresses[index] as Address;
    if (isTrial) beginTrial(state, nowMs);
    const timeoutMs = Math.max(1, this.request.timeoutMs - (nowMs - this.beganMs));
    this.#attempts += 1;
    if (this.#attempts > 1) watch.retried();
    this.#tried |= 1 << index;
    const attempt = new Attempt(this, index, isTrial, nowMs);
    this.#running.add(attempt);
    attempt.call = send({ ...this.request, path, timeoutMs, attempt: this.#attempts }, attempt);
    if (!this.#isRead || this.#isOver || this.#attempts > 1) return;
    this.#sentMs = nowMs;
    this.#watch(Math.min(this.#lateMs, hedgeMs ?? this.#lateMs, isTrial ? trialMs : silentMs));
  }

  /** @param isFault the response says that the address cannot serve now */
  answered(attempt: Attempt, response: RawResponse, isFault: boolean): void {
    this.#running.delete(attempt);
    if (isFault && this.#isRead && (this.#running.size > 0 || this.#retry())) return;
    if (this.#isOver) return;
    this.settle(attempt, response.status);
    response.from = this.shared.states[attempt.index];
    this.listener.answered(response);
  }

  failed(attempt: Attempt, error: UpstreamCallError): void {
    this.#running.delete(attempt);
    if (this.#isOver || this.#running.size > 0) return;
    const isUnseen = error.failure === 'unreachable' || error.failure === 'crowded';
    if ((isUnseen || (this.#isRead && error.failure === 'interrupted')) && this.#retry()) return;
    this.fail(error);
  }

  #retry(): boolean {
    const { tokens, clock } = this.shared;
    const isLate = clock() - this.beganMs >= this.request.timeoutMs;
    if (this.#attempts >= maxAttempts || isLate || !mayRetry(tokens, this.request.operation?.caller)) return false;
    return this.start('retry');
  }

  /** This attempt answers the call; others end. */
  settle(attempt: Attempt, status: number): void {
    this.#isOver = true;
    this.#stopTimer();
    const nowMs = this.shared.clock();
    for (const other of this.#running) {
      if (other === attempt) continue;
      this.#running.delete(other);
      other.abandon(this.#isFault);
    }
    if (status !== 200) return;
    const { freshness, states, upstream } = this.shared;
    const seen = upperNewest(states[attempt.index] as AddressState, nowMs);
    const floor = this.#floorNow;
    // Another call was answered with newer data meanwhile.
    if (floor !== this.#floor && (floor?.newest ?? -1) > (seen ?? -1)) return;
    this.#floors[upstream] = { newest: seen, by: attempt.index, era: freshness.inForce.era };
  }

  fail(error: UpstreamCallError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopTimer();
    this.listener.failed(error);
  }

  cancel(cause: CancelCause): void {
    const running = [...this.#running];
    // A failure must not start another attempt.
    this.#attempts = maxAttempts;
    for (const { call } of running) call?.cancel(cause);
    if (running.length === 0) this.fail(toCancelledError(cause));
  }
}

/** One attempt of a call at one address. */
class Attempt implements RawListener, RawSink {
  readonly index: number;
  call: CallInFlight | undefined;
  readonly #owner: SpreadCall;
  readonly isTrial: boolean;
  readonly #beganMs: number;
  readonly #state: AddressState;
  #isOver = false;
  #sink: RawSink | null = null;

  constructor(owner: SpreadCall, index: number, isTrial: boolean, beganMs: number) {
    this.#owner = owner;
    this.index = index;
    this.isTrial = isTrial;
    this.#beganMs = beganMs;
    this.#state = owner.shared.states[index] as AddressState;
    this.#state.inFlight += 1;
  }

  answered(response: RawResponse): void {
    if (this.#isOver) return;
    const pauseMs = readPause(response);
    const hasFailed = isFailureStatus(response.status);
    if (pauseMs !== null) pauseAddress(this.#state, pauseMs, this.#owner.shared.clock());
    this.#close(hasFailed ? 'failed' : 'ok', hasFailed || pauseMs !== null);
    this.#owner.answered(this, response, hasFailed || pauseMs !== null);
  }

  stream(begun: RawResponse, resume: () => void): RawSink | null {
    this.#sink = this.#owner.listener.stream?.(begun, resume) ?? null;
    if (!this.#sink) return null;
    this.#owner.settle(this, begun.status);
    return this;
  }

  data(chunk: Buffer): boolean {
    return this.#sink?.data(chunk) ?? true;
  }

  end(): void {
    this.#close('ok');
    this.#sink?.end();
  }

  failed(error: UpstreamCallError): void {
    if (this.#isOver) return;
    this.#close(toOutcome(error));
    if (this.#sink) this.#sink.failed(error);
    else this.#owner.failed(this, error);
  }

  /** Another attempt answered first. @param isFault the address took too long */
  abandon(isFault: boolean): void {
    const { shared } = this.#owner;
    if (!isFault) recordLatency(this.#state, shared.clock() - this.#beganMs, shared.clock());
    this.#close(isFault ? 'timeout' : 'unrelated', false);
    this.call?.cancel('aborted');
  }

  #close(outcome: CallOutcome, takesToken = outcome === 'failed' || outcome === 'timeout'): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { shared, request } = this.#owner;
    const { clock, random, tokens, watch } = shared;
    const state = this.#state;
    const wasEjected = state.isEjected;
    const nowMs = clock();
    state.inFlight -= 1;
    const durationMs = nowMs - this.#beganMs;
    const caller = request.operation?.caller;
    recordOutcome(state, outcome, { nowMs, durationMs, random: random(), isTrial: this.isTrial, caller });
    if (outcome !== 'unrelated') countTokens(tokens, takesToken, caller);
    if (state.isEjected && !wasEjected) watch.ejected(this.index);
  }
}

/** Milliseconds of `Retry-After`; `null` without a usable one. */
function readPause({ status, headers }: RawResponse): number | null {
  if (status !== 429 && status !== 503) return null;
  const text = headers.get('retry-after');
  if (typeof text !== 'string') return null;
  const pauseMs = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(pauseMs) && pauseMs >= 0 ? pauseMs : null;
}
