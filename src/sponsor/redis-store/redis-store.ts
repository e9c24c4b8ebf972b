import { hash } from 'node:crypto';
import { ReplyError } from 'ioredis';
import { connectRedis, type RedisEvents, type RedisOptions, readRedisScripts } from '../../upstream/connect-redis.ts';
import {
  dayMs,
  defaultStoreBounds,
  type ExecutionFound,
  type ExecutionStart,
  type GasAllowance,
  type GasBudget,
  type KeptReservation,
  keyIdOf,
  maxKeysPerExecution,
  type OverdueExecution,
  type ReservationStart,
  type SponsorshipStore,
  type StoreBounds,
  StoreUnavailableError,
  storeTimes,
} from '../store/sponsorship-store.ts';

/**
 * Everything that a step reads or writes is in one slot of a Redis cluster. Smaller partitions are impossible, since several
 * callers may share a budget. A slot carries tens of thousands of steps per second; sponsorship takes some dozens.
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

/** One atomic script for each step of the store. */
export function sponsorshipScripts(bounds: StoreBounds): Readonly<Record<RedisStep, string>> {
  const constants = { prefix, ...storeTimes, maxKeysPerExecution, ...bounds };
  return readRedisScripts(new URL('.', import.meta.url), steps, constants);
}

export interface RedisStoreOptions extends RedisOptions {
  readonly bounds?: StoreBounds;
}

/**
 * In milliseconds. Longer than for rate limits: a step that timed out may cost a lease, and sponsor calls take longer anyway.
 */
const defaultTimeoutMs = 1_000;

/**
 * A store in Redis, shared by all instances. Each step is one script and one round trip. Resolves when Redis is connected, or
 * after a bounded wait; then the client keeps reconnecting.
 */
export async function connectRedisStore(options: RedisStoreOptions, events: RedisEvents): Promise<SponsorshipStore> {
  const { bounds = defaultStoreBounds, timeoutMs = defaultTimeoutMs } = options;
  /** Steps that Redis rejected the last time. Redis counts as unavailable until it accepts them. */
  const rejected = new Set<RedisStep>();
  const ready = () => {
    if (rejected.size === 0) events.ready();
  };
  const redis = await connectRedis({ ...options, timeoutMs }, { failed: events.failed, ready });
  const commands = redis as unknown as Record<RedisStep, (...args: (string | number)[]) => Promise<unknown>>;
  // The client sends a script when it is first used, and its hash after that.
  for (const [name, lua] of Object.entries(sponsorshipScripts(bounds)))
    redis.defineCommand(name, { numberOfKeys: 1, lua });

  async function run(step: RedisStep, { caller, leaseId, nowMs }: Subject, args: Arguments): Promise<unknown> {
    const [ref, owner] = caller === undefined ? ['', ''] : [leaseRef(caller, leaseId ?? ''), refOf(caller)];
    const pairs = Object.entries(args).flatMap(([name, value]) => [name, toArgument(value)]);
    try {
      // The key selects the slot of a cluster; all other keys are in the same slot.
      const answer = await commands[step](`${prefix}lease:${ref}`, nowMs, ref, owner, ...pairs);
      if (rejected.delete(step)) ready();
      return answer;
    } catch (error) {
      // Out of memory, read-only, or not permitted. The connection reports its own failures.
      if (error instanceof ReplyError) {
        rejected.add(step);
        events.failed(error);
      }
      throw new StoreUnavailableError(error, isUntaken(error));
    }
  }

  return {
    async beginReservation(begin) {
      const { caller, amount, expiresAtMs, gas, idempotency, answerByMs } = begin;
      const key = idempotency && keyIdOf('reserve', caller, idempotency.key);
      const budget = { gas: gas && refOf(gas.key), perDay: gas?.perDay };
      const args = { ...budget, amount, expiresAtMs, key, body: idempotency?.bodyHash, answerByMs };
      const start = toRecord(await run('beginReservation', begin, args));
      return gas && 'held' in start
        ? { kind: 'over-budget', allowance: toAllowance(start, gas) }
        : (start as unknown as ReservationStart);
    },
    async endReservation(end) {
      const { caller, leaseId, outcome } = end;
      const { answer, knownAs } = outcome.kind === 'reserved' ? outcome : {};
      const name = knownAs === undefined ? '' : leaseRef(caller, knownAs);
      await run('endReservation', end, { outcome: outcome.kind, answer, knownAs: name, leaseId });
    },
    async beginExecution(begin) {
      const { idempotency, nowMs, bodyHash: body, ...rest } = begin;
      const key = idempotency && keyIdOf('execute', begin.caller, idempotency.key);
      const args = { ...rest, body, key, keyBody: idempotency?.bodyHash };
      return toRecord(await run('beginExecution', begin, args)) as unknown as ExecutionStart;
    },
    async findExecution(twin) {
      const found = await run('findExecution', twin, { body: twin.bodyHash });
      return found === null ? null : (toRecord(found) as unknown as ExecutionFound);
    },
    async endExecution(end) {
      const { digest, answer, outcome } = end;
      const { kind, ...details } = { attempt: '', ...outcome };
      const args = { ...details, outcome: kind, digest, hasAnswer: answer !== null, answer };
      return (await run('endExecution', end, args)) !== null;
    },
    async claimOverdue({ most, nowMs }) {
      const claimed = (await run('claimOverdue', { nowMs }, { most })) as unknown[];
      return claimed.map((overdue) => toRecord(overdue) as unknown as OverdueExecution);
    },
    async findReservation(caller, leaseId, nowMs) {
      const found = await run('findReservation', { caller, leaseId, nowMs }, {});
      return found === null ? null : (toRecord(found) as unknown as KeptReservation);
    },
    async gasAllowance(gas, nowMs) {
      return toAllowance(toRecord(await run('gasAllowance', { nowMs }, { gas: refOf(gas.key) })), gas);
    },
    close: () => redis.disconnect(),
  };
}

/** Caller and lease of a step in the store. */
interface Subject {
  readonly caller?: string;
  readonly leaseId?: string;
  readonly nowMs: number;
}

type Value = string | number | boolean | null | undefined;
type Arguments = Readonly<Record<string, Value>>;

function toArgument(value: Value): string | number {
  return typeof value === 'boolean' ? Number(value) : (value ?? '');
}

const numbers = new Set(['answerByMs', 'untilMs', 'held', 'settled', 'day', 'amount', 'budget']);

/** @param answer alternating names and values */
function toRecord(answer: unknown): Readonly<Record<string, string | number | null>> {
  const list = answer as readonly string[];
  const record: Record<string, string | number | null> = {};
  for (let index = 0; index < list.length; index += 2) {
    const [name = '', value = ''] = list.slice(index, index + 2);
    if (numbers.has(name)) record[name] = value === '' ? null : Number(value);
    else record[name] = value;
  }
  return record;
}

function toAllowance(account: Arguments, { perDay }: GasBudget): GasAllowance {
  const [held, settled, day] = [Number(account.held), Number(account.settled), Number(account.day)];
  return { limit: perDay, held, settled, free: perDay - held - settled, resetsAtMs: (day + 1) * dayMs };
}

/**
 * Nothing was sent without a connection. Replies other than plain errors (`ERR`) mean that Redis did not let the script write.
 */
function isUntaken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { message } = error;
  return message.startsWith("Stream isn't writeable") || (error instanceof ReplyError && !/^ERR/.test(message));
}

/** Of limited length, and without characters that have a meaning in a script. */
function refOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

function leaseRef(caller: string, leaseId: string): string {
  return refOf(`${leaseId} ${caller}`);
}
