import { hash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Redis, ReplyError } from 'ioredis';
import { connectRedis, type RedisEvents, type RedisOptions } from '../../upstream/connect-redis.ts';
import { decide, type SponsorshipStore, type StepKind, type StepOf, toStore } from '../store/decide.ts';
import { type Change, portion } from '../store/draft.ts';
import { dayMs, defaultStoreBounds, type StoreBounds, StoreUnavailableError } from '../store/sponsorship-store.ts';
import { type Question, RedisRecords } from './redis-records.ts';

/**
 * All records are in one slot of a Redis cluster. Smaller partitions are impossible, since several callers may share a budget. The
 * number is that of the layout: other layouts are not read.
 */
const prefix = 'ledger-gateway:{sponsorship}:2:';

/** Longer than any member of a set is needed. */
const setLifeMs = dayMs + 2 * 60 * 60_000;

export const commitScript = readFileSync(new URL('commit-records.lua', import.meta.url), 'utf8');

export interface RedisStoreOptions extends RedisOptions {
  readonly bounds?: StoreBounds;
}

export interface RedisStoreEvents extends RedisEvents {
  /** Redis may drop records before their time. @param policy its `maxmemory-policy` */
  readonly mayEvict: (policy: string) => void;
}

/**
 * In milliseconds. Longer than for rate limits: a step that timed out may cost a lease, and sponsor calls take longer anyway.
 */
const defaultTimeoutMs = 1_000;
/** Steps that are decided together. */
const maxStepsAtOnce = 32;
/** Other processes change the same records: after so many attempts the step fails. */
const maxAttempts = 50;
const longestPauseMs = 50;

interface WaitingStep {
  readonly kind: StepKind;
  readonly step: StepOf<StepKind>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Commands = Record<'commitRecords', (...args: (string | number)[]) => Promise<unknown>>;

/**
 * A store in Redis, shared by all instances. Reads the records of a step, decides it here, and commits its changes if the records
 * are unchanged. The steps of this process that arrive meanwhile are decided together: they do not conflict with each other.
 * Resolves when Redis is connected, or after a bounded wait; then the client keeps reconnecting.
 */
export async function connectRedisStore(
  options: RedisStoreOptions,
  events: RedisStoreEvents,
): Promise<SponsorshipStore> {
  const { bounds = defaultStoreBounds, timeoutMs = defaultTimeoutMs } = options;
  /** What Redis rejected the last time. It counts as unavailable until it accepts that. */
  const rejected = new Set<'read' | 'commit'>();
  const ready = () => {
    if (rejected.size === 0) events.ready();
  };
  const redis = await connectRedis({ ...options, timeoutMs }, { failed: events.failed, ready });
  const warn = () => void warnOfEviction(redis, events);
  if (redis.status === 'ready') warn();
  else redis.once('ready', warn);
  redis.defineCommand('commitRecords', { lua: commitScript });
  const commands = redis as unknown as Commands;
  const process = randomBytes(9).toString('base64url');
  let writes = 0;
  let waiting: WaitingStep[] = [];
  let isWorking = false;

  async function attempt<Result>(what: 'read' | 'commit', work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await work();
      if (rejected.delete(what)) ready();
      return result;
    } catch (error) {
      // Out of memory, read-only, or not permitted. The connection reports its own failures.
      if (error instanceof ReplyError) {
        rejected.add(what);
        events.failed(error);
      }
      throw new StoreUnavailableError(error, what === 'read' || isUntaken(error));
    }
  }

  /** Commits changes if everything that was read is unchanged. */
  async function commit({ read }: RedisRecords, changes: ReadonlyMap<string, readonly string[]>): Promise<boolean> {
    const keys: string[] = [];
    const args: (string | number)[] = [read.run ?? '-'];
    for (const [name, version] of read.versions) {
      keys.push(keyOf(name));
      args.push(version === null ? 'none' : 'is', version ?? '', '', '');
    }
    for (const [act = '', key = '', ...rest] of changes.values()) {
      keys.push(key);
      args.push(act, ...rest, ...['', '', ''].slice(rest.length));
    }
    return (await commands.commitRecords(keys.length, ...keys, ...args)) === 1;
  }

  function toWrite(change: Change, nowMs: number): readonly string[] {
    if (change.kind === 'delete') return ['delete', keyOf(change.name)];
    if (change.kind === 'put') {
      writes += 1;
      const text = `${process}.${writes} ${JSON.stringify(change.value)}`;
      return ['put', keyOf(change.name), text, '', String(Math.max(1, Math.ceil(change.untilMs - nowMs)))];
    }
    const key = keyOf(change.set);
    if (change.kind === 'remove') return ['remove', key, change.member];
    return ['add', key, change.member, String(change.score), String(setLifeMs)];
  }

