import { isWithinShare } from './quota.ts';
import type { UpstreamCallError } from './upstream-call-error.ts';

/**
 * Decides which address of an upstream a call goes to. Choosing and refusing are separate decisions: an address that fails
 * often is avoided as long as others remain, but calls are refused only if every one of the last calls failed. A breaker that
 * opened sooner would reject calls that a half-failing upstream would still answer. The timeouts of one caller never open it:
 * its queries may be too expensive, while the calls of others succeed.
 */

/** Number of recent outcomes that count. */
const window = 20;
const all = 2 ** window - 1;
const failuresInRowToEject = 5;
const failuresToEject = window / 2;
/** Milliseconds in which an old latency loses two thirds of its weight. */
const latencyMemoryMs = 5_000;
const [minTrialWaitMs, maxTrialWaitMs] = [500, 2_000];
const jitter = 0.2;
/** `Retry-After` may ask for hours; other addresses, or the operator, may help sooner. */
const maxPauseMs = 60_000;
/** Milliseconds after which a report counts as unknown, so that an unreachable address does not make the others look old. */
const newestValidMs = 10_000;

/** What the gateway knows about one address of an upstream. */
export class AddressState {
  /** Outcomes of the last calls as bits, the newest lowest: 1 = failed. */
  recent = 0;
  /** Number of outcomes in `recent`. */
  known = 0;
  failuresInRow = 0;
  /** Moving average of the time to a response. It fades without calls, so that a slow address is tried again. */
  latencyMs = 0;
  latencyAtMs = 0;
  inFlight = 0;
  /** When the address last responded, also to a question about its newest data. */
  heardAtMs = Number.NEGATIVE_INFINITY;
  /** Caller of the timeouts since the last success; `null` = none. */
  timedOutCaller: string | null = null;
  /** Since the last success, a failure showed that the address fails for every caller. */
  failsForAll = false;
  /** Avoided until a trial call succeeds. */
  isEjected = false;
  /** When the next trial call may begin, if the address is ejected or refuses calls. */
  trialAtMs = 0;
  trialWaitMs = minTrialWaitMs;
  /** The address asked for a pauseAddress by `Retry-After`. */
  pausedUntilMs = 0;
  /** Serves another network than the others, or is not yet known to serve the same one. Never used. */
  isOtherNetwork = false;
  /** When it last was asked and reported the network in force. What it answered before is of this network. */
  confirmedMs = Number.NEGATIVE_INFINITY;
  /** When it last reported another network. */
  otherMs = Number.NEGATIVE_INFINITY;
  /** Newest data that it reported, in the unit of the upstream; `null` = unknown. */
  newest: number | null = null;
  newestAtMs = 0;
  /** Growth of `newest` per millisecond. */
  newestPerMs = 0;
}

/**
 * `timeout`: a failure whose cause may be the call itself.
 * `unrelated`: the call says nothing about the address, for example because its client left.
 */
export type CallOutcome = 'ok' | 'failed' | 'timeout' | 'unrelated';

/** What a failure says about the address: nothing if the client left, or the response arrived and was not acceptable. */
export function toOutcome({ failure, isUnrelated }: UpstreamCallError): CallOutcome {
  if (failure === 'too-large' || failure === 'garbled') return 'ok';
  if (failure === 'timeout' || failure === 'no-connection') return 'timeout';
  return isUnrelated ? 'unrelated' : 'failed';
}

/** Statuses of a proxy that cannot reach the service behind it. */
export const isFailureStatus = (status: number): boolean => status >= 502 && status <= 504;

/** @param random from 0 up to 1 */
export function recordOutcome(state: AddressState, outcome: CallOutcome, facts: OutcomeFacts): void {
  const { nowMs, durationMs, random, isTrial } = facts;
  if (outcome === 'unrelated') {
    // The outcome says nothing about the address: the next call is a trial too.
    if (isTrial) state.trialAtMs = nowMs;
    return;
  }
  const hasFailed = outcome !== 'ok';
  state.recent = ((state.recent << 1) | Number(hasFailed)) & all;
  state.known = Math.min(window, state.known + 1);
  state.failuresInRow = hasFailed ? state.failuresInRow + 1 : 0;
  // A failure says nothing about latency: a refused connection is fast.
  if (!hasFailed) {
    recordLatency(state, durationMs, nowMs);
    state.heardAtMs = nowMs;
    state.timedOutCaller = null;
    state.failsForAll = false;
  } else if (!state.failsForAll) state.failsForAll = outcome === 'failed' || isForAll(state, facts);
  if (hasFailed) doubt(state, nowMs, random, isTrial);
  else if (isTrial) {
    state.isEjected = false;
    state.recent = 0;
    state.known = 0;
  } else if (state.known === window && countFailures(state) < failuresInRowToEject) state.trialWaitMs = minTrialWaitMs;
}

