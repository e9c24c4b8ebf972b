import { Redis } from 'ioredis';
import type { Secret } from '../config/secret.ts';

export interface RedisOptions {
  readonly url: Secret;
  /** How long an answer may take, in milliseconds, before Redis counts as away. */
  readonly timeoutMs?: number;
}

/** Longer than any answer of a healthy Redis, shorter than what a caller notices. */
const defaultTimeoutMs = 300;
const connectTimeoutMs = 1_000;
/** The longest pause between two attempts to reconnect, so that it is used again within a second of its return. */
const maxReconnectDelayMs = 500;

export interface RedisEvents {
  readonly failed: (error: unknown) => void;
  /** It is connected, for the first time or again. */
  readonly ready: () => void;
}

/** Resolves when it is connected, or after the time a connection may take; it connects by itself later. */
export async function connectRedis(
  { url, timeoutMs = defaultTimeoutMs }: RedisOptions,
  { failed, ready }: RedisEvents,
): Promise<Redis> {
  const redis = new Redis(url.reveal(), {
    // Without a connection, fail at once: somebody is waiting.
    enableOfflineQueue: false,
    // An attempt that may have been counted is not sent again: it would count twice.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    // A frozen server keeps its connections: only the missing answer tells. Then the connection is given up with all that
    // waits on it, and callers wait no longer until a new one has answered.
    commandTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    connectTimeout: connectTimeoutMs,
    retryStrategy: (attempt) => Math.min(attempt * 50, maxReconnectDelayMs),
    connectionName: 'ledger-gateway',
  });
  redis.on('error', failed);
  redis.on('ready', ready);
  await new Promise<void>((resolve) => {
    const patience = setTimeout(resolve, connectTimeoutMs);
    redis.once('ready', () => {
      clearTimeout(patience);
      resolve();
    });
    // A refused connection is known at once.
    redis.once('close', () => {
      clearTimeout(patience);
      resolve();
    });
  });
  return redis;
}
