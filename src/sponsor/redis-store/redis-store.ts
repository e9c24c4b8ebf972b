import { createHash } from 'node:crypto';
import { type Redis, ReplyError } from 'ioredis';
import { connectRedis, type RedisEvents, type RedisOptions } from '../../upstream/connect-redis.ts';
import { readRedisScripts } from '../../upstream/redis-scripts.ts';

import {
  type ExecutionStart,
  type GasAllowance,
  type GasBudget,
  type OverdueExecution,
  type ReservationStart,
  type SponsorshipStore,
  StoreAwayError,
} from '../store/sponsorship-store.ts';
import {
  dayMs,
  defaultStoreBounds,
  keyIdOf,
  keyLifeMs,
  lingerMs,
  maxKeysPerExecution,
  minClaimPauseMs,
  ownLookMs,
  type StoreBounds,
  textLifeMs,
  unresolvedLifeMs,
} from '../store/store-bounds.ts';

/**
 * Everything that a step reads or writes is in one slot of a Redis cluster. A smaller part would not do, since several callers
 * may share a budget. A slot carries tens of thousands of steps a second; sponsorship takes some dozens.
 */
const prefix = 'ledger-gateway:{sponsorship}:';

const steps = [
  'beginReservation',
  'endReservation',
  'beginExecution',
  'findExecution',
  'endExecution',
  'claimOverdue',
  'findReservation',
  'gasAllowance',
] as const;

type RedisStep = (typeof steps)[number];

/** One script for each step of the store: all of it happens, or nothing. */
export function sponsorshipScripts(bounds: StoreBounds): Readonly<Record<RedisStep, string>> {
  const { maxLeasesPerCaller, maxKeysPerCaller, maxAnswerBytes, maxAnswerBytesPerCaller } = bounds;
  return readRedisScripts(new URL('.', import.meta.url), steps, {
    prefix,
    dayMs,
    keyLifeMs,
    lingerMs,
    maxKeysPerExecution,
    minClaimPauseMs,
    ownLookMs,
    textLifeMs,
    unresolvedLifeMs,
    maxLeasesPerCaller,
    maxKeysPerCaller,
    maxAnswerBytes,
    maxAnswerBytesPerCaller,
  });
}

export interface RedisStoreOptions extends RedisOptions {
  readonly bounds?: StoreBounds;
}

/**
 * Milliseconds that a step may take. Longer than a count of attempts may: nobody else can take such a step, and who waits for
 * a sponsor does not notice it, while a step that was given up costs somebody a lease.
 */
const defaultTimeoutMs = 1_000;

/**
 * Remembers in Redis, for all instances that share it: a step is a script, which Redis runs whole or not at all, and one
 * round trip. Resolves when Redis is connected, or after a bounded wait; then it goes on trying by itself.
 */
export async function connectRedisStore(options: RedisStoreOptions, events: RedisEvents): Promise<SponsorshipStore> {
  const { bounds = defaultStoreBounds, timeoutMs = defaultTimeoutMs } = options;
  /** Those that it did not take when they were asked for last: until it does it is not back, connected or not. */
  const refusing = new Set<RedisStep>();
  const ready = () => {
    if (refusing.size === 0) events.ready();
  };
  const redis = await connectRedis({ ...options, timeoutMs }, { failed: events.failed, ready });
  const run = defineSteps(redis, bounds, {
    taken(step) {
      if (refusing.size > 0 && refusing.delete(step)) ready();
    },
    refused(step, error) {
      refusing.add(step);
      events.failed(error);
    },
  });
  return {
    async beginReservation({ caller, leaseId, gas, idempotency, ...begin }) {
      const key = idempotency ? keyIdOf('reserve', caller, idempotency.key) : '';
      const answer = await run('beginReservation', begin.nowMs, leaseRef(caller, leaseId), refOf(caller), [
        begin.amount,
        begin.expiresAtMs,
        gas ? refOf(gas.key) : '',
        gas?.perDay ?? 0,
        key,
        idempotency?.bodyHash ?? '',
        begin.answerByMs,
      ]);
      return readReservationStart(answer as string[], gas);
    },
    async endReservation({ caller, leaseId, nowMs, outcome }) {
      const { kind } = outcome;
      const answer = kind === 'reserved' ? outcome.answer : '';
      const knownAs = kind === 'reserved' && outcome.knownAs !== undefined ? leaseRef(caller, outcome.knownAs) : '';
      await run('endReservation', nowMs, leaseRef(caller, leaseId), refOf(caller), [kind, answer, knownAs, leaseId]);
    },
    async beginExecution({ caller, leaseId, gas, idempotency, ...begin }) {
      const answer = await run('beginExecution', begin.nowMs, leaseRef(caller, leaseId), refOf(caller), [
        begin.digest,
        begin.expiresAtMs,
        begin.mustBeKnown ? '1' : '0',
        gas ? refOf(gas.key) : '',
        begin.amount,
        idempotency ? keyIdOf('execute', caller, idempotency.key) : '',
        idempotency?.bodyHash ?? '',
        begin.bodyHash,
        begin.attempt,
        begin.answerByMs,
        caller,
        leaseId,
        begin.budget ?? '',
        begin.requestId,
        begin.needsReservation ? '1' : '0',
      ]);
      return readExecutionStart(answer as string[]);
    },
    async findExecution({ caller, leaseId, bodyHash, nowMs }) {
      const answer = await run('findExecution', nowMs, leaseRef(caller, leaseId), refOf(caller), [bodyHash]);
      return answer === null
        ? null
        : (readExecutionStart(answer as string[]) as Extract<ExecutionStart, { kind: 'replay' }>);
    },
    async endExecution({ caller, leaseId, digest, nowMs, answer, outcome }) {
      const detail =
        outcome.kind === 'executed' ? outcome.gasUsed : 'attempt' in outcome ? (outcome.attempt ?? '') : '';
      const kept = answer === null ? ['0', ''] : ['1', answer];
      const isElsewhere = outcome.kind === 'refused' && outcome.isSpentElsewhere ? '1' : '0';
      const isOfNobody = outcome.kind === 'refused' && outcome.isOfNobody ? '1' : '0';
      const ending = [digest, outcome.kind, detail, ...kept, isElsewhere, isOfNobody];
      return (await run('endExecution', nowMs, leaseRef(caller, leaseId), refOf(caller), ending)) !== null;
    },
    async claimOverdue({ most, nowMs }) {
      const claimed = await run('claimOverdue', nowMs, '', '', [most]);
      return (claimed as string[][]).map(readOverdue);
    },
    async findReservation(caller, leaseId, nowMs) {
      const found = await run('findReservation', nowMs, leaseRef(caller, leaseId), refOf(caller), []);
      if (found === null) return null;
      const [answer = '', expiresAtMs, executing, digest = ''] = found as string[];
      const isActive = executing === 'none';
      return {
        answer,
        expiresAtMs: Number(expiresAtMs),
        state: isActive ? 'active' : 'consumed',
        digest: isActive ? null : digest,
      };
    },
    async gasAllowance(gas, nowMs) {
      const account = await run('gasAllowance', nowMs, '', '', [refOf(gas.key)]);
      return readAllowance(account as string[], gas);
    },
    close: () => redis.disconnect(),
  };
}