export interface OutcomeFacts {
  readonly nowMs: number;
  readonly durationMs: number;
  /** From 0 up to 1. */
  readonly random: number;
  readonly isTrial: boolean;
  /** Key of the caller; left out: the gateway itself. */
  readonly caller?: string | undefined;
}

/** Shows a timeout that the address fails for every caller? Only if it answered nothing meanwhile, and two callers had one. */
function isForAll(state: AddressState, { nowMs, durationMs, caller = '' }: OutcomeFacts): boolean {
  if (state.heardAtMs >= nowMs - durationMs) return false;
  state.timedOutCaller ??= caller;
  return state.timedOutCaller !== caller;
}

function doubt(state: AddressState, nowMs: number, random: number, isTrial: boolean): void {
  const isBad = state.failuresInRow >= failuresInRowToEject || countFailures(state) >= failuresToEject;
  if (!isTrial && (state.isEjected || !isBad)) return;
  state.isEjected = true;
  state.trialAtMs = nowMs + state.trialWaitMs * (1 - jitter + 2 * jitter * random);
  state.trialWaitMs = Math.min(maxTrialWaitMs, state.trialWaitMs * 2);
}

export function recordLatency(state: AddressState, durationMs: number, nowMs: number): void {
  const weight = state.latencyAtMs === 0 ? 0 : Math.exp((state.latencyAtMs - nowMs) / latencyMemoryMs);
  state.latencyMs = state.latencyMs * weight + durationMs * (1 - weight);
  // Several responses in one millisecond would otherwise have no weight.
  if (weight === 1) state.latencyMs = state.latencyMs * 0.9 + durationMs * 0.1;
  state.latencyAtMs = nowMs;
}