  /** Decides all steps, each upon the changes of those before it. */
  function decideAll(steps: readonly WaitingStep[], records: RedisRecords) {
    const changes = new Map<string, readonly string[]>();
    records.restart();
    const settle = steps.map(({ kind, step, resolve, reject }) => {
      try {
        const decision = decide(records, kind, step, bounds);
        records.apply(decision.changes);
        for (const change of decision.changes) {
          const id = 'name' in change ? change.name : `${change.set}\n${change.member}`;
          // The last change of a record counts.
          changes.delete(id);
          changes.set(id, toWrite(change, step.nowMs));
        }
        return decision.isPartial ? 'again' : () => resolve(decision.answer);
      } catch (error) {
        return () => reject(error);
      }
    });
    return { changes, settle };
  }

  async function takeAll(steps: readonly WaitingStep[]): Promise<void> {
    let records = new RedisRecords();
    for (let attempts = 0; attempts < maxAttempts; ) {
      const { changes, settle } = decideAll(steps, records);
      const { wanted } = records;
      if (wanted.length > 0) {
        await attempt('read', () => load(redis, records, wanted));
        continue;
      }
      if (changes.size > 0 && !(await attempt('commit', () => commit(records, changes)))) {
        attempts += 1;
        records = new RedisRecords();
        // Others make progress meanwhile.
        await pause(Math.random() * Math.min(longestPauseMs, attempts));
        continue;
      }
      const again = steps.filter((_, index) => settle[index] === 'again');
      waiting = [...again, ...waiting];
      for (const done of settle) if (done !== 'again') done();
      return;
    }
    throw new StoreUnavailableError(new Error('other instances change the same records all the time'), true);
  }

  async function work(): Promise<void> {
    isWorking = true;
    while (waiting.length > 0) {
      const steps = waiting.slice(0, maxStepsAtOnce);
      waiting = waiting.slice(maxStepsAtOnce);
      await takeAll(steps).catch((error: unknown) => {
        for (const { reject } of steps) reject(error);
      });
    }
    isWorking = false;
  }

  const take = (kind: StepKind, step: StepOf<StepKind>) =>
    new Promise<unknown>((resolve, reject) => {
      waiting.push({ kind, step, resolve, reject });
      if (!isWorking) void work();
    });
  return toStore(take, () => redis.disconnect());
}

/** Reads records and then the sets that they protect, in one round trip. */
async function load(redis: Redis, records: RedisRecords, wanted: readonly Question[]): Promise<void> {
  const isRecord = ({ about }: Question) => about === 'record';
  const questions = [...wanted.filter(isRecord), ...wanted.filter((question) => !isRecord(question))];
  const reading = redis.pipeline();
  for (const question of questions) {
    if (question.about === 'record') reading.get(keyOf(question.name));
    else if (question.about === 'set') reading.zrange(keyOf(question.name), '0', String(portion - 1), 'WITHSCORES');
    else if (question.about === 'score') reading.zscore(keyOf(question.name), question.member);
    else reading.info(question.name);
  }
  for (const [index, [error, result]] of ((await reading.exec()) ?? []).entries()) {
    const question = questions[index] as Question;
    // Some servers do not permit `INFO`: then nothing tells their runs apart.
    if (error && !(question.about === 'run' && error instanceof ReplyError)) throw error;
    if (question.about === 'record') records.loadRecord(question.name, result as string | null);
    else if (question.about === 'set') records.loadSet(question.name, toMembers(result as string[]));
    else if (question.about === 'score')
      records.loadScore(question.name, question.member, result === null ? null : Number(result));
    else
      records.loadRun(question.name, /(?:^run_id|master_replid):(\w+)/m.exec(error ? '' : String(result))?.[1] ?? '');
  }
}

function toMembers(flat: readonly string[]) {
  const members = [];
  for (let index = 0; index < flat.length; index += 2)
    members.push({ member: flat[index] ?? '', score: Number(flat[index + 1]) });
  return members;
}

/** Of limited length, whatever callers are called. */
function keyOf(name: string): string {
  const [kind = ''] = /^(?:(?:account|holds):)?[a-z]+/.exec(name) ?? [];
  if (kind === name) return prefix + name;
  return `${prefix}${kind}:${hash('sha256', name.slice(kind.length + 1), 'base64url')}`;
}

async function warnOfEviction(redis: Redis, { mayEvict }: RedisStoreEvents): Promise<void> {
  const memory = await redis.info('memory').catch(() => '');
  const policy = /maxmemory_policy:([\w-]+)/.exec(memory)?.[1];
  if (policy !== undefined && policy !== 'noeviction') mayEvict(policy);
}

/**
 * Nothing was sent without a connection. Replies other than plain errors (`ERR`) mean that Redis did not let the script write.
 */
function isUntaken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { message } = error;
  return message.startsWith("Stream isn't writeable") || (error instanceof ReplyError && !/^ERR/.test(message));
}
