import { readFileSync } from 'node:fs';
import { type Command, Redis, ReplyError } from 'ioredis';
import type { Secret } from '../config/secret.ts';
import { startPeerTimeout } from './peer-timeout.ts';

/**
 * Reads the Lua scripts of a folder, one file per step (`beginExecution` is `begin-execution.lua`). Each script begins with
 * the constants as local variables, and with `rules.lua`, which all steps share.
 * @param folder ends in a slash
 */
export function readRedisScripts<Step extends string>(
  folder: URL,
  steps: readonly Step[],
  constants: Readonly<Record<string, string | number>>,
): Readonly<Record<Step, string>> {
  const read = (name: string) => readFileSync(new URL(`${name}.lua`, folder), 'utf8');
  // On one line, so that line numbers in Redis errors differ by one from those in `rules.lua`.
  const locals = Object.entries(constants).map(([name, value]) => `local ${name} = ${JSON.stringify(value)}`);
  const shared = `${locals.join(' ')}\n${read('rules')}\n`;
  const toFileName = (step: Step) => step.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return Object.fromEntries(steps.map((step) => [step, shared + read(toFileName(step))])) as Record<Step, string>;
}

export interface RedisOptions {
  readonly url: Secret;
  /** Milliseconds after which an unanswered command means that Redis is unavailable. */
  readonly timeoutMs?: number;
}

/** A healthy Redis answers sooner, and a caller does not notice such a delay. */
const defaultTimeoutMs = 300;
const connectTimeoutMs = 1_000;
/** The longest pause between attempts to reconnect: Redis is used again within a second of its return. */
const maxReconnectDelayMs = 500;

export interface RedisEvents {
  readonly failed: (error: unknown) => void;
  /** Redis is connected, for the first time or again. */
  readonly ready: () => void;
}

/** Connects to Redis. Resolves when connected, rejected or timed out; after that the client keeps reconnecting by itself. */
export async function connectRedis(
  { url, timeoutMs = defaultTimeoutMs }: RedisOptions,
  { failed, ready }: RedisEvents,
): Promise<Redis> {
  const redis = new TimedRedis(url.reveal(), {
    // Fail commands immediately without a connection, because a request waits for them.
    enableOfflineQueue: false,
    // Do not resend a command: Redis may have executed it.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: connectTimeoutMs,
    // After a failover, the old address may lead to a replica; a new connection finds the new primary.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    retryStrategy: (attempt) => Math.min(attempt * 50, maxReconnectDelayMs),
    connectionName: 'ledger-gateway',
  });
  redis.timeoutMs = timeoutMs;
  redis.onLost = failed;
  redis.on('error', failed);
  redis.on('ready', ready);
  await new Promise<void>((resolve) => {
    const stopWaiting = startPeerTimeout(connectTimeoutMs, resolve);
    // After a rejected connection there is nothing to wait for.
    for (const event of ['ready', 'close'] as const) {
      redis.once(event, () => {
        stopWaiting();
        resolve();
      });
    }
  });
  return redis;
}

/**
 * A frozen Redis keeps its connections open, and only the missing answer reveals it. Then drop the connection with all
 * commands that wait on it, so that later callers fail immediately until a new one is open. The client's own timeouts would
 * also drop it if only this process was too busy to read the answer.
 */
class TimedRedis extends Redis {
  timeoutMs = defaultTimeoutMs;
  /** Called with each command that got no reply: a connection that Redis closes is no `error` event. */
  onLost: (error: unknown) => void = () => {};

  override sendCommand(command: Command, target?: Parameters<Redis['sendCommand']>[1]): unknown {
    const { stream, timeoutMs } = this;
    const sent = super.sendCommand(command, target);
    const stopWaiting = startPeerTimeout(timeoutMs, () => {
      stream.destroy(new Error(`no answer within ${timeoutMs} ms`));
    });
    command.promise.then(stopWaiting, (error: unknown) => {
      stopWaiting();
      if (!(error instanceof ReplyError)) this.onLost(error);
    });
    return sent;
  }
}