function countFailures({ recent }: AddressState): number {
  let count = 0;
  for (let rest = recent; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** Did all of the last calls fail, and not only by timeouts of one caller? */
export const isBroken = ({ recent, failsForAll }: AddressState): boolean => recent === all && failsForAll;

/** Obeys `Retry-After`. */
export function pauseAddress(state: AddressState, forMs: number, nowMs: number): void {
  state.pausedUntilMs = Math.max(state.pausedUntilMs, nowMs + Math.min(forMs, maxPauseMs));
}

export function recordNewest(state: AddressState, newest: number, nowMs: number): void {
  const elapsedMs = nowMs - state.newestAtMs;
  // A late answer to an earlier question.
  if (elapsedMs < 0) return;
  // The first report of an address says nothing about its growth.
  if (state.newest && elapsedMs > 0) state.newestPerMs = Math.max(0, (newest - state.newest) / elapsedMs);
  state.newest = newest;
  state.newestAtMs = nowMs;
}

/** The newest data that a response of this address may contain: it may have advanced since its last report. */
export function upperNewest({ newest, newestAtMs, newestPerMs }: AddressState, nowMs: number): number | null {
  return newest === null ? null : newest + Math.ceil((nowMs - newestAtMs) * newestPerMs);
}

/**
 * Is a response of the network in force? Only a later report of its address tells. `wrong`: the address reported another network
 * meanwhile.
 */
export function judgeAnswer(
  { confirmedMs, otherMs }: Pick<AddressState, 'confirmedMs' | 'otherMs'>,
  receivedMs: number,
): 'right' | 'wrong' | 'unknown' {
  if (otherMs >= receivedMs) return 'wrong';
  return confirmedMs > receivedMs ? 'right' : 'unknown';
}

/** The newest data that any address reports. */
export function newestOf(states: readonly AddressState[], nowMs: number): number | null {
  let found: number | null = null;
  for (const { newest, newestAtMs } of states) {
    if (newest !== null && nowMs - newestAtMs <= newestValidMs && newest > (found ?? -1)) found = newest;
  }
  return found;
}

/** The newest data that an operation or a caller was shown, and the index of the address that showed it, which never goes back. */
export interface Floor {
  /** `null`: the address does not report its newest data. */
  readonly newest: number | null;
  readonly by: number;
  /** Of the network that was shown. */
  readonly era: number;
}

/** By upstream. */
export type Floors = { [upstream: symbol]: Floor | undefined };

export interface ChoiceFacts {
  readonly nowMs: number;
  /** @returns a number from 0 up to 1 */
  readonly random: () => number;
  /** Addresses further behind the newest one are not chosen, except behind one that fails every call. */
  readonly maxBehind: number;
  /** The oldest data that the response may have; `null` = any. */
  readonly least: number | null;
  /** What the caller was shown. Its address is chosen as long as it can be used. */
  readonly floor: Floor | undefined;
  /** Indexes of the addresses that this call has tried, as bits. */
  readonly tried: number;
  /** May the call be repeated at another address? Only such a call is used as a trial while other addresses work. */
  readonly isRepeatable: boolean;
}

/** `refused`: every address fails. `too old`: no address is known to be as new as `least`. */
export type Choice = { readonly index: number; readonly isTrial: boolean } | 'refused' | 'too old';

/** Chooses an address for a call. */
export function chooseAddress(states: readonly AddressState[], facts: ChoiceFacts): Choice {
  const { nowMs, random, maxBehind, least, floor, tried, isRepeatable } = facts;
  // An address that fails every call must not keep the others from being used.
  const newest = newestOf(states.some(isBroken) ? states.filter((state) => !isBroken(state)) : states, nowMs);
  const fresh: number[] = [];
  const working: number[] = [];
  let trial = -1;
  let isTooOld = false;
  for (const [index, state] of states.entries()) {
    if (state.isOtherNetwork || (tried & (1 << index)) !== 0) continue;
    if (newest !== null && state.newest !== null && newest - state.newest > maxBehind) continue;
    const known = Math.max(state.newest ?? -1, floor?.by === index ? (floor.newest ?? -1) : -1);
    if (known < (least ?? -1)) {
      if (!isBroken(state)) isTooOld = true;
      continue;
    }
    const isDue = state.isEjected && state.trialAtMs <= nowMs;
    if (isDue && trial < 0) trial = index;
    if (isBroken(state)) continue;
    fresh.push(index);
    if (!state.isEjected && state.pausedUntilMs <= nowMs) working.push(index);
  }
  const usable = working.length * 2 >= states.length || (tried !== 0 && working.length > 0) ? working : fresh;
  if (trial >= 0 && (isRepeatable || usable.length === 0)) return { index: trial, isTrial: true };
  if (usable.length === 0) return isTooOld ? 'too old' : 'refused';
  if (floor && usable.includes(floor.by)) return { index: floor.by, isTrial: false };
  return { index: lighter(states, usable, nowMs, random), isTrial: false };
}

/** The better one of two random addresses: two avoid a herd that one best address would get. */
function lighter(
  states: readonly AddressState[],
  usable: readonly number[],
  nowMs: number,
  random: () => number,
): number {
  const first = Math.floor(random() * usable.length);
  const one = usable[first] as number;
  if (usable.length === 1) return one;
  const other = usable[(first + 1 + Math.floor(random() * (usable.length - 1))) % usable.length] as number;
  return weigh(states[other] as AddressState, nowMs) < weigh(states[one] as AddressState, nowMs) ? other : one;
}

function weigh({ latencyMs, latencyAtMs, inFlight }: AddressState, nowMs: number): number {
  return Math.max(1, latencyMs * Math.exp((latencyAtMs - nowMs) / latencyMemoryMs)) * (inFlight + 1);
}

/** @returns `false` to refuse a call to the only address of an upstream */
export function admitCall(state: AddressState, nowMs: number): boolean {
  if (!isBroken(state)) return true;
  if (nowMs < state.trialAtMs) return false;
  beginTrial(state, nowMs);
  return true;
}

/** A trial that hangs must not delay the next one. */
export function beginTrial(state: AddressState, nowMs: number): void {
  state.trialAtMs = nowMs + maxTrialWaitMs;
}

/** Half of them repeat the calls that are in flight at an address when it goes down. */
const maxTokens = 100;
const tokensReturned = 0.1;
const maxTakers = 10_000;

/**
 * Retries of all calls to an upstream, so that they cannot multiply the load of an upstream that fails: a failure takes a
 * token, a success returns a tenth, and retries stop at half. One caller's failures, such as its expensive queries that time
 * out, use up three quarters of what it alone could take, and leave retries to others.
 */
export class RetryTokens {
  count = maxTokens;
  /** Tokens that callers' failures have taken; callers that took none are left out. */
  readonly takenBy = new Map<string, number>();
}

/** @param caller left out: the gateway itself, as one more caller */
export function mayRetry({ count, takenBy }: RetryTokens, caller = ''): boolean {
  const free = count - maxTokens / 2;
  return free > 0 && isWithinShare(takenBy.get(caller) ?? 0, free, 3);
}

export function countTokens(tokens: RetryTokens, hasFailed: boolean, caller = ''): void {
  const { takenBy } = tokens;
  const taken = takenBy.get(caller) ?? 0;
  // A caller without retries cannot multiply the load.
  if (hasFailed && !mayRetry(tokens, caller)) return;
  tokens.count = Math.min(maxTokens, tokens.count + (hasFailed ? -1 : tokensReturned));
  // Most callers have no failures.
  if (!hasFailed && taken === 0) return;
  takenBy.delete(caller);
  const rest = taken + (hasFailed ? 1 : -tokensReturned);
  if (rest > 0) takenBy.set(caller, rest);
  const [oldest] = takenBy.size > maxTakers ? takenBy.keys() : [];
  if (oldest !== undefined) takenBy.delete(oldest);
}
