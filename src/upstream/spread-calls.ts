import type { Buffer } from 'node:buffer';
import type { CancelCause, ServedOperation } from './cancellation.ts';
import {
  type AddressState,
  beginTrial,
  type CallOutcome,
  chooseAddress,
  countTokens,
  createRetryTokens,
  isFailureStatus,
  mayRetry,
  newestOf,
  pause,
  type RetryTokens,
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
  readonly pins: symbol;
}

/** The address that answered an operation, and the newest data that its response may have. */
interface Pin {
  readonly index: number;
  readonly least: number | null;
  readonly era: number;
}

type Pins = { [key: symbol]: Pin | undefined };

/**
 * Sends each call to one of several addresses. A read is repeated once at another address if the first one fails; a mutation
 * only if it certainly did not arrive. Calls of one operation stay at an address, or move to one with data as new.
 */
export function spreadCalls(options: SpreadCallsOptions): RawCall {
  const shared: Shared = {
    clock: () => performance.now(),
    random: Math.random,
    ...options,
    states: options.addresses.map(({ state }) => state),
    tokens: createRetryTokens(),
    pins: Symbol('address of an operation'),
  };
  return (request, listener) => {
    const call = new SpreadCall(shared, request, listener);
    call.start();
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
  readonly #holder: Pins | null;
  /** The pin when the call began. */
  readonly #firstPin: Pin | undefined;
  /** The oldest data that the call's own cursor allows; `null` = any. */
  #cursor: number | null;
  #least: number | null;
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
    this.#holder = holderOf(request.operation, shared.changes, this.beganMs);
    this.#firstPin = this.#pin;
    const named = this.#isRead ? shared.freshness.leastOf(request) : null;
    const cursor = named === Number.POSITIVE_INFINITY ? newestOf(shared.states, this.beganMs) : named;
    const seen = this.#isRead ? (this.#pin?.least ?? null) : null;
    this.#cursor = cursor;
    this.#least = cursor === null || seen === null ? (cursor ?? seen) : Math.max(cursor, seen);
  }

  /** The address of the operation; -1 if it has none, or if its data is older than the call's cursor. */
  get #pinned(): number {
    const pin = this.#pin;
    if (!pin) return -1;
    const newest = Math.max(pin.least ?? -1, this.shared.states[pin.index]?.newest ?? -1);
    return this.#cursor !== null && newest < this.#cursor ? -1 : pin.index;
  }

  get #pin(): Pin | undefined {
    const pin = this.#holder?.[this.shared.pins];
    return pin?.era === this.shared.freshness.inForce.era ? pin : undefined;
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
    const { tokens, watch } = this.shared;
    if (this.#isOver || this.#attempts !== 1 || !mayRetry(tokens, this.request.operation?.caller)) return;
    if (!this.start(true)) return;
    countTokens(tokens, true, this.request.operation?.caller);
    watch.retried();
  }

  /** @param isOptional another attempt is running, so nothing is reported if there is no address */
  start(isOptional = false): boolean {
    const { states, freshness, clock, random, watch } = this.shared;
    const nowMs = clock();
    const choice = chooseAddress(states, {
      nowMs,
      random,
      maxBehind: freshness.maxBehind,
      least: this.#least,
      pinned: this.#pinned,
      tried: this.#tried,
      isRepeatable: this.#isRead && this.#attempts === 0,
    });
    if (typeof choice === 'object') {
      this.#send(choice.index, choice.isTrial, nowMs);
      return true;
    }
    if (isOptional) return false;
    if (choice === 'too old') void this.#awaitNewer(nowMs);
    else {
      watch.refused();
      this.fail(new UpstreamCallError('refused', 'every address failed its last calls'));
    }
    return false;
  }

  async #awaitNewer(nowMs: number): Promise<void> {
    const { freshness, states } = this.shared;
    const isPatient = nowMs - this.beganMs < Math.min(maxWaitForNewerMs, this.#lateMs);
    if (isPatient && freshness.mayReach(this.#least, states)) await freshness.refresh();
    else this.#least = this.#cursor = null;
    if (!this.#isOver) this.start();
  }

  #send(index: number, isTrial: boolean, nowMs: number): void {
    const { send, path, state } = this.shared.addresses[index] as Address;
    if (isTrial) beginTrial(state, nowMs);
    const timeoutMs = Math.max(1, this.request.timeoutMs - (nowMs - this.beganMs));
    this.#attempts += 1;
    this.#tried |= 1 << index;
    const attempt = new Attempt(this, index, isTrial, nowMs);
    this.#running.add(attempt);
    attempt.call = send({ ...this.request, path, timeoutMs, attempt: this.#attempts }, attempt);
    if (!this.#isRead || this.#isOver || this.#attempts > 1) return;
    const { hedgeMs } = this.shared;
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
    const { tokens, watch, clock } = this.shared;
    const isLate = clock() - this.beganMs >= this.request.timeoutMs;
    if (
      this.#attempts >= maxAttempts ||
      isLate ||
      !mayRetry(tokens, this.request.operation?.caller) ||
      !this.start(true)
    )
      return false;
    watch.retried();
    return true;
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
    if (!this.#holder || status !== 200) return;
    const least = upperNewest(this.shared.states[attempt.index] as AddressState, nowMs);
    const pin = this.#pin;
    // Another call of the operation was answered meanwhile, with newer data: the next one must not be answered with older data.
    if (pin && pin !== this.#firstPin && (pin.least ?? 0) > (least ?? 0)) return;
    const { era } = this.shared.freshness.inForce;
    this.#holder[this.shared.pins] = { index: attempt.index, least, era };
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

/** Operations of a caller that has just written share one pin, so that the caller keeps seeing what it wrote. */
function holderOf(operation: ServedOperation | undefined, changes: WriteCounter, nowMs: number): Pins | null {
  if (!operation) return null;
  return (changes.writers?.pinsOf(operation.caller, nowMs) ?? operation) as Pins;
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
    if (pauseMs !== null) pause(this.#state, pauseMs, this.#owner.shared.clock());
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