type Step = (nowMs: number, ref: string, caller: string, rest: readonly (string | number)[]) => Promise<unknown>;

/** What Redis answers to steps. */
interface StepEvents {
  readonly taken: (step: RedisStep) => void;
  /** It has no memory left, writes nothing, or does not let this user run scripts. */
  readonly refused: (step: RedisStep, error: unknown) => void;
}

/** Loads each script when it is first run: later one round trip asks for it by its hash. */
function defineSteps(redis: Redis, bounds: StoreBounds, { taken, refused }: StepEvents) {
  const commands = redis as unknown as Record<RedisStep, (...args: (string | number)[]) => Promise<unknown>>;
  for (const [name, lua] of Object.entries(sponsorshipScripts(bounds)))
    redis.defineCommand(name, { numberOfKeys: 1, lua });
  return async (step: RedisStep, ...[nowMs, ref, caller, rest]: Parameters<Step>): Promise<unknown> => {
    try {
      // The one key says which slot of a cluster it is; all others are in the same.
      const answer = await commands[step](`${prefix}lease:${ref}`, nowMs, ref, caller, ...rest);
      taken(step);
      return answer;
    } catch (error) {
      // A connection that is lost is told by itself.
      if (error instanceof ReplyError) refused(step, error);
      throw new StoreAwayError(error, isUntaken(error));
    }
  };
}

/** Without a connection nothing is sent; and all but plain errors (`ERR`) say that Redis did not let the script write. */
function isUntaken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error.message.startsWith("Stream isn't writeable") || (error instanceof ReplyError && !/^ERR/.test(error.message))
  );
}

function readReservationStart([kind, first = '', ...rest]: string[], gas: GasBudget | null): ReservationStart {
  switch (kind) {
    case 'replay':
      return { kind, answer: first };
    case 'in-progress':
      return { kind, answerByMs: Number(first) };
    case 'lost':
      return { kind, untilMs: Number(first) };
    case 'over-budget':
      return { kind, allowance: readAllowance([first, ...rest], gas ?? { key: '', perDay: 0 }) };
    default:
      return { kind: kind as 'begun' | 'conflict' | 'full' };
  }
}

function readExecutionStart([kind, first = '', second]: string[]): ExecutionStart {
  switch (kind) {
    case 'replay':
      return { kind, answer: first };
    case 'in-progress':
      return { kind, digest: first, answerByMs: Number(second) };
    case 'spent':
    case 'refused':
      return { kind, digest: first };
    case 'begun':
      return first === '' ? { kind } : { kind, reservation: first };
    default:
      return { kind: kind as 'conflict' | 'expired' | 'unknown' | 'full' };
  }
}

function readOverdue([
  caller = '',
  leaseId = '',
  digest = '',
  amount,
  budget,
  requestId = '',
]: string[]): OverdueExecution {
  return { caller, leaseId, digest, amount: Number(amount), budget: budget ? Number(budget) : null, requestId };
}

function readAllowance(account: readonly string[], { perDay }: GasBudget): GasAllowance {
  const [held = 0, settled = 0, day = 0] = account.map(Number);
  return { limit: perDay, held, settled, free: perDay - held - settled, resetsAtMs: (day + 1) * dayMs };
}

/** Of bounded length, and without letters that mean something in a script, whatever the text is. */
function refOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function leaseRef(caller: string, leaseId: string): string {
  return refOf(`${leaseId} ${caller}`);
}
