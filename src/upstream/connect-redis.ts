import { type Command, Redis } from 'ioredis';
import type { Secret } from '../config/secret.ts';
import { startPeerTimeout } from './peer-timeout.ts';

export interface RedisOptions {
  readonly url: Secret;
  /** Milliseconds that an answer may take before Redis counts as away. */
  readonly timeoutMs?: number;
}

/** A healthy Redis answers sooner, and a caller does not notice a wait of this length. */
const defaultTimeoutMs = 300;
const connectTimeoutMs = 1_000;
/** The longest pause between attempts to reconnect: Redis is used again within a second of its return. */
const maxReconnectDelayMs = 500;

export interface RedisEvents {
  readonly failed: (error: unknown) => void;
  /** Redis is connected, for the first time or again. */
  readonly ready: () => void;
}

/** Connects to Redis. Resolves when it is connected, refused or too slow; then the client goes on trying by itself. */
export async function connectRedis(
  { url, timeoutMs = defaultTimeoutMs }: RedisOptions,
  { failed, ready }: RedisEvents,
): Promise<Redis> {
  const redis = new TimedRedis(url.reveal(), {
    // Without a connection commands fail at once, since a request waits for them.
    enableOfflineQueue: false,
    // Do not resend a command: Redis may have counted it already.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: connectTimeoutMs,
    // After a failover the old address may lead to what is a replica now; a new connection finds its successor.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    retryStrategy: (attempt) => Math.min(attempt * 50, maxReconnectDelayMs),
    connectionName: 'ledger-gateway',
  });
  redis.timeoutMs = timeoutMs;
  redis.on('error', failed);
  redis.on('ready', ready);
  await new Promise<void>((resolve) => {
    const stopWaiting = startPeerTimeout(connectTimeoutMs, resolve);
    // A refused connection need not be waited for.
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
 * A frozen Redis keeps its connections open; only the missing answer shows it. Then drop the connection with all commands that
 * wait on it, so that later callers fail at once until a new one is up. The client's own timeouts would also drop it when this
 * process had no time to read the answer.
 */
class TimedRedis extends Redis {
  timeoutMs = defaultTimeoutMs;

  override sendCommand(command: Command, target?: Parameters<Redis['sendCommand']>[1]): unknown {
    const { stream, timeoutMs } = this;
    const sent = super.sendCommand(command, target);
    const stopWaiting = startPeerTimeout(timeoutMs, () => {
      stream.destroy(new Error(`no answer within ${timeoutMs} ms`));
    });
    command.promise.then(stopWaiting, stopWaiting);
    return sent;
  }
}
